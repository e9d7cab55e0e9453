#pragma once
// Adjacent axes that every offset walks as one become one: [8, 256, 512] added element by element is 1048576 long.

#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

// Orders the outer axes by the stride of what is stored, then merges outer axes, and the inner axes of each stage.
void merge_axes(KernelSpace& kernel);

}  // namespace kw::kernel::lowering
