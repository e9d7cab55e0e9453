#include "samples.h"

#include <cmath>
#include <limits>

namespace kw::kernel::samples {
namespace {

Expr f(double x) { return constant_f(x); }
Expr add_(const Expr& a, const Expr& b) { return binary(Op::add, a, b); }
Expr sub_(const Expr& a, const Expr& b) { return binary(Op::sub, a, b); }
Expr mul_(const Expr& a, const Expr& b) { return binary(Op::mul, a, b); }
Expr div_(const Expr& a, const Expr& b) { return binary(Op::div, a, b); }
Expr relu(const Expr& a) { return binary(Op::maximum, a, f(0)); }
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

std::vector<Index> variables(int count, int first) {
  std::vector<Index> out;
  for (int v = 0; v < count; ++v) out.push_back(variable(first + v));
  return out;
}

int ProgramBuilder::input(const std::string& name, DType dtype, const Sizes& sizes, const Sizes& strides) {
  Tensor t{name, {dtype, sizes, strides.empty() ? graph::contiguous_strides(sizes) : strides}, -1, static_cast<int>(program.inputs.size()), {}};
  program.inputs.push_back(static_cast<int>(program.tensors.size()));
  program.tensors.push_back(t);
  return program.inputs.back();
}

int ProgramBuilder::define(const std::string& name, const Sizes& sizes, DType storage, Definition definition) {
  definition.name = name;
  definition.op = "sample." + name;
  definition.tensor = static_cast<int>(program.tensors.size());
  definition.domain = sizes;
  program.tensors.push_back({name, {storage, sizes, graph::contiguous_strides(sizes)}, static_cast<int>(program.definitions.size()), -1, {}});
  program.definitions.push_back(std::move(definition));
  return program.definitions.back().tensor;
}

int ProgramBuilder::pointwise(const std::string& name, const Sizes& sizes, const Expr& body, DType storage) {
  Definition d;
  d.body = {body};
  return define(name, sizes, storage, std::move(d));
}

int ProgramBuilder::reduce(const std::string& name, const Sizes& sizes, const Sizes& over, Combiner combiner, const Expr& body, DType storage) {
  Definition d;
  d.reduce = over;
  d.combiner = combiner;
  d.body = {body};
  return define(name, sizes, storage, std::move(d));
}

void ProgramBuilder::output(int tensor, const Sizes& strides) {
  Tensor& t = program.tensors[static_cast<std::size_t>(tensor)];
  t.outputs.push_back(static_cast<int>(program.outputs.size()));
  program.outputs.push_back(tensor);
  if (t.definition >= 0 && !strides.empty()) t.type.strides = strides;
  program.output_types.push_back({t.type.dtype, t.type.sizes, strides.empty() ? graph::contiguous_strides(t.type.sizes) : strides});
}

Expr ProgramBuilder::at(int tensor, const std::vector<Index>& maps, int component) const {
  const DType type = program.tensors[static_cast<std::size_t>(tensor)].type.dtype;
  return read(tensor, maps, component > 0 && type == DType::f32 ? type : type, component);
}

// -- softmax ---------------------------------------------------------------------------------------------------------------

Program scale_softmax(std::int64_t rows, std::int64_t cols, double scale, DType storage) {
  ProgramBuilder b;
  const int x = b.input("x", storage, {rows, cols});
  const auto rc = variables(2);
  const int s = b.pointwise("scale", {rows, cols}, mul_(b.at(x, rc), f(scale)));
  const int m = b.reduce("softmax.max", {rows}, {cols}, Combiner::max, b.at(s, rc));
  const int e = b.pointwise("softmax.exp", {rows, cols}, unary(Op::exp, sub_(b.at(s, rc), b.at(m, {variable(0)}))));
  const int t = b.reduce("softmax.sum", {rows}, {cols}, Combiner::sum, b.at(e, rc));
  b.output(b.pointwise("softmax", {rows, cols}, div_(b.at(e, rc), b.at(t, {variable(0)})), storage));
  return b.program;
}

Program channel_softmax(std::int64_t n, std::int64_t c, std::int64_t hw) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {n, c, hw});
  const std::vector<Index> point = variables(3), reduced = {variable(0), variable(2), variable(1)}, kept = {variable(0), variable(2)};
  const int m = b.reduce("softmax.max", {n, hw}, {c}, Combiner::max, b.at(x, reduced));
  const int e = b.pointwise("softmax.exp", {n, c, hw}, unary(Op::exp, sub_(b.at(x, point), b.at(m, kept))));
  const int t = b.reduce("softmax.sum", {n, hw}, {c}, Combiner::sum, b.at(e, reduced));
  b.output(b.pointwise("softmax", {n, c, hw}, div_(b.at(e, point), b.at(t, kept))));
  return b.program;
}

