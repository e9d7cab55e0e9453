// Factories. A tensor of one value is a literal to whoever reads it; it is stored only as a task's output.
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

void filled(Lowering& l, const Expr& value) {
  const graph::TensorType& type = l.result();
  l.give(l.pointwise("", type.sizes, type.dtype, wrapped(cast(value, compute_type(type.dtype)), type.dtype)));
}

template <int value>
void constant_row(Lowering& l) {
  filled(l, constant_i(value));
}

void full(Lowering& l) {
  const Operand value = l.tensor("fill_value");
  filled(l, l.read(value, {}));
}

void scalar_tensor(Lowering& l) { filled(l, l.scalar("s")); }

// start + i * step. Floats are computed in double and rounded once, as ATen does.
void arange(Lowering& l) {
  const graph::TensorType& type = l.result();
  if (type.sizes.size() != 1) refuse("arange has one dimension");
  const Expr i = index_value(point(type.sizes)[0]);
  const DType inner = graph::is_floating(type.dtype) ? DType::f64 : DType::i64;
  const Expr start = l.given("start") ? l.scalar("start") : constant_i(0);
  const Expr step = l.given("step") ? l.scalar("step") : constant_i(1);
  const Expr moved = binary(Op::mul, cast(i, inner), cast(step, inner));
  filled(l, binary(Op::add, cast(start, inner), moved));
}

constexpr Row rows[] = {
    {"aten.zeros.default", constant_row<0>},
    {"aten.ones.default", constant_row<1>},
    {"aten.zeros_like.default", constant_row<0>},
    {"aten.ones_like.default", constant_row<1>},
    {"aten.new_zeros.default", constant_row<0>},
    {"aten.new_ones.default", constant_row<1>},
    {"aten.full.default", full},
    {"aten.full_like.default", full},
    {"aten.new_full.default", full},
    {"aten.scalar_tensor.default", scalar_tensor},
    {"aten.arange.default", arange},
    {"aten.arange.start", arange},
    {"aten.arange.start_step", arange},
};

}  // namespace

std::span<const Row> factory_rows() { return rows; }

}  // namespace kw::kernel::table
