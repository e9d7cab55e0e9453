#pragma once
// From grouped definitions to kernels over buffers: where each kept value lives (a register, a tile, an output, a
// workspace), and every index map as an element offset.

#include "core/kernel/generator.h"
#include "core/kernel/recipe/grouping.h"
#include "core/kernel/recipe/row_room.h"
#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

struct Bound {
  std::vector<plan::Buffer> buffers;   // inputs, outputs, workspaces
  std::vector<KernelSpace> kernels;
};

// `original` gives inputs and outputs the types they have outside; `program` is what the passes made of it.
// Settles edge.<definition> of everything that was not inlined.
base::Result<Bound> bind_buffers(const Program& original, const Program& program, const std::vector<KernelGroup>& groups,
                         Decisions& decisions, const Limits& limits, const RowRoom& room);

}  // namespace kw::kernel::lowering
