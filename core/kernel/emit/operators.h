#pragma once
// How each Op of a computing type is written in C++: an operator or a function of the prelude.

#include <string>

#include "core/kernel/emit/expression_writer.h"

namespace kw::kernel {

bool is_infix(Op op, DType type);
std::string call_name(Op op, DType type);                              // "maximum", "exp_f32"
Written write_unary(Op op, DType type, const Written& a);              // not for boolean operands
Written write_infix(Op op, DType type, const Written& a, const Written& b);
Written write_boolean(Op op, const Written& a, const Written& b);      // masks, or bool scalars; same number of lanes

}  // namespace kw::kernel
