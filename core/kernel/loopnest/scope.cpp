#include "core/kernel/loopnest/scope.h"

#include <algorithm>
#include <numeric>

namespace kw::kernel {
namespace {

using Kind = IndexTerm::Kind;

std::int64_t floor_quotient(std::int64_t a, std::int64_t d) {
  const std::int64_t q = a / d;
  return q * d > a ? q - 1 : q;
}
std::int64_t floor_remainder(std::int64_t a, std::int64_t d) { return a - d * floor_quotient(a, d); }

Range term_interval(const IndexTerm& term, const Scope& scope) {
  if (term.kind == Kind::variable) {
    const LoopRange& r = scope.ranges[static_cast<std::size_t>(term.variable)];
    return {r.begin, r.last};
  }
  const Range inner = interval(*term.inner, scope);
  const std::int64_t low = floor_quotient(inner.low, term.divisor), high = floor_quotient(inner.high, term.divisor);
  if (term.kind == Kind::floor_div) return {low, high};
  if (low == high) return {inner.low - low * term.divisor, inner.high - low * term.divisor};
  return {0, term.divisor - 1};
}

Congruence combine(Congruence sum, std::int64_t coefficient, Congruence term) {
  const std::int64_t modulus = std::gcd(sum.modulus, coefficient * term.modulus);
  const std::int64_t residue = sum.residue + coefficient * term.residue;
  return {modulus, modulus == 0 ? residue : floor_remainder(residue, modulus)};
}

Congruence term_congruence(const IndexTerm& term, const Scope& scope) {
  if (term.kind == Kind::variable) {
    const LoopRange& r = scope.ranges[static_cast<std::size_t>(term.variable)];
    const bool once = r.begin == r.last || (term.variable == scope.vector_variable && r.last - r.begin + 1 == r.step);
    return once ? Congruence{0, r.begin} : Congruence{r.step, floor_remainder(r.begin, r.step)};
  }
  if (term.kind == Kind::floor_div) return {1, 0};
  const Congruence inner = congruence(*term.inner, scope);
  const std::int64_t modulus = std::gcd(inner.modulus, term.divisor);
  return {modulus, floor_remainder(inner.residue, modulus)};
}

// floor(a / d) and a mod d when lane 0 of a is r + k*g with g | d: the lanes stay inside one period of d.
std::optional<std::int64_t> division_stride(const IndexTerm& term, const Scope& scope) {
  const auto inner = lane_stride(*term.inner, scope);
  if (!inner) return std::nullopt;
  const std::int64_t d = term.divisor;
  if (*inner == 0) return 0;
  if (*inner % d == 0) return term.kind == Kind::floor_div ? *inner / d : 0;
  const Congruence at = congruence(*term.inner, scope);
  const std::int64_t period = at.modulus == 0 ? d : std::gcd(at.modulus, d);
  const std::int64_t first = floor_remainder(at.residue, at.modulus == 0 ? d : period);
  const std::int64_t last = first + *inner * (scope.lanes - 1);
  if (last < 0 || last >= period) return std::nullopt;
  return term.kind == Kind::floor_div ? 0 : *inner;
}

int join(int a, int b) {
  if (a == 0 || b == 0) return 0;
  if (a == 1) return b;
  return b == 1 || a == b ? a : 0;
}

}  // namespace

GridShape grid_shape(const LoopNest& nest) {
  GridShape shape;
  for (const Block* block = &nest.body; block->size() == 1;) {
    const Statement& s = block->front();
    if (s.kind != StatementKind::loop || (s.loop_kind != LoopKind::grid && s.loop_kind != LoopKind::thread)) break;
    (s.loop_kind == LoopKind::grid ? shape.grid : shape.threads).push_back(&s);
    block = &s.body;
  }
  return shape;
}

std::int64_t iterations(const std::vector<const Statement*>& loops) {
  std::int64_t total = 1;
  for (const Statement* loop : loops) total *= trip_count(*loop);
  return total;
}

std::int64_t trip_count(const Statement& loop) {
  return loop.end <= loop.begin ? 0 : (loop.end - loop.begin - 1) / loop.step + 1;
}

void Scope::enter(const Statement& loop) {
  const bool vector = loop.loop_kind == LoopKind::vector;
  const std::int64_t last = vector ? loop.end - 1 : loop.begin + (trip_count(loop) - 1) * loop.step;
  ranges[static_cast<std::size_t>(loop.variable)] = {true, loop.begin, last, loop.step};
  if (!vector) return;
  vector_variable = loop.variable;
  lanes = static_cast<int>(loop.step);
}

LoopRange Scope::narrow(const Statement& only) {
  LoopRange& range = ranges[static_cast<std::size_t>(only.variable)];
  const LoopRange before = range;
  range.begin = std::max(range.begin, only.begin);
  range.last = std::min(range.last, only.end - 1);
  return before;
}

void Scope::leave(const Statement& loop) {
  ranges[static_cast<std::size_t>(loop.variable)] = {};
  if (loop.loop_kind != LoopKind::vector) return;
  vector_variable = -1;
  lanes = 1;
}

Range interval(const Index& map, const Scope& scope) {
  Range total{map.constant, map.constant};
  for (const IndexTerm& term : map.terms) {
    const Range r = term_interval(term, scope);
    total.low += term.coefficient * (term.coefficient > 0 ? r.low : r.high);
    total.high += term.coefficient * (term.coefficient > 0 ? r.high : r.low);
  }
  return total;
}

Congruence congruence(const Index& map, const Scope& scope) {
  Congruence sum{0, map.constant};
  for (const IndexTerm& term : map.terms) sum = combine(sum, term.coefficient, term_congruence(term, scope));
  return sum;
}

std::optional<std::int64_t> lane_stride(const Index& map, const Scope& scope) {
  if (scope.vector_variable < 0) return 0;
  std::int64_t stride = 0;
  for (const IndexTerm& term : map.terms) {
    if (term.kind == Kind::variable) {
      if (term.variable == scope.vector_variable) stride += term.coefficient;
      continue;
    }
    const auto inner = division_stride(term, scope);
    if (!inner) return std::nullopt;
    stride += term.coefficient * *inner;
  }
  return stride;
}

int lanes_of(const Expression& expression, const LoopNest& nest, const Scope& scope) {
  if (expression.op == Op::reg) return nest.registers[static_cast<std::size_t>(expression.source)].lanes;
  if (expression.op == Op::lane) return 1;
  int lanes = 1;
  for (const Index& map : expression.maps)
    if (scope.vector_variable >= 0 && depends_on(map, scope.vector_variable)) lanes = scope.lanes;
  for (const Expr& operand : expression.operands) lanes = join(lanes, lanes_of(*operand, nest, scope));
  return lanes;
}

}  // namespace kw::kernel
