#pragma once
// Scalar bodies: an immutable expression over reads, literals and index values. Equal expressions may or may not share nodes.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/graph/type.h"
#include "core/kernel/definition/index.h"

namespace kw::kernel {

using graph::DType;

enum class Op : std::uint8_t {
  constant, index,                           // literal; an Index as an i64 value
  read,                                      // source[maps]
  reg, lane,                                 // LoopNest only: a register; one lane of a register
  cast,                                      // to `type`
  in_bounds,                                 // all maps within [0, limit): boolean; guards a read in select (padding)
  // unary
  neg, abs, exp, exp2, expm1, log, log2, log10, log1p, sqrt, rsqrt, reciprocal, sin, cos, tan, tanh, sigmoid, erf, erfc,
  floor, ceil, round, trunc, sign, logical_not, bitwise_not, is_nan, is_inf,
  // binary
  add, sub, mul, div, floor_divide, trunc_divide, remainder, fmod, pow, maximum, minimum, atan2,   // maximum/minimum propagate NaN
  eq, ne, lt, le, gt, ge, logical_and, logical_or, logical_xor, bitwise_and, bitwise_or, bitwise_xor, shift_left, shift_right,
  select,                                    // condition, then, otherwise; only the chosen side is evaluated for reads
};
const char* name(Op op);

struct Expression;
using Expr = std::shared_ptr<const Expression>;
struct Expression {
  Op op = Op::constant;
  DType type = DType::f32;                   // type of the value: f32, f64, i64, i32 or boolean while computing (halves compute in f32)
  double number = 0;                         // constant (floating)
  std::int64_t integer = 0;                  // constant (integral, boolean)
  int source = -1;                           // read: position in Program::tensors
  int component = 0;                         // read: component of a reduction that yields several
  std::vector<Index> maps;                   // read: one per dimension of the source; index: one; in_bounds: any
  std::vector<std::int64_t> limits;          // in_bounds: one per map
  std::vector<Expr> operands;
};

}  // namespace kw::kernel
