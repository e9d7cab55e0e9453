#include "core/kernel/loopnest/races.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <unordered_map>

namespace kw::kernel {
namespace {

using Kind = IndexTerm::Kind;

// An offset as constant + sum of coefficient * digit, coefficients positive.
struct Digits {
  std::int64_t constant = 0;
  std::map<std::int64_t, Range> inner;                     // free digits; those of one coefficient added up
  std::map<std::int64_t, std::pair<Index, Range>> own;     // of the parallel variable alone: what the digit is
};

void add_digit(Digits& digits, std::int64_t coefficient, Range r) {
  if (coefficient < 0) {
    coefficient = -coefficient;
    r = {-r.high, -r.low};
  }
  Range& sum = digits.inner.try_emplace(coefficient).first->second;
  sum = {sum.low + r.low, sum.high + r.high};
}

// Nothing when a term mixes the parallel variable with others.
std::optional<Digits> digits_of(const Access& access, int parallel) {
  Digits digits{access.map.constant, {}, {}};
  for (const IndexTerm& term : access.map.terms) {
    Index unit{0, {term}};
    unit.terms[0].coefficient = 1;
    if (!depends_on(unit, parallel)) {
      if (term.kind != Kind::variable) {
        add_digit(digits, term.coefficient, interval(unit, access.scope));
        continue;
      }
      const LoopRange& r = access.scope.ranges[static_cast<std::size_t>(term.variable)];
      const std::int64_t step = term.variable == access.scope.vector_variable ? 1 : r.step;
      digits.constant += term.coefficient * r.begin;
      add_digit(digits, term.coefficient * step, {0, (r.last - r.begin) / step});
      continue;
    }
    std::vector<bool> used(access.scope.ranges.size());
    collect_variables(unit, used);
    if (std::count(used.begin(), used.end(), true) > 1) return std::nullopt;
    Range r = interval(unit, access.scope);
    std::int64_t coefficient = term.coefficient;
    if (term.kind == Kind::variable) {                     // begin + step*k
      const LoopRange& loop = access.scope.ranges[static_cast<std::size_t>(parallel)];
      digits.constant += coefficient * loop.begin;
      coefficient *= loop.step;
      r = {0, (loop.last - loop.begin) / loop.step};
    }
    if (coefficient < 0) {
      coefficient = -coefficient;
      r = {-r.high, -r.low};
      unit = scale(unit, -1);
    }
    if (!digits.own.emplace(coefficient, std::pair{unit, r}).second) return std::nullopt;
  }
  return digits;
}

bool same_own(const Digits& a, const Digits& b) {
  return std::equal(a.own.begin(), a.own.end(), b.own.begin(), b.own.end(), [](const auto& x, const auto& y) {
    return x.first == y.first && x.second.first == y.second.first;
  });
}

// What lies below coefficient `top`, the constant included.
Range below(const Digits& d, std::int64_t top) {
  Range r{d.constant, d.constant};
  for (const auto& [coefficient, digit] : d.inner)
    if (coefficient < top) r = {r.low + coefficient * digit.low, r.high + coefficient * digit.high};
  for (const auto& [coefficient, digit] : d.own)
    if (coefficient < top) r = {r.low + coefficient * digit.second.low, r.high + coefficient * digit.second.high};
  return r;
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t d) { return a / d - (a % d < 0 ? 1 : 0); }

// At a free digit a constant may be counted with it in whole multiples of its coefficient.
void align(std::vector<Digits>& all, std::int64_t top) {
  const std::int64_t anchor = below(all.front(), top).low;
  for (Digits& d : all) d.constant -= top * floor_quotient(below(d, top).low - anchor, top);
}

bool separated(const std::vector<Digits>& all, std::int64_t top) {
  Range span{INT64_MAX, INT64_MIN};
  for (const Digits& d : all) {
    const Range r = below(d, top);
    span = {std::min(span.low, r.low), std::max(span.high, r.high)};
  }
  return span.high - span.low < top;
}

// Puts p together again: floor(p/64) and floor(p/8) mod 8 give floor(p/8); that and p mod 8 give p.
bool recombines(const Digits& d, int parallel) {
  std::vector<Index> parts;
  Index whole;
  for (const auto& own : d.own) {
    const Index& part = own.second.first;
    if (part.terms[0].kind == Kind::variable) return true;
    if (part.terms[0].coefficient != 1) return false;
    if (part.terms[0].kind == Kind::floor_div && whole.terms.empty()) whole = part;
    else parts.push_back(part);
  }
  for (bool changed = true; changed && !whole.terms.empty();) {
    changed = false;
    for (auto part = parts.begin(); part != parts.end() && !changed; ++part) {
      const Index joined = add(scale(whole, part->terms[0].divisor), *part);
      if (joined.terms.size() != 1 || joined.terms[0].coefficient != 1) continue;
      whole = joined;
      parts.erase(part);
      changed = true;
    }
  }
  return whole == variable(parallel);
}

// Whether the parallel digits together tell the iterations apart.
bool injective(const Digits& d, const Statement& loop, std::size_t variables) {
  if (recombines(d, loop.variable)) return true;
  if (trip_count(loop) > enumeration_limit / 64) return false;
  std::set<std::vector<std::int64_t>> seen;
  std::vector<std::int64_t> values(variables);
  for (std::int64_t p = loop.begin; p < loop.end; p += loop.step) {
    values[static_cast<std::size_t>(loop.variable)] = p;
    std::vector<std::int64_t> key;
    for (const auto& own : d.own) key.push_back(evaluate(own.second.first, values));
    if (!seen.insert(std::move(key)).second) return false;
  }
  return true;
}

bool shown_by_strides(const std::vector<const Access*>& accesses, const Statement& loop, std::size_t variables) {
  std::vector<Digits> all;
  std::set<std::int64_t> tops;
  for (const Access* access : accesses) {
    std::optional<Digits> digits = digits_of(*access, loop.variable);
    if (!digits || (!all.empty() && !same_own(all.front(), *digits))) return false;
    for (const auto& [coefficient, digit] : digits->inner) tops.insert(coefficient);
    for (const auto& [coefficient, digit] : digits->own) tops.insert(coefficient);
    all.push_back(std::move(*digits));
  }
  if (all.front().own.empty()) return false;
  std::size_t left = all.front().own.size();
  for (auto top = tops.rbegin(); top != tops.rend() && left > 0; ++top) {
    const bool own = all.front().own.contains(*top);
    if (own && std::any_of(all.begin(), all.end(), [&](const Digits& d) { return d.inner.contains(*top); })) return false;
    if (!own) align(all, *top);
    if (!separated(all, *top)) return false;
    if (own) --left;
  }
  return injective(all.front(), loop, variables);
}

// Every access of every iteration, in order.
class Enumeration {
 public:
  Enumeration(const LoopNest& nest, const Statement& loop, const Scope& outside, const std::vector<const Access*>& accesses)
      : nest_(nest), loop_(loop), outside_(outside), accesses_(accesses), shared_(nest.variables.size()) {
    find_shared();
  }