Program masked_softmax(std::int64_t heads, std::int64_t rows, std::int64_t cols) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {heads, rows, cols});
  const auto p = variables(3);
  const std::vector<Index> kept = variables(2);
  const Expr allowed = binary(Op::le, index_value(variable(2)), index_value(variable(1)));
  const int s = b.pointwise("mask", {heads, rows, cols}, select(allowed, b.at(x, p), f(-infinity)));
  const int m = b.reduce("softmax.max", {heads, rows}, {cols}, Combiner::max, b.at(s, p));
  const int e = b.pointwise("softmax.exp", {heads, rows, cols}, unary(Op::exp, sub_(b.at(s, p), b.at(m, kept))));
  const int t = b.reduce("softmax.sum", {heads, rows}, {cols}, Combiner::sum, b.at(e, p));
  b.output(b.pointwise("softmax", {heads, rows, cols}, div_(b.at(e, p), b.at(t, kept))));
  return b.program;
}

// -- normalisation ---------------------------------------------------------------------------------------------------------

Program layer_norm(std::int64_t rows, std::int64_t cols, bool residual, bool give_sum, DType storage) {
  ProgramBuilder b;
  const auto rc = variables(2);
  const std::vector<Index> row = {variable(0)}, col = {variable(1)};
  int x = b.input("x", storage, {rows, cols});
  const int weight = b.input("weight", storage, {cols}), bias = b.input("bias", storage, {cols});
  if (residual) x = b.pointwise("add", {rows, cols}, add_(b.at(x, rc), b.at(b.input("residual", storage, {rows, cols}), rc)), storage);
  if (give_sum) b.output(x);
  const double n = static_cast<double>(cols);
  const int sum = b.reduce("norm.sum", {rows}, {cols}, Combiner::sum, b.at(x, rc));
  const int mean = b.pointwise("norm.mean", {rows}, div_(b.at(sum, row), f(n)));
  const Expr centred = sub_(b.at(x, rc), b.at(mean, row));
  const int squares = b.reduce("norm.squares", {rows}, {cols}, Combiner::sum, mul_(centred, centred));
  const int rstd = b.pointwise("norm.rstd", {rows}, unary(Op::rsqrt, add_(div_(b.at(squares, row), f(n)), f(1e-5))));
  b.output(b.pointwise("norm", {rows, cols}, add_(mul_(mul_(centred, b.at(rstd, row)), b.at(weight, col)), b.at(bias, col)), storage));
  return b.program;
}

Program moments_norm(std::int64_t rows, std::int64_t cols) {
  ProgramBuilder b;
  const auto rc = variables(2);
  const std::vector<Index> row = {variable(0)};
  const int x = b.input("x", DType::f32, {rows, cols});
  const int m = b.reduce("norm.moments", {rows}, {cols}, Combiner::moments, b.at(x, rc));
  const Expr variance = div_(b.at(m, row, 1), f(static_cast<double>(cols)));
  const int rstd = b.pointwise("norm.rstd", {rows}, unary(Op::rsqrt, add_(variance, f(1e-5))));
  b.output(b.pointwise("norm", {rows, cols}, mul_(sub_(b.at(x, rc), b.at(m, row)), b.at(rstd, row))));
  return b.program;
}

Program batch_norm_relu(const Sizes& nchw, bool add, const Sizes& strides) {
  ProgramBuilder b;
  const auto p = variables(4);
  const std::vector<Index> c = {variable(0)}, channel = {variable(1)};
  const Sizes channels = {nchw[1]};
  const int x = b.input("x", DType::f32, nchw, strides);
  const int mean = b.input("mean", DType::f32, channels), var = b.input("var", DType::f32, channels);
  const int weight = b.input("weight", DType::f32, channels), bias = b.input("bias", DType::f32, channels);
  const int scale = b.pointwise("norm.scale", channels, mul_(b.at(weight, c), unary(Op::rsqrt, add_(b.at(var, c), f(1e-5)))));
  const int shift = b.pointwise("norm.shift", channels, sub_(b.at(bias, c), mul_(b.at(mean, c), b.at(scale, c))));
  int y = b.pointwise("norm", nchw, add_(mul_(b.at(x, p), b.at(scale, channel)), b.at(shift, channel)));
  if (add) y = b.pointwise("add", nchw, add_(b.at(y, p), b.at(b.input("residual", DType::f32, nchw, strides), p)));
  b.output(b.pointwise("relu", nchw, relu(b.at(y, p))), strides);
  return b.program;
}

