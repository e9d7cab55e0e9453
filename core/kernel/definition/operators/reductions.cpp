// Reductions and arg-reductions. Halves accumulate in f32; NaN wins extrema; results keep their dimensions by a view.
#include <algorithm>
#include <cmath>

#include "core/kernel/definition/operators/axes.h"
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

Axes axes_of(const Lowering& l, const Operand& x) { return {x.sizes, l.dims("dim", x.rank())}; }

// One dimension, which most overloads with `int dim` have.
Axes axis_of(const Lowering& l, const Operand& x) {
  if (x.rank() == 0) return {x.sizes, {}};
  return {x.sizes, {l.dim("dim", x.rank())}};
}

void give(Lowering& l, const Axes& axes, const Operand& reduced, int k = 0) {
  l.give(l.flag("keepdim", false) ? axes.with_kept_dims(reduced) : reduced, k);
}

// Type a sum or product runs in: that of the result.
DType accumulator(const Lowering& l) {
  const DType storage = l.result().dtype;
  if (storage == DType::boolean || (graph::is_integral(storage) && storage != DType::i64))
    refuse("sums and products give floats or 64-bit integers only");
  return compute_type(storage);
}

void total(Lowering& l, const Axes& axes, const Operand& x, Combiner combiner) {
  const DType type = accumulator(l);
  give(l, axes, l.reduce("", axes.kept, axes.over, combiner, l.result().dtype, {cast(axes.read(l, x), type)}));
}

void sum(Lowering& l) { total(l, axes_of(l, l.first()), l.first(), Combiner::sum); }
void prod_all(Lowering& l) { total(l, axes_of(l, l.first()), l.first(), Combiner::product); }
void prod_dim(Lowering& l) { total(l, axis_of(l, l.first()), l.first(), Combiner::product); }

void mean(Lowering& l) {
  const Operand x = l.first();
  if (!graph::is_floating(l.result().dtype)) refuse("the mean of integers");
  const Axes axes = axes_of(l, x);
  const DType inner = compute_type(l.result().dtype);
  const Operand sums = l.reduce("sum", axes.kept, axes.over, Combiner::sum, inner, {cast(axes.read(l, x), inner)});
  give(l, axes, divided(l, "", sums, static_cast<double>(axes.count()), l.result().dtype));
}

// Booleans have no order: the largest is "any", the smallest "all".
Combiner extremum(DType type, bool largest) {
  if (type == DType::boolean) return largest ? Combiner::any : Combiner::all;
  return largest ? Combiner::max : Combiner::min;
}

template <bool largest>
void extremum_row(Lowering& l) {
  const Operand x = l.first();
  const Axes axes = axes_of(l, x);
  give(l, axes, l.reduce("", axes.kept, axes.over, extremum(x.dtype, largest), x.dtype, {axes.read(l, x)}));
}

Operand index_of(const Operand& extreme) {
  Operand index = extreme;
  index.component = 1;
  index.dtype = DType::i64;
  return index;
}

Operand arg_reduce(Lowering& l, const Axes& axes, const Operand& x, bool largest) {
  const Combiner combiner = largest ? Combiner::argmax : Combiner::argmin;
  return l.reduce("", axes.kept, axes.over, combiner, x.dtype, {axes.read(l, x)});
}

// max.dim: values and indices
template <bool largest>
void extremum_with_index(Lowering& l) {
  const Operand x = l.first();
  const Axes axes = axis_of(l, x);
  const Operand extreme = arg_reduce(l, axes, x, largest);
  give(l, axes, extreme, 0);
  if (l.results() > 1) give(l, axes, index_of(extreme), 1);
}

// Without a dimension: the position in the flattened tensor.
template <bool largest>
void arg_row(Lowering& l) {
  const Operand x = l.first();
  const Axes axes = l.given("dim") ? axis_of(l, x) : axes_of(l, x);
  give(l, axes, index_of(arg_reduce(l, axes, x, largest)));
}

template <Combiner combiner>
void truth(Lowering& l, const Axes& axes, const Operand& x) {
  if (l.result().dtype != DType::boolean) refuse("'any' and 'all' of 8-bit integers");
  give(l, axes, l.reduce("", axes.kept, axes.over, combiner, DType::boolean, {cast(axes.read(l, x), DType::boolean)}));
}

template <Combiner combiner>
void truth_dims(Lowering& l) {
  truth<combiner>(l, axes_of(l, l.first()), l.first());
}

double degrees_of_freedom(const Lowering& l, const Axes& axes) {
  const double correction = l.given("unbiased") ? (l.flag("unbiased", true) ? 1 : 0) : l.number("correction", 1);
  return std::max(0.0, static_cast<double>(axes.count()) - correction);
}

Expr variance(const Lowering& l, const Axes& axes, const Moments& m) {
  const Expr squares = l.read(m.squares, axes.kept);
  return binary(Op::div, squares, literal_of(degrees_of_freedom(l, axes), squares->type));
}