  std::int64_t size() const {
    std::int64_t total = 0;
    for (const Access* access : accesses_) {
      std::int64_t count = 1;
      for (const int v : variables(*access)) {
        count *= steps(*access, v);
        if (count > enumeration_limit) return count;
      }
      total += count;
    }
    return total;
  }

  base::Status run() {
    for (const bool write : {true, false})
      for (const Access* access : accesses_)
        if (access->write == write)
          if (base::Status status = visit(*access); !status) return status;
    return base::done();
  }

 private:
  // Loops around the parallel one that any access depends on: only iterations under the same values of them meet.
  void find_shared() {
    std::vector<bool> used(shared_.size());
    for (const Access* access : accesses_) {
      collect_variables(access->map, used);
      for (const Constraint& c : access->constraints) collect_variables(c.map, used);
    }
    for (std::size_t v = 0; v < used.size(); ++v) shared_[v] = used[v] && outside_.ranges[v].open && !shifts_all(static_cast<int>(v));
  }

  // A variable that moves every access by the same distance: where two of them meet, they meet at any value of it.
  bool shifts_all(int v) const {
    std::optional<std::int64_t> distance;
    for (const Access* access : accesses_) {
      std::int64_t moves = 0;
      for (const IndexTerm& term : access->map.terms) {
        if (term.kind == Kind::variable && term.variable == v) moves += term.coefficient;
        else if (term.kind != Kind::variable && depends_on(*term.inner, v)) return false;
      }
      for (const Constraint& c : access->constraints)
        if (depends_on(c.map, v)) return false;
      if (distance && *distance != moves) return false;
      distance = moves;
    }
    return true;
  }

  // The loops an access depends on; the parallel one and the shared ones always, those that shift all accesses alike never.
  std::vector<int> variables(const Access& access) const {
    std::vector<bool> used(shared_.size());
    collect_variables(access.map, used);
    for (const Constraint& c : access.constraints) collect_variables(c.map, used);
    for (std::size_t v = 0; v < used.size(); ++v) used[v] = shared_[v] || (used[v] && !outside_.ranges[v].open);
    used[static_cast<std::size_t>(loop_.variable)] = true;
    std::vector<int> out;
    for (std::size_t v = 0; v < used.size(); ++v)
      if (used[v]) out.push_back(static_cast<int>(v));
    return out;
  }

  static std::int64_t steps(const Access& access, int v) {
    const LoopRange& r = access.scope.ranges[static_cast<std::size_t>(v)];
    return (r.last - r.begin) / (v == access.scope.vector_variable ? 1 : r.step) + 1;
  }

