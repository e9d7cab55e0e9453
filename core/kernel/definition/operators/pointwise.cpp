// Arithmetic: one output element from one element of each operand. The output's type is in the graph; the arithmetic
// happens in its computing type, as ATen does (half in f32), and small integers wrap.
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

// Operand `x` at the output's point, in the output's computing type.
Expr operand(const Lowering& l, const Operand& x) {
  return cast(l.read(x, l.result().sizes), compute_type(l.result().dtype));
}

void finish(Lowering& l, const Expr& value) {
  const DType storage = l.result().dtype;
  l.give(l.pointwise("", l.result().sizes, storage, wrapped(cast(value, compute_type(storage)), storage)));
}

template <Op op>
void unary_row(Lowering& l) {
  finish(l, unary(op, operand(l, l.first())));
}

// floor, ceil, ...: integers are themselves.
template <Op op>
void rounding_row(Lowering& l) {
  const Expr x = operand(l, l.first());
  finish(l, graph::is_floating(x->type) ? unary(op, x) : x);
}

void round(Lowering& l) {
  if (l.integer("decimals", 0) != 0) refuse("rounding to decimals");
  rounding_row<Op::round>(l);
}

template <Op op>
void binary_row(Lowering& l) {
  finish(l, binary(op, operand(l, l.tensor("self")), operand(l, l.tensor("other"))));
}

// self + alpha * other; booleans add as "or".
template <Op op>
void sum_row(Lowering& l) {
  const Expr a = operand(l, l.tensor("self")), b = operand(l, l.tensor("other"));
  if (l.result().dtype == DType::boolean) return finish(l, binary(Op::logical_or, a, b));
  finish(l, binary(op, a, binary(Op::mul, cast(l.scalar("alpha", 1), b->type), b)));
}

void rsub(Lowering& l) {
  const Expr a = operand(l, l.tensor("self")), b = operand(l, l.tensor("other"));
  finish(l, binary(Op::sub, b, binary(Op::mul, cast(l.scalar("alpha", 1), a->type), a)));
}

void mul(Lowering& l) {
  if (l.result().dtype == DType::boolean)
    return finish(l, binary(Op::logical_and, operand(l, l.tensor("self")), operand(l, l.tensor("other"))));
  binary_row<Op::mul>(l);
}

void div_mode(Lowering& l) {
  const Expr a = operand(l, l.tensor("self")), b = operand(l, l.tensor("other"));
  const std::string mode = l.word("rounding_mode", "");
  if (mode.empty()) return finish(l, binary(Op::div, a, b));
  if (mode == "floor") return finish(l, binary(Op::floor_divide, a, b));
  if (mode != "trunc") refuse("unknown rounding mode");
  if (!graph::is_floating(a->type)) return finish(l, binary(Op::trunc_divide, a, b));
  finish(l, unary(Op::trunc, binary(Op::div, a, b)));
}

// A literal exponent that is a small whole number, as ATen does, is multiplications.
Expr power(const Expr& x, const Expr& exponent) {
  for (const double whole : {1.0, 2.0, 3.0}) {
    if (!is_constant(exponent, whole)) continue;
    Expr result = x;
    for (int k = 1; k < static_cast<int>(whole); ++k) result = binary(Op::mul, result, x);
    return result;
  }
  if (is_constant(exponent, 0)) return literal_of(1, x->type);
  if (!graph::is_floating(x->type)) return binary(Op::pow, x, exponent);
  if (is_constant(exponent, 0.5)) return unary(Op::sqrt, x);
  if (is_constant(exponent, -0.5)) return unary(Op::rsqrt, x);
  if (is_constant(exponent, -1)) return unary(Op::reciprocal, x);
  if (is_constant(exponent, -2)) return unary(Op::reciprocal, binary(Op::mul, x, x));
  return binary(Op::pow, x, exponent);
}

void pow_row(Lowering& l) {
  const DType storage = l.result().dtype;
  if (storage == DType::boolean) refuse("a power of booleans");
  const Operand e = l.tensor("exponent");
  if (graph::is_integral(storage) && !(e.uniform && e.uniform->integer >= 0)) refuse("an integer power that may be negative");
  finish(l, power(operand(l, l.tensor("self")), operand(l, e)));
}

