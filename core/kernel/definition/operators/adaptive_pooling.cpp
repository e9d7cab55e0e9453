// Adaptive pooling: window o covers [floor(o*n/m), ceil((o+1)*n/m)) of n elements for m results. Where m divides n that is
// a fixed window; elsewhere the reduction runs over the largest window under a guard.
#include <algorithm>

#include "core/kernel/definition/operators/table.h"
#include "core/kernel/definition/operators/window.h"

namespace kw::kernel::table {
namespace {

struct Adaptive {
  Window window;
  std::vector<Index> start, length;   // over the output's dimensions
};

Adaptive adaptive_window(const Lowering& l, std::size_t spatial) {
  Adaptive a{window_over(l, spatial), {}, {}};
  Window& w = a.window;
  std::vector<Index> reach;
  for (std::size_t k = 0; k < spatial; ++k) {
    const std::int64_t n = w.x.sizes[w.lead + k], m = w.out[w.lead + k];
    const Index o = point(w.out)[w.lead + k];
    a.start.push_back(floor_div(scale(o, n), m, w.out));
    const Index end = floor_div(add(scale(add(o, constant(1)), n), constant(m - 1)), m, w.out);
    a.length.push_back(add(end, scale(a.start[k], -1)));
    std::int64_t longest = 1;
    for (std::int64_t i = 0; i < m; ++i) longest = std::max(longest, ((i + 1) * n + m - 1) / m - i * n / m);
    w.extent.push_back(longest);
  }
  close(w);
  for (std::size_t k = 0; k < spatial; ++k) {
    const Index r = w.extent[k] == 1 ? constant(0) : variable(static_cast<int>(w.out.size() + k));
    w.position.push_back(add(a.start[k], r));
    // r < length, written as 0 <= length - 1 - r
    w.guards.push_back(add(add(a.length[k], constant(-1)), scale(r, -1)));
    w.guard_limits.push_back(w.extent[k]);
  }
  return a;
}

template <std::size_t spatial>
void adaptive_avg(Lowering& l) {
  const Adaptive a = adaptive_window(l, spatial);
  const Window& w = a.window;
  Expr divisor = constant_i(1);
  for (const Index& length : a.length) divisor = binary(Op::mul, divisor, index_value(length));
  const Operand sum = l.reduce("sum", w.out, w.extent, Combiner::sum, w.inner, {w.element(l, zero_of(w.inner))});
  l.give(l.pointwise("", w.out, w.x.dtype, binary(Op::div, l.read(sum, w.out), cast(divisor, w.inner))));
}

template <std::size_t spatial>
void adaptive_max(Lowering& l) {
  const Adaptive a = adaptive_window(l, spatial);
  std::vector<Expr> first_inside;
  for (const Index& start : a.start) first_inside.push_back(index_value(start));
  give_maximum(l, a.window, first_inside);
}

constexpr Row rows[] = {
    {"aten.adaptive_avg_pool1d.default", adaptive_avg<1>},
    {"aten.adaptive_avg_pool2d.default", adaptive_avg<2>},
    {"aten.adaptive_avg_pool3d.default", adaptive_avg<3>},
    {"aten._adaptive_avg_pool2d.default", adaptive_avg<2>},
    {"aten._adaptive_avg_pool3d.default", adaptive_avg<3>},
    {"aten.adaptive_max_pool1d.default", adaptive_max<1>},
    {"aten.adaptive_max_pool2d.default", adaptive_max<2>},
    {"aten.adaptive_max_pool3d.default", adaptive_max<3>},
};

}  // namespace

std::span<const Row> adaptive_pooling_rows() { return rows; }

}  // namespace kw::kernel::table
