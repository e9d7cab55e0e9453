#pragma once
// How many neighbouring elements a thread of a GPU takes at once. Pure.

#include <utility>
#include <vector>

#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

// The most of which every access of memory along these axes is one of a thread, or the same for all its elements.
int access_width(const KernelSpace& kernel, const std::vector<std::pair<const Stage*, int>>& along);

}  // namespace kw::kernel::lowering
