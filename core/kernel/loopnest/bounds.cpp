#include "core/kernel/loopnest/bounds.h"

#include <algorithm>
#include <functional>

namespace kw::kernel {
namespace {

using Kind = IndexTerm::Kind;

std::optional<Op> mirrored(Op op) {
  switch (op) {
    case Op::lt: return Op::gt;
    case Op::le: return Op::ge;
    case Op::gt: return Op::lt;
    case Op::ge: return Op::le;
    case Op::eq: return Op::eq;
    default: return std::nullopt;
  }
}

Op negated(Op op) {
  switch (op) {
    case Op::lt: return Op::ge;
    case Op::le: return Op::gt;
    case Op::gt: return Op::le;
    default: return Op::lt;
  }
}

void compare_with(const Index& map, Op op, std::int64_t value, Constraints& out) {
  Constraint c{map};
  if (op == Op::lt) c.high = value - 1;
  if (op == Op::le || op == Op::eq) c.high = value;
  if (op == Op::gt) c.low = value + 1;
  if (op == Op::ge || op == Op::eq) c.low = value;
  out.push_back(std::move(c));
}

void add_comparison(const Expression& e, bool holds, Constraints& out) {
  const Expression &a = *e.operands[0], &b = *e.operands[1];
  std::optional<Op> op = e.op;
  const bool straight = a.op == Op::index && b.op == Op::constant;
  if (!straight) op = a.op == Op::constant && b.op == Op::index ? mirrored(e.op) : std::nullopt;
  if (!op || *op == Op::ne || (*op == Op::eq && !holds)) return;
  const Expression &index = straight ? a : b, &literal = straight ? b : a;
  compare_with(index.maps[0], holds ? *op : negated(*op), literal.integer, out);
}

// Outside [0, limit): which side is known where the map cannot reach the other.
void add_outside(const Expression& e, const Scope& scope, Constraints& out) {
  if (e.maps.size() != 1) return;
  const Range r = interval(e.maps[0], scope);
  if (r.low >= 0) out.push_back({e.maps[0], e.limits[0], INT64_MAX});
  else if (r.high < e.limits[0]) out.push_back({e.maps[0], INT64_MIN, -1});
}

// A constraint on a lone variable narrows its range.
void narrow(Scope& scope, const Constraint& c) {
  if (c.map.terms.size() != 1 || c.map.terms[0].kind != Kind::variable) return;
  const std::int64_t coefficient = c.map.terms[0].coefficient;
  if (coefficient != 1 && coefficient != -1) return;
  LoopRange& r = scope.ranges[static_cast<std::size_t>(c.map.terms[0].variable)];
  const std::int64_t low = c.low == INT64_MIN ? INT64_MIN : c.low - c.map.constant;
  const std::int64_t high = c.high == INT64_MAX ? INT64_MAX : c.high - c.map.constant;
  if (coefficient == 1) {
    r.begin = std::max(r.begin, low);
    r.last = std::min(r.last, high);
  } else {
    if (high != INT64_MAX) r.begin = std::max(r.begin, -high);
    if (low != INT64_MIN) r.last = std::min(r.last, -low);
  }
}

// Splits off whole multiples of guarded maps: offset = q*map + rest, the interval of each taken on its own.
Range guarded_interval(Index offset, const Scope& scope, const Constraints& constraints) {
  Range total;
  for (const Constraint& c : constraints) {
    for (const IndexTerm& term : c.map.terms) {
      const auto same = [&](const IndexTerm& t) {
        IndexTerm unit = t;
        unit.coefficient = term.coefficient;
        return Index{0, {unit}} == Index{0, {term}};
      };
      const auto found = std::find_if(offset.terms.begin(), offset.terms.end(), same);
      if (found == offset.terms.end() || found->coefficient % term.coefficient != 0) continue;
      const std::int64_t q = found->coefficient / term.coefficient;
      const Index rest = add(offset, scale(c.map, -q));
      if (rest.terms.size() + c.map.terms.size() > offset.terms.size()) continue;
      const Range r = interval(c.map, scope);
      const std::int64_t low = std::max(r.low, c.low), high = std::min(r.high, c.high);
      total.low += q * (q > 0 ? low : high);
      total.high += q * (q > 0 ? high : low);
      offset = rest;
      break;
    }
  }
  const Range r = interval(offset, scope);
  return {total.low + r.low, total.high + r.high};
}

}  // namespace

void add_constraints(const Expression& e, bool holds, const Scope& scope, Constraints& out) {
  if (e.op == Op::logical_not || e.op == Op::bitwise_not) return add_constraints(*e.operands[0], !holds, scope, out);
  if (e.op == (holds ? Op::logical_and : Op::logical_or)) {
    for (const Expr& operand : e.operands) add_constraints(*operand, holds, scope, out);
  } else if (e.op >= Op::eq && e.op <= Op::ge) {
    add_comparison(e, holds, out);
  } else if (e.op == Op::in_bounds && holds) {
    for (std::size_t k = 0; k < e.maps.size(); ++k) out.push_back({e.maps[k], 0, e.limits[k] - 1});
  } else if (e.op == Op::in_bounds) {
    add_outside(e, scope, out);
  }
}

bool satisfied(const Constraints& constraints, const std::vector<std::int64_t>& variables) {
  return std::all_of(constraints.begin(), constraints.end(), [&](const Constraint& c) {
    const std::int64_t value = evaluate(c.map, variables);
    return value >= c.low && value <= c.high;
  });
}

void collect_variables(const Index& map, std::vector<bool>& used) {
  for (const IndexTerm& term : map.terms) {
    if (term.kind == Kind::variable) used[static_cast<std::size_t>(term.variable)] = true;
    else collect_variables(*term.inner, used);
  }
}

std::optional<std::int64_t> escape(const Index& map, std::int64_t limit, const Scope& scope, const Constraints& constraints) {
  Scope narrowed = scope;
  for (const Constraint& c : constraints) narrow(narrowed, c);
  for (const LoopRange& r : narrowed.ranges)
    if (r.open && r.begin > r.last) return std::nullopt;           // never evaluated
  const Range r = guarded_interval(map, narrowed, constraints);
  if (r.low > r.high || (r.low >= 0 && r.high < limit)) return std::nullopt;
  const std::int64_t suspect = r.low < 0 ? r.low : r.high;

  std::vector<bool> used(scope.ranges.size());
  collect_variables(map, used);
  for (const Constraint& c : constraints) collect_variables(c.map, used);
  std::int64_t count = 1;
  std::vector<int> variables;
  for (std::size_t v = 0; v < used.size(); ++v) {
    if (!used[v]) continue;
    const LoopRange& range = scope.ranges[v];
    const std::int64_t step = static_cast<int>(v) == scope.vector_variable ? 1 : range.step;
    count *= (range.last - range.begin) / step + 1;
    variables.push_back(static_cast<int>(v));
    if (count > enumeration_limit) return suspect;
  }
  std::vector<std::int64_t> values(scope.ranges.size());
  std::optional<std::int64_t> found;
  const std::function<void(std::size_t)> walk = [&](std::size_t k) {
    if (found) return;
    if (k == variables.size()) {
      const std::int64_t at = evaluate(map, values);
      if ((at < 0 || at >= limit) && satisfied(constraints, values)) found = at;
      return;
    }
    const LoopRange& range = scope.ranges[static_cast<std::size_t>(variables[k])];
    const std::int64_t step = variables[k] == scope.vector_variable ? 1 : range.step;
    for (std::int64_t v = range.begin; v <= range.last; v += step) {
      values[static_cast<std::size_t>(variables[k])] = v;
      walk(k + 1);
    }
  };
  walk(0);
  return found;
}

}  // namespace kw::kernel
