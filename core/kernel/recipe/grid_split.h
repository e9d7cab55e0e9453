#pragma once
// A reduction with more to reduce than its blocks have threads for. The blocks of a GPU take parts of the first reduced axis and leave
// the states of their reductions in a workspace; a second kernel unites the parts, always in the same order.

#include <vector>

#include "core/kernel/recipe/decisions.h"
#include "core/kernel/recipe/space.h"
#include "core/plan/plan.h"

namespace kw::kernel::lowering {

// Settles split.<kernel> where a kernel is one stage with a reduction. One kernel, or the one of the parts and the one that unites them
// with its workspaces at the end of `buffers`.
std::vector<KernelSpace> split_grid(KernelSpace kernel, std::vector<plan::Buffer>& buffers, Decisions& decisions, const Limits& limits);

}  // namespace kw::kernel::lowering
