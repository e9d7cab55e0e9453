#include "tests/unit/kernel/emit/accuracy.h"

#include <cmath>
#include <limits>

namespace kw::kernel::testing {
namespace {

using L = long double;

template <L (*f)(L)>
L one(L x, L) { return f(x); }

Expr body(const std::vector<Expr>& x, int op) {
  return x.size() == 1 ? unary(static_cast<Op>(op), x[0]) : binary(static_cast<Op>(op), x[0], x[1]);
}

// Distance in units of the last place that T has at the reference.
template <typename T>
double ulp_error(L expected, T got) {
  const T rounded = static_cast<T>(expected);
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got) ? 0 : HUGE_VAL;
  if (std::isinf(rounded) || std::isinf(got)) return rounded == got ? 0 : HUGE_VAL;
  const int least = std::numeric_limits<T>::min_exponent - 1, digits = std::numeric_limits<T>::digits;
  const int exponent = expected == 0 ? least : std::max(std::ilogb(expected), least);
  return static_cast<double>(std::fabs((static_cast<L>(got) - expected) / std::ldexp(L{1}, exponent - digits + 1)));
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> table = {
      {Op::exp, 1, one<std::exp>, 1.1, 1.1}, {Op::exp2, 1, one<std::exp2>, 1.0, 1.2}, {Op::expm1, 1, one<std::expm1>, 1.6, 2.2},
      {Op::log, 1, one<std::log>, 1.0, 1.0}, {Op::log2, 1, one<std::log2>, 1.2, 1.1}, {Op::log10, 1, one<std::log10>, 1.1, 1.1},
      {Op::log1p, 1, one<std::log1p>, 1.6, 1.5}, {Op::sqrt, 1, one<std::sqrt>, 0.5, 0.5},
      {Op::rsqrt, 1, [](L x, L) { return 1 / std::sqrt(x); }, 1.5, 1.5},
      {Op::sin, 1, one<std::sin>, 0.51, 0.9}, {Op::cos, 1, one<std::cos>, 0.51, 0.9}, {Op::tan, 1, one<std::tan>, 0.51, 2.4},
      {Op::tanh, 1, one<std::tanh>, 1.4, 2.8}, {Op::sigmoid, 1, [](L x, L) { return 1 / (1 + std::exp(-x)); }, 2.4, 2.4},
      {Op::erf, 1, one<std::erf>, 1.6, 1.5}, {Op::erfc, 1, one<std::erfc>, 0.51, 4.0},
      {Op::floor, 1, one<std::floor>, 0, 0}, {Op::ceil, 1, one<std::ceil>, 0, 0}, {Op::trunc, 1, one<std::trunc>, 0, 0},
      {Op::round, 1, one<std::nearbyint>, 0, 0},
      {Op::pow, 2, [](L x, L y) { return std::pow(x, y); }, 0.51, 1.3},
      {Op::atan2, 2, [](L y, L x) { return std::atan2(y, x); }, 0.51, 2.5},
      {Op::fmod, 2, [](L x, L y) { return std::fmod(x, y); }, 0, 0}};
  return table;
}

LoopNest nest_of(const Function& function, DType type, std::int64_t elements, int lanes) {
  const std::string symbol = "kw_" + std::string(name(function.op)) + "_" + std::string(graph::name(type)) + "_" + std::to_string(lanes);
  return pointwise(symbol, type, function.arguments, elements, lanes, body, static_cast<int>(function.op));
}

template <typename T>
void add_errors(const Function& function, const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& results, Accuracy& out) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const T second = function.arguments == 2 ? y[i] : T{0};
    const L expected = function.reference(x[i], second);
    const double error = ulp_error<T>(expected, results[i]);
    if (error <= out.worst_ulp) continue;
    out = {error, {static_cast<double>(x[i]), static_cast<double>(second)}, expected, static_cast<double>(results[i])};
  }
}
template void add_errors(const Function&, const std::vector<float>&, const std::vector<float>&, const std::vector<float>&, Accuracy&);
template void add_errors(const Function&, const std::vector<double>&, const std::vector<double>&, const std::vector<double>&, Accuracy&);

}  // namespace kw::kernel::testing