  base::Status visit(const Access& access) {
    const std::vector<int> order = variables(access);
    std::vector<std::int64_t> values(access.scope.ranges.size());
    for (std::size_t v = 0; v < values.size(); ++v)
      if (outside_.ranges[v].open) values[v] = outside_.ranges[v].begin;
    base::Status status = base::done();
    const std::function<void(std::size_t)> walk = [&](std::size_t k) {
      if (!status) return;
      if (k == order.size()) {
        if (satisfied(access.constraints, values)) status = touch(access, values);
        return;
      }
      const LoopRange& r = access.scope.ranges[static_cast<std::size_t>(order[k])];
      const std::int64_t step = order[k] == access.scope.vector_variable ? 1 : r.step;
      for (std::int64_t v = r.begin; v <= r.last && status; v += step) {
        values[static_cast<std::size_t>(order[k])] = v;
        walk(k + 1);
      }
    };
    walk(0);
    return status;
  }

  base::Status touch(const Access& access, const std::vector<std::int64_t>& values) {
    const std::int64_t at = evaluate(access.map, values), p = values[static_cast<std::size_t>(loop_.variable)];
    std::int64_t key = 0;
    for (std::size_t v = 0; v < shared_.size(); ++v)
      if (shared_[v]) key = key * (outside_.ranges[v].last + 1) + values[v];
    key = key * nest_.buffers[static_cast<std::size_t>(access.buffer)].elements + at;
    const auto found = access.write ? owner_.emplace(key, p).first : owner_.find(key);
    if (found == owner_.end() || found->second == p) return base::done();
    const std::string element = nest_.buffers[static_cast<std::size_t>(access.buffer)].name + "[" + std::to_string(at) + "]";
    const std::string one = std::to_string(p), other = std::to_string(found->second);
    const std::string loop = " of parallel loop " + nest_.variables[static_cast<std::size_t>(loop_.variable)];
    return base::Error{base::ErrorCode::internal,
                       access.write ? "race: iterations " + other + " and " + one + loop + " both write " + element
                                    : "race: iteration " + one + loop + " reads " + element + ", which iteration " + other + " writes",
                       nest_.name};
  }

  const LoopNest& nest_;
  const Statement& loop_;
  const Scope& outside_;
  const std::vector<const Access*>& accesses_;
  std::vector<bool> shared_;
  std::unordered_map<std::int64_t, std::int64_t> owner_;
};

// Two accesses whose guards on the loops outside exclude each other never happen under the same values of them.
bool may_meet(const Access& a, const Access& b, const Scope& outside) {
  for (std::size_t v = 0; v < outside.ranges.size(); ++v)
    if (outside.ranges[v].open && (a.scope.ranges[v].last < b.scope.ranges[v].begin || b.scope.ranges[v].last < a.scope.ranges[v].begin)) return false;
  return true;
}

using Group = std::vector<const Access*>;

// Accesses that may meet, directly or through others, stand in one group.
std::vector<Group> groups_that_meet(const Group& accesses, const Scope& outside) {
  std::vector<Group> groups;
  for (const Access* access : accesses) {
    Group joined = {access};
    std::erase_if(groups, [&](const Group& group) {
      const bool meets = std::any_of(group.begin(), group.end(), [&](const Access* other) { return may_meet(*access, *other, outside); });
      if (meets) joined.insert(joined.end(), group.begin(), group.end());
      return meets;
    });
    groups.push_back(std::move(joined));
  }
  return groups;
}

base::Status check_group(const LoopNest& nest, const Statement& loop, const Scope& outside, const Group& group) {
  if (std::none_of(group.begin(), group.end(), [](const Access* access) { return access->write; })) return base::done();
  if (shown_by_strides(group, loop, nest.variables.size())) return base::done();
  Enumeration enumeration(nest, loop, outside, group);
  if (enumeration.size() <= enumeration_limit) return enumeration.run();
  return base::Error{base::ErrorCode::internal,
                     "race not excluded: the offsets into " + nest.buffers[static_cast<std::size_t>(group.front()->buffer)].name +
                         " do not show which iteration of parallel loop " + nest.variables[static_cast<std::size_t>(loop.variable)] +
                         " they belong to, and there are too many to try; choose another parallel loop", nest.name};
}

}  // namespace

base::Status independent(const LoopNest& nest, const Statement& parallel, const Scope& outside, const std::vector<Access>& accesses) {
  if (trip_count(parallel) < 2) return base::done();
  std::map<int, Group> by_buffer;
  for (const Access& access : accesses) by_buffer[access.buffer].push_back(&access);
  for (const auto& [buffer, of_buffer] : by_buffer)
    for (const Group& group : groups_that_meet(of_buffer, outside))
      if (base::Status status = check_group(nest, parallel, outside, group); !status) return status;
  return base::done();
}

}  // namespace kw::kernel
