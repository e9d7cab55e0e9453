// Pooling with fixed windows: one reduction over the window. Padding is -inf for maxima; averages divide by what
// count_include_pad, ceil_mode and divisor_override say.
#include <algorithm>
#include <limits>

#include "core/kernel/definition/operators/table.h"
#include "core/kernel/definition/operators/window.h"

namespace kw::kernel::table {

Expr Window::element(const Lowering& l, const Expr& outside) const {
  std::vector<Index> index;
  const std::vector<Index> at = point(out);
  for (std::size_t k = 0; k < lead; ++k) index.push_back(at[k]);
  index.insert(index.end(), position.begin(), position.end());
  std::vector<Index> checked = position;
  Sizes limits = spatial_sizes();
  checked.insert(checked.end(), guards.begin(), guards.end());
  limits.insert(limits.end(), guard_limits.begin(), guard_limits.end());
  const Expr value = cast(l.at(x, index, extents), inner);
  return select(in_bounds(checked, limits, extents), value, outside);
}

Window window_over(const Lowering& l, std::size_t spatial) {
  Window w;
  w.x = l.first();
  if (!graph::is_floating(w.x.dtype)) refuse("pooling of integers");
  if (w.x.sizes.size() < spatial || w.x.sizes.size() > spatial + 2) refuse("the input's rank does not fit the pooling");
  w.lead = w.x.sizes.size() - spatial;
  w.inner = compute_type(w.x.dtype);
  w.out = l.result().sizes;
  if (w.out.size() != w.x.sizes.size()) refuse("the result's rank does not fit the pooling");
  for (std::size_t k = 0; k < w.lead; ++k)
    if (w.out[k] != w.x.sizes[k]) refuse("the result's sizes do not fit the pooling");
  return w;
}

void close(Window& window) {
  window.extents = window.out;
  window.extents.insert(window.extents.end(), window.extent.begin(), window.extent.end());
}

Sizes for_each_dimension(Sizes values, std::size_t spatial, const Sizes& otherwise) {
  if (values.empty()) values = otherwise;
  if (values.size() == 1) values.assign(spatial, values[0]);
  if (values.size() != spatial) refuse("a list argument does not have one value for each dimension");
  return values;
}

// The position of the maximum: its number in the window splits into one offset for each dimension.
void give_maximum(Lowering& l, const Window& w, const std::vector<Expr>& first_inside) {
  const Expr lowest = constant_f(-std::numeric_limits<double>::infinity(), w.inner);
  const bool with_index = l.results() > 1 && l.node().outputs[1] != graph::no_value;
  if (!with_index)
    return l.give(l.reduce("", w.out, w.extent, Combiner::max, w.x.dtype, {w.element(l, lowest)}));
  const Operand best = l.reduce("", w.out, w.extent, Combiner::argmax, w.x.dtype, {w.element(l, lowest)});
  l.give(best);
  Operand number = best;
  number.component = 1;
  number.dtype = DType::i64;
  Expr rest = l.read(number, w.out), flat = constant_i(0);
  std::vector<Expr> offsets(w.spatial());
  for (std::size_t k = w.spatial(); k-- > 0;) {
    const Expr size = constant_i(w.extent[k]);
    const Expr quotient = binary(Op::trunc_divide, rest, size);
    offsets[k] = k == 0 ? rest : binary(Op::sub, rest, binary(Op::mul, quotient, size));
    rest = quotient;
  }
  for (std::size_t k = 0; k < w.spatial(); ++k) {
    // position = origin + offset * step: both read off the index map of the window
    std::vector<Index> origin = point(w.out);
    for (std::size_t d = 0; d < w.spatial(); ++d) origin.push_back(constant(0));
    const Index start = substitute(w.position[k], origin, w.out);
    const int v = static_cast<int>(w.out.size() + k);
    std::int64_t step = 0;
    for (const IndexTerm& t : w.position[k].terms)
      if (t.kind == IndexTerm::Kind::variable && t.variable == v) step = t.coefficient;
    Expr place = binary(Op::add, index_value(start), binary(Op::mul, offsets[k], constant_i(step)));
    // Where every element is -inf the first number wins, which may lie in the padding.
    place = binary(Op::maximum, place, first_inside[k]);
    flat = binary(Op::add, binary(Op::mul, flat, constant_i(w.spatial_sizes()[k])), place);
  }
  l.give(l.pointwise("index", w.out, DType::i64, flat), 1);
}

namespace {

struct Fixed {
  Window window;
  Sizes kernel, stride, pad, dilation;
};

std::int64_t pooled_size(std::int64_t n, std::int64_t k, std::int64_t s, std::int64_t p, std::int64_t d, bool ceil) {
  const std::int64_t room = n + 2 * p - d * (k - 1) - 1;
  if (room < 0) return 0;
  std::int64_t out = (room + (ceil ? s - 1 : 0)) / s + 1;
  if (ceil && (out - 1) * s >= n + p) --out;   // the last window must begin inside the input or its left padding
  return out;
}

Fixed fixed_window(const Lowering& l, std::size_t spatial) {
  Fixed f{window_over(l, spatial), {}, {}, {}, {}};
  Window& w = f.window;
  f.kernel = for_each_dimension(l.integers("kernel_size"), spatial, {});
  f.stride = for_each_dimension(l.integers("stride", Sizes{}), spatial, f.kernel);
  f.pad = for_each_dimension(l.integers("padding", Sizes{}), spatial, {0});
  f.dilation = for_each_dimension(l.integers("dilation", Sizes{}), spatial, {1});
  w.extent = f.kernel;
  close(w);
  for (std::size_t k = 0; k < spatial; ++k) {
    const std::int64_t n = w.x.sizes[w.lead + k];
    if (f.kernel[k] < 1 || f.stride[k] < 1 || f.dilation[k] < 1 || f.pad[k] < 0 || f.pad[k] > f.kernel[k] / 2)
      refuse("window, stride, dilation or padding out of range");
    if (pooled_size(n, f.kernel[k], f.stride[k], f.pad[k], f.dilation[k], l.flag("ceil_mode", false)) != w.out[w.lead + k])
      refuse("the result's sizes do not fit the pooling");
    const Index o = point(w.out)[w.lead + k];
    const Index r = f.kernel[k] == 1 ? constant(0) : variable(static_cast<int>(w.out.size() + k));
    w.position.push_back(add(add(scale(o, f.stride[k]), scale(r, f.dilation[k])), constant(-f.pad[k])));
  }
  return f;
}

template <std::size_t spatial>
void max_pool(Lowering& l) {
  const Fixed f = fixed_window(l, spatial);
  const Window& w = f.window;
  std::vector<Expr> first_inside;
  for (std::size_t k = 0; k < spatial; ++k) {
    const Index start = add(scale(point(w.out)[w.lead + k], f.stride[k]), constant(-f.pad[k]));
    // The smallest start + j * dilation that is not negative: start itself, or its remainder.
    const Expr inside = index_value(mod(start, f.dilation[k], w.out));
    first_inside.push_back(binary(Op::maximum, index_value(start), inside));
  }
  give_maximum(l, w, first_inside);
}

// How many elements the divisor counts along dimension k, over the output's dimensions.
Expr counted(const Fixed& f, std::size_t k, bool include_pad) {
  const Window& w = f.window;
  const std::int64_t n = w.x.sizes[w.lead + k];
  const Index start = add(scale(point(w.out)[w.lead + k], f.stride[k]), constant(-f.pad[k]));
  const Range r = range(start, w.out);
  const std::int64_t limit = include_pad ? n + f.pad[k] : n;
  const bool cut_after = r.high + f.kernel[k] > limit, cut_before = !include_pad && r.low < 0;
  if (!cut_after && !cut_before) return constant_i(f.kernel[k]);
  Expr end = index_value(add(start, constant(f.kernel[k])));
  if (cut_after) end = binary(Op::minimum, end, constant_i(limit));
  Expr begin = index_value(start);
  if (cut_before) begin = binary(Op::maximum, begin, constant_i(0));
  return binary(Op::sub, end, begin);
}

template <std::size_t spatial>
void avg_pool(Lowering& l) {
  const Fixed f = fixed_window(l, spatial);
  const Window& w = f.window;
  Expr divisor = constant_i(1);
  if (l.given("divisor_override")) {
    divisor = constant_i(l.integer("divisor_override"));
  } else {
    for (std::size_t k = 0; k < spatial; ++k)
      divisor = binary(Op::mul, divisor, counted(f, k, l.flag("count_include_pad", true)));
  }
  const Operand sum = l.reduce("sum", w.out, w.extent, Combiner::sum, w.inner, {w.element(l, zero_of(w.inner))});
  l.give(l.pointwise("", w.out, w.x.dtype, binary(Op::div, l.read(sum, w.out), cast(divisor, w.inner))));
}

constexpr Row rows[] = {
    {"aten.max_pool1d.default", max_pool<1>},
    {"aten.max_pool2d.default", max_pool<2>},
    {"aten.max_pool3d.default", max_pool<3>},
    {"aten.max_pool1d_with_indices.default", max_pool<1>},
    {"aten.max_pool2d_with_indices.default", max_pool<2>},
    {"aten.max_pool3d_with_indices.default", max_pool<3>},
    {"aten.avg_pool1d.default", avg_pool<1>},
    {"aten.avg_pool2d.default", avg_pool<2>},
    {"aten.avg_pool3d.default", avg_pool<3>},
};

}  // namespace

std::span<const Row> pooling_rows() { return rows; }

}  // namespace kw::kernel::table
