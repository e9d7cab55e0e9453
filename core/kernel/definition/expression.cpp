#include "core/kernel/definition/expression.h"

namespace kw::kernel {

const char* name(Op op) {
  static constexpr const char* names[] = {
      "constant", "index", "read", "reg", "lane", "cast", "in_bounds",
      "neg", "abs", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal",
      "sin", "cos", "tan", "tanh", "sigmoid", "erf", "erfc",
      "floor", "ceil", "round", "trunc", "sign", "logical_not", "bitwise_not", "is_nan", "is_inf",
      "add", "sub", "mul", "div", "floor_divide", "trunc_divide", "remainder", "fmod", "pow", "maximum", "minimum", "atan2",
      "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor",
      "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "select"};
  static_assert(sizeof(names) / sizeof(*names) == static_cast<std::size_t>(Op::select) + 1);
  return names[static_cast<std::size_t>(op)];
}

}  // namespace kw::kernel
