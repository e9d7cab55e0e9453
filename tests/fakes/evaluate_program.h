#pragma once
// A Program evaluated point by point: the tests' reference of what definitions mean. Slow and literal; sums and products
// accumulate in double, everything else is rounded as its type asks.

#include <vector>

#include "core/base/result.h"
#include "core/kernel/definition/definition.h"

namespace kw::fakes {

// One vector per task input (output): its elements in row-major order of the sizes, whatever the strides.
using Elements = std::vector<std::vector<double>>;
base::Result<Elements> evaluate(const kernel::Program& program, const Elements& inputs);

}  // namespace kw::fakes