Program group_norm(std::int64_t n, std::int64_t c, std::int64_t groups, std::int64_t hw) {
  ProgramBuilder b;
  const std::int64_t width = c / groups;
  const Sizes sizes = {n, c, hw};
  const int x = b.input("x", DType::f32, sizes), weight = b.input("weight", DType::f32, {c});
  const Extents grouped = {n, groups, width, hw};
  const std::vector<Index> member = {variable(0), add(scale(variable(1), width), variable(2)), variable(3)}, kept = variables(2);
  const double count = static_cast<double>(width * hw);
  const int sum = b.reduce("norm.sum", {n, groups}, {width, hw}, Combiner::sum, b.at(x, member));
  const Expr centred = sub_(b.at(x, member), div_(b.at(sum, kept), f(count)));
  const int squares = b.reduce("norm.squares", {n, groups}, {width, hw}, Combiner::sum, mul_(centred, centred));
  const int rstd = b.pointwise("norm.rstd", {n, groups}, unary(Op::rsqrt, add_(div_(b.at(squares, kept), f(count)), f(1e-5))));
  const auto p = variables(3);
  const std::vector<Index> of = {variable(0), floor_div(variable(1), width, sizes)};
  const Expr y = mul_(sub_(b.at(x, p), div_(b.at(sum, of), f(count))), b.at(rstd, of));
  b.output(b.pointwise("norm", sizes, mul_(y, b.at(weight, {variable(1)}))));
  return b.program;
}

namespace {
Expr gelu_of(const Expr& v) { return mul_(mul_(v, f(0.5)), unary(Op::one_plus_erf, mul_(v, f(0.70710678118654752)))); }
}  // namespace

Program gelu(std::int64_t elements, DType storage) {
  ProgramBuilder b;
  const int x = b.input("x", storage, {elements});
  b.output(b.pointwise("gelu", {elements}, gelu_of(b.at(x, variables(1))), storage));
  return b.program;
}

Program bias_gelu(std::int64_t rows, std::int64_t cols, DType storage) {
  ProgramBuilder b;
  const int x = b.input("x", storage, {rows, cols}), bias = b.input("bias", storage, {cols});
  b.output(b.pointwise("gelu", {rows, cols}, gelu_of(add_(b.at(x, variables(2)), b.at(bias, {variable(1)}))), storage));
  return b.program;
}

// -- windows ---------------------------------------------------------------------------------------------------------------

namespace {
struct Pool {
  ProgramBuilder b;
  Sizes out, extents;
  Expr element(int x, const Sizes& nchw, std::int64_t kernel, std::int64_t stride, std::int64_t pad, double outside) {
    const std::int64_t oh = (nchw[2] + 2 * pad - kernel) / stride + 1, ow = (nchw[3] + 2 * pad - kernel) / stride + 1;
    out = {nchw[0], nchw[1], oh, ow};
    extents = {nchw[0], nchw[1], oh, ow, kernel, kernel};
    const Index h = add(add(scale(variable(2), stride), variable(4)), constant(-pad));
    const Index w = add(add(scale(variable(3), stride), variable(5)), constant(-pad));
    const Expr inside = in_bounds({h, w}, {nchw[2], nchw[3]}, extents);
    return select(inside, b.at(x, {variable(0), variable(1), h, w}), f(outside));
  }
};
}  // namespace

Program max_pool(const Sizes& nchw, std::int64_t kernel, std::int64_t stride, std::int64_t pad, bool after_relu) {
  Pool p;
  int x = p.b.input("x", DType::f32, nchw);
  if (after_relu) x = p.b.pointwise("relu", nchw, relu(sub_(p.b.at(x, variables(4)), f(0.25))));
  const Expr value = p.element(x, nchw, kernel, stride, pad, -infinity);
  p.b.output(p.b.reduce("pool", p.out, {kernel, kernel}, Combiner::max, value));
  return p.b.program;
}

Program average_pool(const Sizes& nchw, std::int64_t kernel, std::int64_t stride, std::int64_t pad) {
  Pool p;
  const int x = p.b.input("x", DType::f32, nchw);
  const Expr value = p.element(x, nchw, kernel, stride, pad, 0);
  const int sum = p.b.reduce("pool.sum", p.out, {kernel, kernel}, Combiner::sum, value);
  p.b.output(p.b.pointwise("pool", p.out, div_(p.b.at(sum, variables(4)), f(static_cast<double>(kernel * kernel)))));
  return p.b.program;
}

