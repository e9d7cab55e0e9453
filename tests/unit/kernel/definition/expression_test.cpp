// Types and folding of the factories; substitution and inlining.
#include "core/kernel/definition/expression.h"

#include <cmath>

#include <gtest/gtest.h>

namespace kw::kernel {
namespace {

const Extents extents = {4, 6};
Expr x() { return read(0, {variable(0), variable(1)}, DType::bf16); }

TEST(Expression, TypesAreComputingTypes) {
  EXPECT_EQ(x()->type, DType::f32);
  EXPECT_EQ(read(0, {}, DType::i8)->type, DType::i64);
  EXPECT_EQ(binary(Op::lt, x(), constant_f(1))->type, DType::boolean);
  EXPECT_EQ(unary(Op::logical_not, x())->operands[0]->type, DType::boolean);
  EXPECT_EQ(binary(Op::add, x(), constant_f(1, DType::f64))->type, DType::f64);
  EXPECT_EQ(binary(Op::add, constant_i(1, DType::boolean), constant_i(1))->type, DType::i64);
}

TEST(Expression, FoldsOnlyWhatHoldsForEveryFloat) {
  EXPECT_EQ(text(binary(Op::mul, x(), constant_f(1)), {"x"}), "x[i0, i1]");
  EXPECT_EQ(text(binary(Op::div, x(), constant_f(1)), {"x"}), "x[i0, i1]");
  EXPECT_EQ(text(binary(Op::sub, x(), constant_f(0)), {"x"}), "x[i0, i1]");
  EXPECT_EQ(text(binary(Op::add, x(), constant_f(0)), {"x"}), "(x[i0, i1] + 0)");    // -0 + 0 is +0
  EXPECT_EQ(text(binary(Op::mul, x(), constant_f(0)), {"x"}), "(x[i0, i1] * 0)");    // NaN and infinities
  EXPECT_EQ(text(binary(Op::sub, x(), x()), {"x"}), "(x[i0, i1] - x[i0, i1])");
  EXPECT_EQ(text(binary(Op::mul, constant_f(0.1), constant_f(3))), "0.3");
  EXPECT_EQ(constant_f(0.1)->number, static_cast<double>(0.1f));
  EXPECT_EQ(text(cast(constant_f(-2.5), DType::f64)), "-2.5");
  EXPECT_EQ(text(constant_f(-INFINITY)), "-inf");
  EXPECT_EQ(text(select(constant_i(1, DType::boolean), x(), constant_f(0)), {"x"}), "x[i0, i1]");
}

TEST(Expression, BoundsThatAlwaysHoldDisappear) {
  const Index shifted = add(variable(0), constant(-1));
  EXPECT_EQ(text(in_bounds({variable(0), variable(1)}, {4, 6}, extents)), "true");
  EXPECT_EQ(text(in_bounds({shifted, variable(1)}, {4, 6}, extents)), "in_bounds(i0 - 1 < 4)");
  EXPECT_EQ(text(in_bounds({add(variable(0), constant(4))}, {4}, extents)), "false");
}

TEST(Expression, SubstitutionSimplifiesAndInliningComposes) {
  // y[k] reads x through a reshape of [4, 6] to [24], then k = 6*i0 + i1 undoes it.
  const Expr y = unary(Op::exp, read(0, {floor_div(variable(0), 6, {24}), mod(variable(0), 6, {24})}, DType::f32));
  EXPECT_EQ(text(y, {"x"}), "exp(x[(i0/6), (i0%6)])");
  const Expr back = substitute(y, {add(scale(variable(0), 6), variable(1))}, extents);
  EXPECT_EQ(text(back, {"x"}), "exp(x[i0, i1])");

  const Expr user = binary(Op::add, read(1, {variable(1)}, DType::f32), constant_f(2));
  const Expr inlined = inline_read(user, 1, 0, unary(Op::neg, read(0, {variable(0), constant(3)}, DType::f32)), extents);
  EXPECT_EQ(text(inlined, {"x"}), "(neg(x[i1, 3]) + 2)");
  EXPECT_TRUE(depends_on_variable(inlined, 1));
  EXPECT_FALSE(depends_on_variable(inlined, 0));
  EXPECT_EQ(reads(inlined).size(), 1u);
}

TEST(Expression, EqualIsStructural) {
  EXPECT_TRUE(equal(x(), x()));
  EXPECT_FALSE(equal(constant_f(0.0), constant_f(-0.0)));
  EXPECT_FALSE(equal(x(), read(0, {variable(1), variable(0)}, DType::bf16)));
  EXPECT_FALSE(equal(read(0, {}, DType::f32), read(0, {}, DType::f64)));
}

}  // namespace
}  // namespace kw::kernel
