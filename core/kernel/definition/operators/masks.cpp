// Comparisons, logic and selection. Operands of a comparison meet in torch's result type before they are compared.
#include <cmath>
#include <limits>

#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

Expr operand(const Lowering& l, const Operand& x, DType type) { return cast(l.read(x, l.result().sizes), type); }

void finish(Lowering& l, const Expr& value) { l.give(l.pointwise("", l.result().sizes, l.result().dtype, value)); }

template <Op op>
void compare(Lowering& l) {
  const Operand a = l.tensor("self"), b = l.tensor("other");
  const DType type = compute_type(result_type({a, b}));
  finish(l, binary(op, operand(l, a, type), operand(l, b, type)));
}

template <Op op>
void logic(Lowering& l) {
  finish(l, binary(op, operand(l, l.tensor("self"), DType::boolean), operand(l, l.tensor("other"), DType::boolean)));
}

void logical_not(Lowering& l) { finish(l, unary(Op::logical_not, operand(l, l.first(), DType::boolean))); }

// Questions about a value; of an integer the answer is a constant.
template <Op op, bool of_integers>
void question(Lowering& l) {
  const Expr x = l.read(l.first(), l.result().sizes);
  const Expr answer = graph::is_floating(x->type) ? unary(op, x) : constant_i(of_integers, DType::boolean);
  finish(l, answer);
}

void isfinite(Lowering& l) {
  const Expr x = l.read(l.first(), l.result().sizes);
  if (!graph::is_floating(x->type)) return finish(l, constant_i(1, DType::boolean));
  finish(l, unary(Op::logical_not, binary(Op::logical_or, unary(Op::is_nan, x), unary(Op::is_inf, x))));
}

void where(Lowering& l) {
  const DType type = compute_type(l.result().dtype);
  finish(l, select(operand(l, l.tensor("condition"), DType::boolean), operand(l, l.tensor("self"), type),
                   operand(l, l.tensor("other"), type)));
}

void masked_fill(Lowering& l) {
  const DType type = compute_type(l.result().dtype);
  const Expr mask = operand(l, l.tensor("mask"), DType::boolean);
  finish(l, select(mask, operand(l, l.tensor("value"), type), operand(l, l.tensor("self"), type)));
}

// Keeps elements with column - row <= diagonal (tril) or >= diagonal (triu).
template <Op keep>
void triangle(Lowering& l) {
  const Operand x = l.first();
  if (x.rank() < 2) refuse("a triangle of less than two dimensions");
  const int row = x.rank() - 2, column = x.rank() - 1;
  const Index distance = add(point(x.sizes)[static_cast<std::size_t>(column)], scale(point(x.sizes)[static_cast<std::size_t>(row)], -1));
  const Expr kept = binary(keep, index_value(distance), constant_i(l.integer("diagonal", 0)));
  const Expr value = l.read(x, x.sizes);
  finish(l, select(kept, value, zero_of(value->type)));
}

// Missing replacements are the largest and lowest finite values of the type.
double largest(DType type) {
  switch (type) {
    case DType::f64: return std::numeric_limits<double>::max();
    case DType::f32: return static_cast<double>(std::numeric_limits<float>::max());
    case DType::bf16: return 0x1.fep127;
    default: return 65504;
  }
}

void nan_to_num(Lowering& l) {
  const Operand x = l.first();
  const Expr value = l.read(x, l.result().sizes);
  if (!graph::is_floating(value->type)) return finish(l, value);
  const double top = largest(x.dtype);
  const auto literal = [&](const char* name, double otherwise) { return cast(l.scalar(name, otherwise), value->type); };
  const Expr infinite = select(binary(Op::gt, value, zero_of(value->type)), literal("posinf", top), literal("neginf", -top));
  finish(l, select(unary(Op::is_nan, value), literal("nan", 0), select(unary(Op::is_inf, value), infinite, value)));
}

constexpr Row rows[] = {
    {"aten.eq.Scalar", compare<Op::eq>},
    {"aten.eq.Tensor", compare<Op::eq>},
    {"aten.ne.Scalar", compare<Op::ne>},
    {"aten.ne.Tensor", compare<Op::ne>},
    {"aten.lt.Scalar", compare<Op::lt>},
    {"aten.lt.Tensor", compare<Op::lt>},
    {"aten.le.Scalar", compare<Op::le>},
    {"aten.le.Tensor", compare<Op::le>},
    {"aten.gt.Scalar", compare<Op::gt>},
    {"aten.gt.Tensor", compare<Op::gt>},
    {"aten.ge.Scalar", compare<Op::ge>},
    {"aten.ge.Tensor", compare<Op::ge>},
    {"aten.logical_and.default", logic<Op::logical_and>},
    {"aten.logical_or.default", logic<Op::logical_or>},
    {"aten.logical_xor.default", logic<Op::logical_xor>},
    {"aten.logical_not.default", logical_not},
    {"aten.isnan.default", question<Op::is_nan, false>},
    {"aten.isinf.default", question<Op::is_inf, false>},
    {"aten.isfinite.default", isfinite},
    {"aten.where.self", where},
    {"aten.where.ScalarSelf", where},
    {"aten.where.ScalarOther", where},
    {"aten.where.Scalar", where},
    {"aten.masked_fill.Scalar", masked_fill},
    {"aten.masked_fill.Tensor", masked_fill},
    {"aten.tril.default", triangle<Op::le>},
    {"aten.triu.default", triangle<Op::ge>},
    {"aten.nan_to_num.default", nan_to_num},
};

}  // namespace

std::span<const Row> mask_rows() { return rows; }

}  // namespace kw::kernel::table