Program pool_index(const Sizes& nchw, std::int64_t kernel, std::int64_t stride) {
  Pool p;
  const int x = p.b.input("x", DType::f32, nchw);
  const Expr value = p.element(x, nchw, kernel, stride, 0, -infinity);
  const int best = p.b.reduce("pool", p.out, {kernel, kernel}, Combiner::argmax, value);
  p.b.output(best);
  const Expr at = p.b.at(best, variables(4), 1);
  auto index = std::make_shared<Expression>(*at);
  index->type = DType::i64;
  p.b.output(p.b.pointwise("pool.index", p.out, index, DType::i64));
  return p.b.program;
}

// -- layout and reductions -------------------------------------------------------------------------------------------------

Program permute(const Sizes& sizes, const std::vector<int>& order) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, sizes);
  Sizes out;
  std::vector<Index> maps(sizes.size());
  for (std::size_t k = 0; k < order.size(); ++k) {
    out.push_back(sizes[static_cast<std::size_t>(order[k])]);
    maps[static_cast<std::size_t>(order[k])] = variable(static_cast<int>(k));
  }
  b.output(b.pointwise("permute", out, b.at(x, maps)));
  return b.program;
}

Program argmax(std::int64_t rows, std::int64_t cols, bool last_dim, bool minimum) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {rows, cols});
  const std::vector<Index> maps = last_dim ? std::vector<Index>{variable(0), variable(1)} : std::vector<Index>{variable(1), variable(0)};
  const std::int64_t kept = last_dim ? rows : cols, over = last_dim ? cols : rows;
  const int best = b.reduce("arg", {kept}, {over}, minimum ? Combiner::argmin : Combiner::argmax, b.at(x, maps));
  auto index = std::make_shared<Expression>(*b.at(best, {variable(0)}, 1));
  index->type = DType::i64;
  b.output(b.pointwise("arg.index", {kept}, index, DType::i64));
  return b.program;
}

Program cat(std::int64_t rows, const Sizes& widths) {
  ProgramBuilder b;
  std::int64_t total = 0;
  for (const std::int64_t w : widths) total += w;
  const Extents sizes = {rows, total};
  Expr value = f(0);
  for (std::size_t k = widths.size(); k-- > 0;) {
    total -= widths[k];
    const int x = b.input("x" + std::to_string(k), DType::f32, {rows, widths[k]});
    const Index at = add(variable(1), constant(-total));
    value = select(in_bounds({at}, {widths[k]}, sizes), b.at(x, {variable(0), at}), value);
  }
  b.output(b.pointwise("cat", sizes, value));
  return b.program;
}

Program pad(std::int64_t rows, std::int64_t cols, std::int64_t left, std::int64_t right) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {rows, cols});
  const Extents sizes = {rows, cols + left + right};
  const Index at = add(variable(1), constant(-left));
  b.output(b.pointwise("pad", sizes, select(in_bounds({at}, {cols}, sizes), b.at(x, {variable(0), at}), f(1.5))));
  return b.program;
}

Program sum_over(std::int64_t rows, std::int64_t cols, bool first_dim, DType storage) {
  ProgramBuilder b;
  const int x = b.input("x", storage, {rows, cols});
  const std::vector<Index> maps = first_dim ? std::vector<Index>{variable(1), variable(0)} : variables(2);
  b.output(b.reduce("sum", {first_dim ? cols : rows}, {first_dim ? rows : cols}, Combiner::sum, b.at(x, maps), storage));
  return b.program;
}

Program batch_statistics(std::int64_t n, std::int64_t c, std::int64_t hw) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {n, c, hw});
  const int m = b.reduce("moments", {c}, {n, hw}, Combiner::moments, b.at(x, {variable(1), variable(0), variable(2)}));
  b.output(b.pointwise("mean", {c}, b.at(m, {variable(0)})));
  b.output(b.pointwise("var", {c}, div_(b.at(m, {variable(0)}, 1), f(static_cast<double>(n * hw)))));
  return b.program;
}

Program max_and_exponentials(std::int64_t rows, std::int64_t cols, bool first_dim) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {rows, cols});
  const std::vector<Index> maps = first_dim ? std::vector<Index>{variable(1), variable(0)} : variables(2);
  const std::int64_t kept = first_dim ? cols : rows;
  const int both = b.reduce("max_sum", {kept}, {first_dim ? rows : cols}, Combiner::max_sum_exp, b.at(x, maps));
  for (const int component : {0, 1}) b.output(b.pointwise(component == 0 ? "max" : "exponentials", {kept}, b.at(both, {variable(0)}, component)));
  return b.program;
}

