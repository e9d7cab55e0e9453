#pragma once
// What a thread of a GPU reads again. A row of global memory that several stages of a kernel read goes through registers: the first
// stage keeps it in a tile that each thread has to itself, the others read that. Pure but for the kernel and the decision.

#include "core/kernel/recipe/decisions.h"
#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

// Settles cache.<kernel> where there are such rows and a thread's part of them is at most `most` elements. The stages have their vector
// axes and lanes.
void cache_rows(KernelSpace& kernel, Decisions& decisions, std::int64_t most);

// Elements of an axis of this length, shared by the kernel's threads, that one thread holds.
std::int64_t own_elements(const KernelSpace& kernel, std::int64_t length);
bool written(const KernelSpace& kernel, int buffer);

}  // namespace kw::kernel::lowering
