#pragma once
// What the threads of a GPU read again. A row of global memory that several stages of a kernel read is kept by the first of them in a
// tile, where each thread finds its own elements again; the others read that. Pure but for the kernel and the decision.

#include <set>

#include "core/kernel/recipe/decisions.h"
#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

// Settles cache.<kernel> where there are such rows and a block has room for them. The stages have their vector axes and lanes. The
// tiles that are to lie in shared memory.
std::set<int> cache_rows(KernelSpace& kernel, Decisions& decisions, const Limits& limits);

}  // namespace kw::kernel::lowering