Program any_below(std::int64_t rows, std::int64_t cols, double bound) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {rows, cols});
  b.output(b.reduce("any", {cols}, {rows}, Combiner::any, binary(Op::le, b.at(x, {variable(1), variable(0)}), f(bound)), DType::boolean));
  return b.program;
}

Program sum_all(std::int64_t elements) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {elements});
  b.output(b.reduce("sum", {}, {elements}, Combiner::sum, b.at(x, variables(1))));
  return b.program;
}

Program two_outputs(std::int64_t rows, std::int64_t cols) {
  ProgramBuilder b;
  const auto rc = variables(2);
  const int x = b.input("x", DType::f32, {rows, cols}), y = b.input("y", DType::f32, {rows, cols}, {1, rows});
  const int sum = b.pointwise("add", {rows, cols}, add_(b.at(x, rc), b.at(y, rc)));
  b.output(sum);
  b.output(b.pointwise("relu", {rows, cols}, relu(b.at(sum, rc))));
  b.output(b.reduce("column", {cols}, {rows}, Combiner::sum, b.at(sum, {variable(1), variable(0)})));
  return b.program;
}

Program whole_pass_through(std::int64_t rows, std::int64_t cols) {
  ProgramBuilder b;
  const int x = b.input("x", DType::f32, {rows, cols});
  b.output(x, {1, rows});
  b.output(b.pointwise("neg", {rows, cols}, unary(Op::neg, b.at(x, variables(2)))));
  return b.program;
}

std::vector<Sample> small_samples() {
  return {
      {"scale_softmax", scale_softmax(5, 37, 0.125)},
      {"channel_softmax", channel_softmax(2, 7, 19)},
      {"channel_softmax_blocked", channel_softmax(2, 5, 131)},
      {"masked_softmax", masked_softmax(2, 6, 13)},
      {"layer_norm", layer_norm(7, 45, false, false)},
      {"residual_layer_norm", layer_norm(6, 33, true, true)},
      {"half_layer_norm", layer_norm(4, 21, true, false, DType::bf16)},
      {"moments_norm", moments_norm(5, 43)},
      {"batch_norm_relu", batch_norm_relu({2, 3, 5, 7}, false)},
      {"batch_norm_add_relu", batch_norm_relu({2, 3, 4, 5}, true)},
      {"batch_norm_channels_last", batch_norm_relu({2, 3, 4, 5}, true, {60, 1, 15, 3})},
      {"group_norm", group_norm(2, 12, 3, 11)},
      {"gelu", gelu(101)},
      {"max_pool", max_pool({2, 3, 13, 21}, 3, 2, 1, false)},
      {"relu_max_pool", max_pool({2, 2, 9, 11}, 3, 2, 1, true)},
      {"average_pool", average_pool({1, 3, 10, 9}, 2, 2, 0)},
      {"average_pool_wide", average_pool({1, 2, 15, 14}, 7, 1, 3)},
      {"pool_index", pool_index({2, 2, 8, 9}, 2, 2)},
      {"permute", permute({2, 5, 3, 7}, {0, 2, 1, 3})},
      {"transpose", permute({3, 23, 37}, {0, 2, 1})},
      {"argmax_rows", argmax(6, 29, true)},
      {"argmin_columns", argmax(9, 21, false, true)},
      {"cat", cat(3, {5, 11, 2})},
      {"pad", pad(4, 17, 3, 2)},
      {"sum_rows", sum_over(5, 41, false)},
      {"sum_columns", sum_over(23, 19, true)},
      {"sum_far_columns", sum_over(67, 530, true)},
      {"argmax_far_columns", argmax(45, 519, false)},
      {"sum_long_rows", sum_over(3, 5003, false)},
      {"sum_long_columns", sum_over(259, 13, true)},
      {"sum_long_far_columns", sum_over(331, 515, true)},
      {"sum_all", sum_all(2048)},
      {"half_sum_columns", sum_over(45, 35, true, DType::bf16)},
      {"batch_statistics", batch_statistics(83, 21, 1)},
      {"batch_statistics_planes", batch_statistics(9, 3, 31)},
      {"max_and_exponentials_rows", max_and_exponentials(3, 517, false)},
      {"max_and_exponentials_columns", max_and_exponentials(77, 13, true)},
      {"any_below", any_below(71, 18, -1.98)},
      {"two_outputs", two_outputs(6, 10)},
      {"pass_through", whole_pass_through(4, 6)},
  };
}

}  // namespace kw::kernel::samples
