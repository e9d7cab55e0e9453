#pragma once
// Scalar bodies: an immutable expression over reads, literals and index values. Equal expressions may or may not share
// nodes. The factories give every node its type and fold only what IEEE and ATen allow for all inputs (x*1, x-0, x/1;
// never x+0, x*0, x-x on floats). Thread-safe: everything is a value or a pointer to const.

#include <cstdint>
#include <functional>
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
  neg, abs, exp, exp2, expm1, log, log2, log10, log1p, sqrt, rsqrt, reciprocal, sin, cos, tan, tanh, sigmoid, erf, erfc, one_plus_erf,
  floor, ceil, round, trunc, sign,
  as_bf16, as_f16,                           // f32 rounded to what bfloat16 or float16 can hold
  logical_not, bitwise_not, is_nan, is_inf,
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

// The type arithmetic on a stored element happens in: halves in f32, every integer in i64, boolean as itself.
DType compute_type(DType storage);

Expr constant_f(double value, DType type = DType::f32);              // f32: rounded to float
Expr constant_i(std::int64_t value, DType type = DType::i64);        // i64, i32 or boolean
Expr index_value(const Index& index);                                // i64
Expr read(int source, std::vector<Index> maps, DType storage, int component = 0);
Expr cast(const Expr& value, DType type);        // to a computing type; to boolean: value != 0; to integers: towards zero
Expr unary(Op op, const Expr& a);
Expr binary(Op op, const Expr& a, const Expr& b);                    // operands of two types meet in the wider one
Expr select(const Expr& condition, const Expr& then, const Expr& otherwise);
Expr in_bounds(std::vector<Index> maps, std::vector<std::int64_t> limits, const Extents& extents);   // drops what always holds

// Rewriting. Nodes that do not change are shared.
Expr substitute(const Expr& e, const std::vector<Index>& variables, const Extents& extents);
// `replace` is asked for every read; a null answer keeps it.
Expr replace_reads(const Expr& e, const std::function<Expr(const Expression&)>& replace);
// Every read of component `component` of `source` becomes `body`, an expression over the dimensions of `source`.
Expr inline_read(const Expr& e, int source, int component, const Expr& body, const Extents& extents);

// Questions.
void for_each(const Expr& e, const std::function<void(const Expression&)>& visit);   // operands first
std::vector<const Expression*> reads(const Expr& e);                 // in order of evaluation, repeats included
bool depends_on_variable(const Expr& e, int v);
bool equal(const Expr& a, const Expr& b);                            // structurally
bool is_constant(const Expr& e, double value);                       // a literal of that value, of any type
std::string text(const Expr& e, const std::vector<std::string>& sources = {}, const std::vector<std::string>& variables = {});

}  // namespace kw::kernel
