// Layer, group, instance, batch and RMS norm. Statistics and per-channel factors are small definitions of their own.
#include <limits>

#include "core/kernel/definition/operators/axes.h"
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

Expr mul(const Expr& a, const Expr& b) { return binary(Op::mul, a, b); }

// Weight and bias, either of which may be missing, read over the domain `sizes` through a view.
struct Affine {
  std::optional<Operand> weight, bias;

  template <typename View>
  Affine through(const View& as) const {
    Affine result;
    if (weight) result.weight = as(*weight);
    if (bias) result.bias = as(*bias);
    return result;
  }
  Expr apply(const Lowering& l, Expr y, const Sizes& sizes) const {
    if (weight) y = mul(y, cast(l.read(*weight, sizes), y->type));
    if (bias) y = binary(Op::add, y, cast(l.read(*bias, sizes), y->type));
    return y;
  }
};

Affine affine(const Lowering& l) { return {l.optional_tensor("weight"), l.optional_tensor("bias")}; }

DType inner_type(const Lowering& l) {
  const DType inner = compute_type(l.result().dtype);
  if (!graph::is_floating(inner)) refuse("normalisation of integers");
  return inner;
}

// rsqrt(sum / n + eps)
Operand reciprocal_deviation(Lowering& l, const Axes& axes, const Operand& squares, double eps) {
  const Expr s = l.read(squares, axes.kept);
  const Expr variance = binary(Op::div, s, literal_of(static_cast<double>(axes.count()), s->type));
  return l.pointwise("rstd", axes.kept, squares.dtype, unary(Op::rsqrt, binary(Op::add, variance, literal_of(eps, s->type))));
}

struct Normalised {
  Operand y, mean, rstd;
};

// (x - mean) * rstd * weight + bias with statistics over `axes`.
Normalised normalise(Lowering& l, const Axes& axes, const Operand& x, const Affine& a, double eps) {
  const Moments m = moments(l, axes, x, inner_type(l));
  const Operand rstd = reciprocal_deviation(l, axes, m.squares, eps);
  const Expr y = mul(l.read(m.centred, axes.full), l.read(axes.with_kept_dims(rstd), axes.full));
  return {l.pointwise("", axes.full, l.result().dtype, a.apply(l, y, axes.full)), m.mean, rstd};
}

// The dimensions that normalized_shape names: the last ones.
Axes trailing_axes(const Lowering& l, const Operand& x) {
  const Sizes shape = l.integers("normalized_shape");
  std::vector<int> dims;
  if (shape.empty() || shape.size() > x.sizes.size()) refuse("normalized_shape does not fit the input");
  for (std::size_t k = 0; k < shape.size(); ++k) {
    const std::size_t d = x.sizes.size() - shape.size() + k;
    if (x.sizes[d] != shape[k]) refuse("normalized_shape does not fit the input");
    dims.push_back(static_cast<int>(d));
  }
  return {x.sizes, dims};
}

// A statistic given as a result of its own, in the type that the graph states.
void give_statistic(Lowering& l, const std::string& name, const Operand& statistic, int k) {
  if (k >= l.results() || l.node().outputs[static_cast<std::size_t>(k)] == graph::no_value) return;
  if (statistic.dtype == l.result(k).dtype) return l.give(statistic, k);
  const Operand stored = l.pointwise(name, statistic.sizes, l.result(k).dtype, l.read(statistic, statistic.sizes));
  l.give(stored, k);
}

void layer_norm(Lowering& l) {
  const Operand x = l.tensor("input");
  const Axes axes = trailing_axes(l, x);
  const Normalised n = normalise(l, axes, x, affine(l), l.number("eps", 1e-5));
  l.give(n.y);
  give_statistic(l, "mean_out", axes.with_kept_dims(n.mean), 1);
  give_statistic(l, "rstd_out", axes.with_kept_dims(n.rstd), 2);
}

double epsilon(DType type) {
  switch (type) {
    case DType::f64: return std::numeric_limits<double>::epsilon();
    case DType::f16: return 0x1p-10;
    case DType::bf16: return 0x1p-7;
    default: return static_cast<double>(std::numeric_limits<float>::epsilon());
  }
}

void rms_norm(Lowering& l) {
  const Operand x = l.tensor("input");
  const Axes axes = trailing_axes(l, x);
  const DType inner = inner_type(l);
  const Expr value = cast(axes.read(l, x), inner);
  const Operand squares = l.reduce("squares", axes.kept, axes.over, Combiner::sum, inner, {mul(value, value)});
  // Without eps ATen adds that of the type it computes in.
  const Operand rstd = reciprocal_deviation(l, axes, squares, l.number("eps", epsilon(inner)));
  const Expr y = mul(cast(l.read(x, axes.full), inner), l.read(axes.with_kept_dims(rstd), axes.full));
  l.give(l.pointwise("", axes.full, l.result().dtype, Affine{l.optional_tensor("weight"), {}}.apply(l, y, axes.full)));
  give_statistic(l, "rstd_out", axes.with_kept_dims(rstd), 1);
}

