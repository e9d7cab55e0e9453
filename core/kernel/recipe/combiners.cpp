#include "core/kernel/recipe/combiners.h"

#include <cmath>
#include <limits>

namespace kw::kernel::lowering {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

Expr literal(double value, DType type) {
  return graph::is_floating(type) ? constant_f(value, type) : constant_i(static_cast<std::int64_t>(value), type);
}

Expr lowest(DType type) {
  if (graph::is_floating(type)) return constant_f(-infinity, type);
  return constant_i(type == DType::boolean ? 0 : type == DType::i32 ? std::numeric_limits<std::int32_t>::min() : std::numeric_limits<std::int64_t>::min(), type);
}
Expr highest(DType type) {
  if (graph::is_floating(type)) return constant_f(infinity, type);
  return constant_i(type == DType::boolean ? 1 : type == DType::i32 ? std::numeric_limits<std::int32_t>::max() : std::numeric_limits<std::int64_t>::max(), type);
}

bool is_arg(Combiner c) { return c == Combiner::argmax || c == Combiner::argmin; }
Expr is_nan(const Expr& e) { return unary(Op::is_nan, e); }
Expr both(const Expr& a, const Expr& b) { return binary(Op::logical_and, a, b); }
Expr either(const Expr& a, const Expr& b) { return binary(Op::logical_or, a, b); }

// b beats a: strictly more extreme, or the first NaN.
Expr beats(Combiner c, const Expr& b, const Expr& a) {
  const Expr stricter = binary(c == Combiner::argmax ? Op::gt : Op::lt, b, a);
  if (!graph::is_floating(a->type)) return stricter;
  return either(stricter, both(is_nan(b), unary(Op::logical_not, is_nan(a))));
}

Expr ties(const Expr& a, const Expr& b) {
  const Expr same = binary(Op::eq, a, b);
  return graph::is_floating(a->type) ? either(same, both(is_nan(a), is_nan(b))) : same;
}

// exp(x - m) where m may be -inf (then x is -inf too, or NaN): 0 instead of exp(NaN).
Expr shifted_exp(const Expr& x, const Expr& m) {
  const Expr safe = select(binary(Op::eq, m, constant_f(-infinity, m->type)), literal(0, m->type), m);
  return unary(Op::exp, binary(Op::sub, x, safe));
}

// Chan, Golub and LeVeque (1983): means and sums of squared deviations of two sets.
State unite_moments(const State& a, const State& b) {
  const DType type = a[0]->type;
  const Expr count = binary(Op::add, a[2], b[2]);
  const Expr delta = binary(Op::sub, b[0], a[0]);
  const Expr share = binary(Op::div, b[2], binary(Op::maximum, count, literal(1, type)));
  const Expr mean = binary(Op::add, a[0], binary(Op::mul, delta, share));
  const Expr cross = binary(Op::mul, binary(Op::mul, delta, delta), binary(Op::mul, a[2], share));
  return {mean, binary(Op::add, binary(Op::add, a[1], b[1]), cross), count};
}

State unite_max_sum_exp(const State& a, const State& b) {
  const Expr m = binary(Op::maximum, a[0], b[0]);
  return {m, binary(Op::add, binary(Op::mul, a[1], shifted_exp(a[0], m)), binary(Op::mul, b[1], shifted_exp(b[0], m)))};
}

Op operation(Combiner c) {
  switch (c) {
    case Combiner::product: return Op::mul;
    case Combiner::max: return Op::maximum;
    case Combiner::min: return Op::minimum;
    case Combiner::any: return Op::logical_or;
    case Combiner::all: return Op::logical_and;
    default: return Op::add;
  }
}

}  // namespace

DType position_type(std::int64_t count) { return count < std::numeric_limits<std::int32_t>::max() ? DType::i32 : DType::i64; }
bool needs_position(Combiner c) { return is_arg(c); }

State identity(Combiner c, DType type, std::int64_t count) {
  switch (c) {
    case Combiner::product: return {literal(1, type)};
    case Combiner::max: return {lowest(type)};
    case Combiner::min: return {highest(type)};
    case Combiner::any: return {constant_i(0, DType::boolean)};
    case Combiner::all: return {constant_i(1, DType::boolean)};
    case Combiner::argmax: return {lowest(type), constant_i(0, position_type(count))};
    case Combiner::argmin: return {highest(type), constant_i(0, position_type(count))};
    case Combiner::moments: return {literal(0, type), literal(0, type), literal(0, type)};
    case Combiner::max_sum_exp: return {lowest(type), literal(0, type)};
    default: return {literal(0, type)};
  }
}

State first(Combiner c, const State& taken, const Expr& position) {
  if (taken.size() > 1) return taken;
  const Expr& value = taken[0];
  if (is_arg(c)) return {value, position};
  if (c == Combiner::any || c == Combiner::all) return {cast(value, DType::boolean)};
  if (c == Combiner::moments) return {value, literal(0, value->type), literal(1, value->type)};
  if (c == Combiner::max_sum_exp) return {value, shifted_exp(value, value)};
  return {value};
}

State step(Combiner c, const State& state, const State& taken, const Expr& position) {
  if (taken.size() > 1) return unite(c, state, taken);
  const Expr& value = taken[0];
  if (is_arg(c)) {
    const Expr take = beats(c, value, state[0]);
    return {select(take, value, state[0]), select(take, position, state[1])};
  }
  if (c == Combiner::max_sum_exp) {
    const Expr m = binary(Op::maximum, state[0], value);
    return {m, binary(Op::add, binary(Op::mul, state[1], shifted_exp(state[0], m)), shifted_exp(value, m))};
  }
  if (c == Combiner::moments) return unite(c, state, first(c, taken, position));
  return {binary(operation(c), state[0], value)};
}

State unite(Combiner c, const State& a, const State& b) {
  if (c == Combiner::moments) return unite_moments(a, b);
  if (c == Combiner::max_sum_exp) return unite_max_sum_exp(a, b);
  if (!is_arg(c)) return {binary(operation(c), a[0], b[0])};
  const Expr earlier = both(ties(a[0], b[0]), binary(Op::lt, b[1], a[1]));
  const Expr take = either(beats(c, b[0], a[0]), earlier);
  return {select(take, b[0], a[0]), select(take, b[1], a[1])};
}

bool neutral(Combiner c, const State& taken) {
  const Expr& value = taken[0];
  if (taken.size() > 1 || value->op != Op::constant) return false;
  if (c == Combiner::sum) return is_constant(value, 0) && !std::signbit(value->number);
  if (c == Combiner::max || c == Combiner::argmax) return is_constant(value, -infinity);
  if (c == Combiner::min || c == Combiner::argmin) return is_constant(value, infinity);
  return c == Combiner::product && is_constant(value, 1);
}

}  // namespace kw::kernel::lowering
