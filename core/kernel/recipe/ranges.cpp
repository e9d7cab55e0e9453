#include "core/kernel/recipe/ranges.h"

#include <algorithm>
#include <functional>
#include <optional>

#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {
namespace {

using Kind = IndexTerm::Kind;

std::int64_t floor_quotient(std::int64_t a, std::int64_t d) {
  const std::int64_t q = a / d;
  return q * d > a ? q - 1 : q;
}

Range term_interval(const IndexTerm& term, const Bounds& bounds) {
  if (term.kind == Kind::variable) return bounds[static_cast<std::size_t>(term.variable)];
  const Range inner = interval(*term.inner, bounds);
  const std::int64_t low = floor_quotient(inner.low, term.divisor), high = floor_quotient(inner.high, term.divisor);
  if (term.kind == Kind::floor_div) return {low, high};
  if (low == high) return {inner.low - low * term.divisor, inner.high - low * term.divisor};
  return {0, term.divisor - 1};
}

// Integer expressions that are index maps in disguise: index values, literals, sums, products with a literal.
std::optional<Index> as_index(const Expr& e) {
  if (e->op == Op::index) return e->maps[0];
  if (e->op == Op::constant && !graph::is_floating(e->type)) return constant(e->integer);
  if (e->op == Op::cast && graph::is_integral(e->type) && graph::is_integral(e->operands[0]->type)) return as_index(e->operands[0]);
  if (e->operands.size() != 2 || !graph::is_integral(e->type)) return std::nullopt;
  const auto a = as_index(e->operands[0]), b = as_index(e->operands[1]);
  if (!a || !b) return std::nullopt;
  if (e->op == Op::add) return add(*a, *b);
  if (e->op == Op::sub) return add(*a, scale(*b, -1));
  if (e->op == Op::mul && b->terms.empty()) return scale(*a, b->constant);
  if (e->op == Op::mul && a->terms.empty()) return scale(*b, a->constant);
  return std::nullopt;
}

// left - right of a comparison between indices.
std::optional<Index> difference(const Expression& e) {
  if (e.op < Op::eq || e.op > Op::ge) return std::nullopt;
  const auto a = as_index(e.operands[0]), b = as_index(e.operands[1]);
  if (!a || !b) return std::nullopt;
  return add(*a, scale(*b, -1));
}

std::optional<bool> decided(Op op, const Range& d) {
  const bool always_less = d.high < 0, never_less = d.low >= 0, always_more = d.low > 0, never_more = d.high <= 0;
  const bool zero = d.low == 0 && d.high == 0, apart = always_less || always_more;
  const auto either = [](bool yes, bool no) { return yes ? std::optional(true) : no ? std::optional(false) : std::nullopt; };
  switch (op) {
    case Op::lt: return either(always_less, never_less);
    case Op::le: return either(never_more, always_more);
    case Op::gt: return either(always_more, never_more);
    case Op::ge: return either(never_less, always_less);
    case Op::eq: return either(zero, apart);
    default: return either(apart, zero);
  }
}

Expr specialised_bounds(const Expr& e, const Bounds& bounds) {
  std::vector<Index> maps;
  std::vector<std::int64_t> limits;
  for (std::size_t k = 0; k < e->maps.size(); ++k) {
    const Range r = interval(e->maps[k], bounds);
    if (r.low >= 0 && r.high < e->limits[k]) continue;
    if (r.high < 0 || r.low >= e->limits[k]) return constant_i(0, DType::boolean);
    maps.push_back(e->maps[k]);
    limits.push_back(e->limits[k]);
  }
  if (maps.empty()) return constant_i(1, DType::boolean);
  if (maps.size() == e->maps.size()) return e;
  auto copy = std::make_shared<Expression>(*e);
  copy->maps = std::move(maps);
  copy->limits = std::move(limits);
  return copy;
}

Expr specialised_logic(const Expr& e) {
  const auto& [a, b] = std::tie(e->operands[0], e->operands[1]);
  const bool conjunction = e->op == Op::logical_and;
  if (a->op == Op::constant) return (a->integer != 0) == conjunction ? b : a;
  if (b->op == Op::constant) return (b->integer != 0) == conjunction ? a : b;
  return e;
}

Expr simplified(const Expr& e, const Bounds& bounds) {
  if (e->op == Op::in_bounds) return specialised_bounds(e, bounds);
  if (e->op == Op::logical_and || e->op == Op::logical_or) return specialised_logic(e);
  if (e->op == Op::logical_not && e->operands[0]->op == Op::constant) return constant_i(e->operands[0]->integer == 0, DType::boolean);
  if (const auto d = difference(*e))
    if (const auto known = decided(e->op, interval(*d, bounds))) return constant_i(*known, DType::boolean);
  return e;
}

// First x with coefficient * x + rest >= threshold where the coefficient is positive.
std::int64_t first_reaching(std::int64_t coefficient, std::int64_t rest, std::int64_t threshold) {
  return -floor_quotient(rest - threshold, coefficient);
}

// Where does map >= threshold change along the axis? Two places where the other axes blur it.
void add_cuts(const Index& map, std::int64_t threshold, int axis, const Bounds& bounds, bool only_always, bool below,
              std::set<std::int64_t>& into) {
  const std::int64_t c = coefficient(map, axis);
  if (c == 0 || !affine_in(map, axis)) return;
  if (c < 0) return add_cuts(scale(map, -1), 1 - threshold, axis, bounds, only_always, !below, into);
  Bounds others = bounds;
  others[static_cast<std::size_t>(axis)] = {0, 0};
  const Range rest = interval(map, others);
  const std::int64_t certain = first_reaching(c, rest.low, threshold), possible = first_reaching(c, rest.high, threshold);
  if (!only_always || !below) into.insert(certain);     // from here on: always at or above
  if (!only_always || below) into.insert(possible);     // before here: always below
}

// A comparison changes where left - right reaches 0 or 1; only cut where nothing but this axis decides.
void add_comparison_cuts(const Expression& node, int axis, const Bounds& bounds, std::set<std::int64_t>& into) {
  const auto d = difference(node);
  if (!d) return;
  Bounds others = bounds;
  others[static_cast<std::size_t>(axis)] = {0, 0};
  if (const Range rest = interval(*d, others); rest.low != rest.high) return;
  const bool equality = node.op == Op::eq || node.op == Op::ne;
  if (equality || node.op == Op::lt || node.op == Op::ge) add_cuts(*d, 0, axis, bounds, false, false, into);
  if (equality || node.op == Op::le || node.op == Op::gt) add_cuts(*d, 1, axis, bounds, false, false, into);
}

}  // namespace