void square(Lowering& l) {
  const Expr x = operand(l, l.first());
  finish(l, binary(Op::mul, x, x));
}

void frac(Lowering& l) {
  const Expr x = operand(l, l.first());
  finish(l, binary(Op::sub, x, unary(Op::trunc, x)));
}

void positive(Lowering& l) { l.give(l.first()); }

void abs_row(Lowering& l) { unary_row<Op::abs>(l); }

// self + value * a * b and self + value * a / b
template <Op op>
void add_product(Lowering& l) {
  const Expr a = operand(l, l.tensor("tensor1")), b = operand(l, l.tensor("tensor2"));
  const Expr scaled = binary(Op::mul, cast(l.scalar("value", 1), a->type), a);
  finish(l, binary(Op::add, operand(l, l.tensor("self")), binary(op, scaled, b)));
}

// ATen switches the formula at weight 0.5 so that weight 1 gives `end` exactly.
void lerp(Lowering& l) {
  const Expr start = operand(l, l.tensor("self")), end = operand(l, l.tensor("end")), w = operand(l, l.tensor("weight"));
  const Expr distance = binary(Op::sub, end, start);
  const Expr near = binary(Op::add, start, binary(Op::mul, w, distance));
  const Expr far = binary(Op::sub, end, binary(Op::mul, distance, binary(Op::sub, literal_of(1, w->type), w)));
  finish(l, select(binary(Op::lt, unary(Op::abs, w), literal_of(0.5, w->type)), near, far));
}

// Bounds may be missing; NaN in x or in a bound stays NaN.
void clamp(Lowering& l) {
  Expr x = operand(l, l.first());
  if (l.given("min")) x = binary(Op::maximum, x, operand(l, l.tensor("min")));
  if (l.given("max")) x = binary(Op::minimum, x, operand(l, l.tensor("max")));
  finish(l, x);
}

// fmax and fmin ignore a NaN where the other operand is a number.
template <Op op>
void number_extremum(Lowering& l) {
  const Expr a = operand(l, l.tensor("self")), b = operand(l, l.tensor("other"));
  if (!graph::is_floating(a->type)) return finish(l, binary(op, a, b));
  finish(l, select(unary(Op::is_nan, a), b, select(unary(Op::is_nan, b), a, binary(op, a, b))));
}

void xlogy(Lowering& l) {
  const Expr x = operand(l, l.tensor("self")), y = operand(l, l.tensor("other"));
  const Expr product = select(binary(Op::eq, x, zero_of(x->type)), zero_of(x->type), binary(Op::mul, x, unary(Op::log, y)));
  finish(l, select(unary(Op::is_nan, y), y, product));
}

template <Op bits, Op truth>
void bitwise_row(Lowering& l) {
  const bool boolean = l.result().dtype == DType::boolean;
  finish(l, binary(boolean ? truth : bits, operand(l, l.tensor("self")), operand(l, l.tensor("other"))));
}

void bitwise_not(Lowering& l) {
  finish(l, unary(l.result().dtype == DType::boolean ? Op::logical_not : Op::bitwise_not, operand(l, l.first())));
}

void atan(Lowering& l) {
  const Expr x = operand(l, l.first());
  finish(l, binary(Op::atan2, x, literal_of(1, x->type)));
}