template <bool root>
void variance_row(Lowering& l) {
  const Operand x = l.first();
  if (!graph::is_floating(x.dtype)) refuse("the variance of integers");
  const Axes axes = axes_of(l, x);
  const Expr v = variance(l, axes, moments(l, axes, x, compute_type(x.dtype)));
  give(l, axes, l.pointwise("", axes.kept, l.result().dtype, root ? unary(Op::sqrt, v) : v));
}

template <bool root>
void variance_and_mean(Lowering& l) {
  const Operand x = l.first();
  if (!graph::is_floating(x.dtype)) refuse("the variance of integers");
  const Axes axes = axes_of(l, x);
  const Moments m = moments(l, axes, x, compute_type(x.dtype));
  const Expr v = variance(l, axes, m);
  give(l, axes, l.pointwise("", axes.kept, l.result(0).dtype, root ? unary(Op::sqrt, v) : v), 0);
  if (l.results() > 1) give(l, axes, l.pointwise("average", axes.kept, l.result(1).dtype, l.read(m.mean, axes.kept)), 1);
}

// The vector norm of order p over `axes`.
void norm(Lowering& l, const Axes& axes, const Operand& x, double p) {
  if (!graph::is_floating(l.result().dtype)) refuse("the norm of integers");
  const DType inner = compute_type(l.result().dtype);
  const Expr value = cast(axes.read(l, x), inner);
  const Expr size = unary(Op::abs, value);
  const auto collect = [&](const std::string& name, Combiner combiner, const Expr& body, DType storage) {
    return l.reduce(name, axes.kept, axes.over, combiner, storage, {body});
  };
  const auto finish = [&](const Operand& sums, const auto& f) {
    give(l, axes, l.pointwise("", axes.kept, l.result().dtype, f(l.read(sums, axes.kept))));
  };
  if (std::isinf(p)) return give(l, axes, collect("", p > 0 ? Combiner::max : Combiner::min, size, l.result().dtype));
  if (p == 0) {
    const Expr one = cast(cast(value, DType::boolean), inner);
    return give(l, axes, collect("", Combiner::sum, one, l.result().dtype));
  }
  if (p == 1) return give(l, axes, collect("", Combiner::sum, size, l.result().dtype));
  if (p == 2)
    return finish(collect("squares", Combiner::sum, binary(Op::mul, value, value), inner),
                  [](const Expr& s) { return unary(Op::sqrt, s); });
  finish(collect("powers", Combiner::sum, binary(Op::pow, size, literal_of(p, inner)), inner),
         [&](const Expr& s) { return binary(Op::pow, s, literal_of(1 / p, inner)); });
}

void vector_norm(Lowering& l) {
  const Operand x = l.first();
  norm(l, axes_of(l, x), x, l.number("ord", 2));
}

void norm_row(Lowering& l) {
  const Operand x = l.first();
  norm(l, axes_of(l, x), x, l.number("p", 2));
}

constexpr Row rows[] = {
    {"aten.sum.default", sum},
    {"aten.sum.dim_IntList", sum},
    {"aten.mean.default", mean, "floating only"},
    {"aten.mean.dim", mean, "floating only"},
    {"aten.prod.default", prod_all},
    {"aten.prod.dim_int", prod_dim},
    {"aten.amax.default", extremum_row<true>, "NaN wins"},
    {"aten.amin.default", extremum_row<false>, "NaN wins"},
    {"aten.max.default", extremum_row<true>, "NaN wins"},
    {"aten.min.default", extremum_row<false>, "NaN wins"},
    {"aten.max.dim", extremum_with_index<true>},
    {"aten.min.dim", extremum_with_index<false>},
    {"aten.argmax.default", arg_row<true>},
    {"aten.argmin.default", arg_row<false>},
    {"aten.any.default", truth_dims<Combiner::any>},
    {"aten.any.dim", truth_dims<Combiner::any>},
    {"aten.any.dims", truth_dims<Combiner::any>},
    {"aten.all.default", truth_dims<Combiner::all>},
    {"aten.all.dim", truth_dims<Combiner::all>},
    {"aten.all.dims", truth_dims<Combiner::all>},
    {"aten.var.default", variance_row<false>},
    {"aten.var.dim", variance_row<false>},
    {"aten.var.correction", variance_row<false>},
    {"aten.std.default", variance_row<true>},
    {"aten.std.dim", variance_row<true>},
    {"aten.std.correction", variance_row<true>},
    {"aten.var_mean.correction", variance_and_mean<false>},
    {"aten.std_mean.correction", variance_and_mean<true>},
    {"aten.linalg_vector_norm.default", vector_norm},
    {"aten.norm.Scalar", norm_row},
    {"aten.norm.ScalarOpt_dim", norm_row},
};

}  // namespace

std::span<const Row> reduction_rows() { return rows; }

}  // namespace kw::kernel::table