Range interval(const Index& map, const Bounds& bounds) {
  Range total{map.constant, map.constant};
  for (const IndexTerm& term : map.terms) {
    const Range r = term_interval(term, bounds);
    total.low += term.coefficient * (term.coefficient > 0 ? r.low : r.high);
    total.high += term.coefficient * (term.coefficient > 0 ? r.high : r.low);
  }
  return total;
}

Expr specialise(const Expr& e, const Bounds& bounds) {
  Rewriter simple([&](const Expr& node) { return simplified(node, bounds); });
  return simple(e);
}

std::set<std::int64_t> cuts(const Expr& e, int axis, const Bounds& bounds, bool loose) {
  std::set<std::int64_t> found;
  visit(e, [&](const Expression& node) {
    for (std::size_t k = 0; node.op == Op::in_bounds && k < node.maps.size(); ++k) {
      add_cuts(node.maps[k], 0, axis, bounds, loose, false, found);
      add_cuts(node.maps[k], node.limits[k], axis, bounds, loose, true, found);
    }
    if (!loose) add_comparison_cuts(node, axis, bounds, found);
  });
  const Range r = bounds[static_cast<std::size_t>(axis)];
  std::erase_if(found, [r](std::int64_t x) { return x <= r.low || x > r.high; });
  return found;
}

bool has_guard(const Expr& e) {
  bool guard = false;
  visit(e, [&](const Expression& node) {
    if (node.op != Op::select) return;
    bool bounds = false, reads = false;
    visit(node.operands[0], [&](const Expression& n) { bounds = bounds || n.op == Op::in_bounds; });
    for (std::size_t side : {1u, 2u}) visit(node.operands[side], [&](const Expression& n) { reads = reads || n.op == Op::read; });
    guard = guard || (bounds && reads);
  });
  return guard;
}

}  // namespace kw::kernel::lowering
