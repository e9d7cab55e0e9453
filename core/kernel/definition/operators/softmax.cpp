// Softmax and its logarithms: maximum, exponentials, their sum, and the result as definitions of their own, so that a
// recipe can choose what to keep and a rewrite can join the first three.
#include "core/kernel/definition/operators/axes.h"
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

struct Parts {
  Axes axes;
  DType inner;
  Operand x, max;

  Expr shifted(const Lowering& l) const {   // x - max over the whole domain
    return binary(Op::sub, cast(l.read(x, axes.full), inner), l.read(axes.with_kept_dims(max), axes.full));
  }
  Expr shifted_at_point(const Lowering& l) const {
    return binary(Op::sub, cast(axes.read(l, x), inner), axes.read(l, axes.with_kept_dims(max)));
  }
};

Parts parts(Lowering& l, const std::vector<int>& dims) {
  const Operand x = l.first();
  if (x.rank() == 0) refuse("a softmax of a 0-dim tensor");
  Axes axes(x.sizes, dims);
  const DType inner = compute_type(l.result().dtype);
  if (!graph::is_floating(inner)) refuse("a softmax of integers");
  const Operand max = l.reduce("max", axes.kept, axes.over, Combiner::max, inner, {cast(axes.read(l, x), inner)});
  return {axes, inner, x, max};
}

std::vector<int> one_dim(const Lowering& l) { return {l.dim("dim", l.first().rank())}; }

void softmax(Lowering& l) {
  const Parts p = parts(l, one_dim(l));
  const Operand exp = l.pointwise("exp", p.axes.full, p.inner, unary(Op::exp, p.shifted(l)));
  const Operand sum = l.reduce("sum", p.axes.kept, p.axes.over, Combiner::sum, p.inner, {p.axes.read(l, exp)});
  const Expr y = binary(Op::div, l.read(exp, p.axes.full), l.read(p.axes.with_kept_dims(sum), p.axes.full));
  l.give(l.pointwise("", p.axes.full, l.result().dtype, y));
}

void log_softmax(Lowering& l) {
  const Parts p = parts(l, one_dim(l));
  const Expr exp = unary(Op::exp, p.shifted_at_point(l));
  const Operand sum = l.reduce("sum", p.axes.kept, p.axes.over, Combiner::sum, p.inner, {exp});
  const Operand log = l.pointwise("log", p.axes.kept, p.inner, unary(Op::log, l.read(sum, p.axes.kept)));
  const Expr y = binary(Op::sub, p.shifted(l), l.read(p.axes.with_kept_dims(log), p.axes.full));
  l.give(l.pointwise("", p.axes.full, l.result().dtype, y));
}

// log(sum(exp(x - max))) + max, where an infinite maximum counts as 0.
void logsumexp(Lowering& l) {
  Parts p = parts(l, l.dims("dim", l.first().rank()));
  const Expr max = l.read(p.max, p.axes.kept);
  p.max = l.pointwise("finite_max", p.axes.kept, p.inner, select(unary(Op::is_inf, max), zero_of(max->type), max));
  const Expr exp = unary(Op::exp, p.shifted_at_point(l));
  const Operand sum = l.reduce("sum", p.axes.kept, p.axes.over, Combiner::sum, p.inner, {exp});
  const Expr y = binary(Op::add, unary(Op::log, l.read(sum, p.axes.kept)), l.read(p.max, p.axes.kept));
  const Operand result = l.pointwise("", p.axes.kept, l.result().dtype, y);
  l.give(l.flag("keepdim", false) ? p.axes.with_kept_dims(result) : result);
}

constexpr Row rows[] = {
    {"aten.softmax.int", softmax},
    {"aten._softmax.default", softmax},
    {"aten.log_softmax.int", log_softmax},
    {"aten._log_softmax.default", log_softmax},
    {"aten.logsumexp.default", logsumexp},
};

}  // namespace

std::span<const Row> softmax_rows() { return rows; }

}  // namespace kw::kernel::table
