#pragma once
// Brings every definition to axes that line up: an axis that some index map takes apart (c / 8, c % 8) or that a reader
// puts together from two (8*g + j) is split, and axes of extent 1 vanish. Afterwards most maps are sums of variables.

#include "core/kernel/definition/definition.h"

namespace kw::kernel::lowering {

// Sizes and strides of the tensors that definitions write follow; inputs keep theirs.
Program align_axes(Program program);

}  // namespace kw::kernel::lowering
