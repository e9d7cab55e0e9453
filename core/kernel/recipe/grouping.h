#pragma once
// Layer 2, second question: which definitions share a kernel, and inside it which share loops.
//
//   kernel k0   outer axes: row                          one parallel loop runs round all of it
//     stage     reduce c      max                        each stage has inner loops of its own
//     stage     reduce c      exp, sum                   exp runs over c beside the reduction that reads it
//     stage     space c       result
//
// Legal iff a reader at an outer point reads what was computed at that very point, and nothing of another.

#include "core/kernel/recipe/decisions.h"

namespace kw::kernel::lowering {

// Where one definition runs. Axis numbers are local to the kernel: outer axes first.
struct Placed {
  int definition = -1;
  std::vector<int> axis;               // of each variable of the definition
  bool after_reduction = false;        // runs once the stage's reductions are complete, over its space axes only
};

struct StageGroup {
  std::vector<int> space, reduce;      // inner axes that are not outer axes of the kernel
  std::vector<Placed> placed;
};

struct KernelGroup {
  std::string name;                    // "k0"
  std::vector<std::int64_t> extents;   // of each axis
  std::vector<std::string> names;      // of each axis
  int outer = 0;                       // axes [0, outer) are the common ones
  std::vector<StageGroup> stages;
};

std::vector<KernelGroup> group(const Program& program, Decisions& decisions, const Limits& limits);

// Axes common to all of `members`: for each, the variable of every member. Exposed for tests.
std::vector<std::vector<int>> common_axes(const Program& program, const std::vector<int>& members);

}  // namespace kw::kernel::lowering