// [N, C, rest] seen as [N, groups, C / groups, rest]; statistics over all but the first two.
void group_norm_of(Lowering& l, const Operand& x, std::int64_t groups) {
  if (x.rank() < 2 || groups < 1 || x.sizes[1] % groups != 0) refuse("the channels do not divide into groups");
  Sizes grouped = {x.sizes[0], groups, x.sizes[1] / groups};
  grouped.insert(grouped.end(), x.sizes.begin() + 2, x.sizes.end());
  std::vector<int> dims;
  for (std::size_t k = 2; k < grouped.size(); ++k) dims.push_back(static_cast<int>(k));
  Sizes channel(grouped.size(), 1);
  channel[1] = grouped[1];
  channel[2] = grouped[2];
  const Affine a = affine(l).through([&](const Operand& w) { return reshaped(w, channel); });
  const Axes axes(grouped, dims);
  const Normalised n = normalise(l, axes, reshaped(x, grouped), a, l.number("eps", 1e-5));
  l.give(reshaped(n.y, x.sizes));
  give_statistic(l, "mean_out", n.mean, 1);
  give_statistic(l, "rstd_out", n.rstd, 2);
}

void group_norm(Lowering& l) { group_norm_of(l, l.tensor("input"), l.integer("num_groups")); }

// native_group_norm states its sizes as arguments: input [N, C, HxW].
void native_group_norm(Lowering& l) { group_norm_of(l, l.tensor("input"), l.integer("group")); }

// One value for each channel, as a tensor that broadcasts to [N, C, rest].
Operand per_channel(const Operand& w, int rank) {
  Sizes sizes(static_cast<std::size_t>(rank), 1);
  sizes[1] = product(w.sizes);
  return reshaped(w, sizes);
}

// scale = weight * rsqrt(var + eps), y = (x - mean) * scale + bias: with the mean folded into the bias, a channel whose mean is large
// beside its deviation would cancel, and PyTorch on a GPU does not fold it.
void with_running_statistics(Lowering& l) {
  const Operand x = l.tensor("input"), mean = l.tensor("running_mean"), var = l.tensor("running_var");
  if (x.rank() < 2 || mean.sizes != Sizes{x.sizes[1]} || var.sizes != mean.sizes)
    refuse("running statistics that are not one for each channel");
  const DType inner = inner_type(l);
  const Affine a = affine(l);
  const auto channel = [&](const Operand& w) { return cast(l.read(w, mean.sizes), inner); };
  Expr scale = unary(Op::rsqrt, binary(Op::add, channel(var), literal_of(l.number("eps", 1e-5), inner)));
  if (a.weight) scale = mul(channel(*a.weight), scale);
  const Operand scales = l.pointwise("scale", mean.sizes, inner, scale);
  const auto spread = [&](const Operand& w) { return cast(l.read(per_channel(w, x.rank()), x.sizes), inner); };
  const Expr y = mul(binary(Op::sub, cast(l.read(x, x.sizes), inner), spread(mean)), spread(scales));
  l.give(l.pointwise("", x.sizes, l.result().dtype, a.bias ? binary(Op::add, y, spread(*a.bias)) : y));
}

// Statistics of the batch itself, over all dimensions but the channel's (and the batch's, for instance norm).
void with_own_statistics(Lowering& l, bool each_instance) {
  const Operand x = l.tensor("input");
  if (l.given("running_mean") || l.given("running_var")) refuse("updates running statistics");
  if (x.rank() < 2) refuse("normalisation of fewer than two dimensions");
  std::vector<int> dims;
  for (int d = each_instance ? 2 : 0; d < x.rank(); ++d)
    if (d != 1) dims.push_back(d);
  if (dims.empty()) refuse("one value for each channel has no variance");
  const Affine a = affine(l).through([&](const Operand& w) { return per_channel(w, x.rank()); });
  const Axes axes(x.sizes, dims);
  const Normalised n = normalise(l, axes, x, a, l.number("eps", 1e-5));
  l.give(n.y);
  give_statistic(l, "mean_out", n.mean, 1);
  give_statistic(l, "rstd_out", n.rstd, 2);
}

void batch_norm(Lowering& l) { l.flag("training", false) ? with_own_statistics(l, false) : with_running_statistics(l); }

void instance_norm(Lowering& l) {
  l.flag("use_input_stats", true) ? with_own_statistics(l, true) : with_running_statistics(l);
}

constexpr Row rows[] = {
    {"aten.layer_norm.default", layer_norm},
    {"aten.native_layer_norm.default", layer_norm},
    {"aten.rms_norm.default", rms_norm},
    {"aten._fused_rms_norm.default", rms_norm},
    {"aten.group_norm.default", group_norm},
    {"aten.native_group_norm.default", native_group_norm},
    {"aten.instance_norm.default", instance_norm, "refused where it updates running statistics"},
    {"aten.batch_norm.default", batch_norm, "refused where it updates running statistics"},
    {"aten._native_batch_norm_legit_no_training.default", with_running_statistics},
    {"aten._native_batch_norm_legit.no_stats", batch_norm},
    {"aten.native_batch_norm.default", batch_norm, "refused where it updates running statistics"},
};

}  // namespace

std::span<const Row> normalisation_rows() { return rows; }

}  // namespace kw::kernel::table
