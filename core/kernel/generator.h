#pragma once
// The whole generator in one call, for the engine: task graph + recipe -> plan with source, or why the recipe is illegal.

#include <string>
#include <vector>

#include "core/kernel/loopnest/loopnest.h"
#include "core/kernel/recipe/recipe.h"
#include "core/plan/plan.h"

namespace kw::kernel {

// Layers 2 -> 3: pure. An error is `unsupported` with the reason the recipe is illegal.
struct Lowered {
  std::vector<plan::Buffer> buffers;               // inputs, outputs, workspaces
  std::vector<LoopNest> nests;                     // one per kernel step, in execution order
};
base::Result<Lowered> lower(const Program& program, const Recipe& recipe, const Limits& limits);

struct Generated {
  plan::Plan plan;
  Lowered lowered;
  std::string structural_hash;                     // of the loop nests, target and emitter version: equal hash = same machine code
  std::int64_t traffic_bytes = 0;                  // compulsory reads and writes of main memory that the plan makes
};
base::Result<Generated> generate(const Program& program, const Recipe& recipe, const Limits& limits);

// Sentences on what an edit changed: kernels, traffic, loops, vector width, parallel axis, workspace.
std::vector<std::string> explain(const Generated& before, const Generated& after);

}  // namespace kw::kernel