constexpr Row rows[] = {
    {"aten.abs.default", abs_row},
    {"aten.neg.default", unary_row<Op::neg>},
    {"aten.exp.default", unary_row<Op::exp>},
    {"aten.exp2.default", unary_row<Op::exp2>},
    {"aten.expm1.default", unary_row<Op::expm1>},
    {"aten.log.default", unary_row<Op::log>},
    {"aten.log2.default", unary_row<Op::log2>},
    {"aten.log10.default", unary_row<Op::log10>},
    {"aten.log1p.default", unary_row<Op::log1p>},
    {"aten.sqrt.default", unary_row<Op::sqrt>},
    {"aten.rsqrt.default", unary_row<Op::rsqrt>},
    {"aten.reciprocal.default", unary_row<Op::reciprocal>},
    {"aten.sin.default", unary_row<Op::sin>},
    {"aten.cos.default", unary_row<Op::cos>},
    {"aten.tan.default", unary_row<Op::tan>},
    {"aten.atan.default", atan},
    {"aten.tanh.default", unary_row<Op::tanh>},
    {"aten.sigmoid.default", unary_row<Op::sigmoid>},
    {"aten.erf.default", unary_row<Op::erf>},
    {"aten.erfc.default", unary_row<Op::erfc>},
    {"aten.floor.default", rounding_row<Op::floor>},
    {"aten.ceil.default", rounding_row<Op::ceil>},
    {"aten.round.default", round, "half to even"},
    {"aten.trunc.default", rounding_row<Op::trunc>},
    {"aten.sign.default", unary_row<Op::sign>},
    {"aten.square.default", square},
    {"aten.frac.default", frac},
    {"aten.positive.default", positive, "", Kind::view},
    {"aten.bitwise_not.default", bitwise_not},
    {"aten.add.Tensor", sum_row<Op::add>, "with alpha"},
    {"aten.add.Scalar", sum_row<Op::add>},
    {"aten.sub.Tensor", sum_row<Op::sub>, "with alpha"},
    {"aten.sub.Scalar", sum_row<Op::sub>},
    {"aten.subtract.Tensor", sum_row<Op::sub>},
    {"aten.rsub.Scalar", rsub},
    {"aten.rsub.Tensor", rsub},
    {"aten.mul.Tensor", mul},
    {"aten.mul.Scalar", mul},
    {"aten.multiply.Tensor", mul},
    {"aten.div.Tensor", binary_row<Op::div>},
    {"aten.div.Scalar", binary_row<Op::div>},
    {"aten.divide.Tensor", binary_row<Op::div>},
    {"aten.true_divide.Tensor", binary_row<Op::div>},
    {"aten.div.Tensor_mode", div_mode},
    {"aten.div.Scalar_mode", div_mode},
    {"aten.floor_divide.default", binary_row<Op::floor_divide>},
    {"aten.remainder.Scalar", binary_row<Op::remainder>},
    {"aten.remainder.Tensor", binary_row<Op::remainder>},
    {"aten.fmod.Scalar", binary_row<Op::fmod>},
    {"aten.fmod.Tensor", binary_row<Op::fmod>},
    {"aten.pow.Tensor_Scalar", pow_row, "integers: literal non-negative exponents"},
    {"aten.pow.Tensor_Tensor", pow_row, "floating only"},
    {"aten.pow.Scalar", pow_row, "floating only"},
    {"aten.maximum.default", binary_row<Op::maximum>, "NaN propagates"},
    {"aten.minimum.default", binary_row<Op::minimum>, "NaN propagates"},
    {"aten.max.other", binary_row<Op::maximum>, "NaN propagates"},
    {"aten.min.other", binary_row<Op::minimum>, "NaN propagates"},
    {"aten.fmax.default", number_extremum<Op::maximum>},
    {"aten.fmin.default", number_extremum<Op::minimum>},
    {"aten.atan2.default", binary_row<Op::atan2>},
    {"aten.xlogy.Tensor", xlogy},
    {"aten.addcmul.default", add_product<Op::mul>},
    {"aten.addcdiv.default", add_product<Op::div>},
    {"aten.lerp.Scalar", lerp},
    {"aten.lerp.Tensor", lerp},
    {"aten.clamp.default", clamp, "NaN propagates"},
    {"aten.clamp.Tensor", clamp, "NaN propagates"},
    {"aten.clamp_min.default", clamp},
    {"aten.clamp_min.Tensor", clamp},
    {"aten.clamp_max.default", clamp},
    {"aten.clamp_max.Tensor", clamp},
    {"aten.bitwise_and.Tensor", bitwise_row<Op::bitwise_and, Op::logical_and>},
    {"aten.bitwise_or.Tensor", bitwise_row<Op::bitwise_or, Op::logical_or>},
    {"aten.bitwise_xor.Tensor", bitwise_row<Op::bitwise_xor, Op::logical_xor>},
    {"aten.bitwise_and.Scalar", bitwise_row<Op::bitwise_and, Op::logical_and>},
    {"aten.bitwise_or.Scalar", bitwise_row<Op::bitwise_or, Op::logical_or>},
    {"aten.bitwise_xor.Scalar", bitwise_row<Op::bitwise_xor, Op::logical_xor>},
};

}  // namespace

std::span<const Row> pointwise_rows() { return rows; }

}  // namespace kw::kernel::table
