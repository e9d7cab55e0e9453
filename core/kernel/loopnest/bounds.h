#pragma once
// Proves that an index map stays inside [0, limit) over the open loops, using what the selects around a read guarantee:
// first by intervals, then, where the loops are few enough, by trying every iteration.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernel/loopnest/scope.h"

namespace kw::kernel {

// The map lies in [low, high] wherever the guarded expression is evaluated.
struct Constraint {
  Index map;
  std::int64_t low = INT64_MIN, high = INT64_MAX;
};
using Constraints = std::vector<Constraint>;

// What is known where `condition` came out true (or false): in_bounds, comparisons of an index with a literal, and their
// conjunctions. Anything else adds nothing.
void add_constraints(const Expression& condition, bool holds, const Scope& scope, Constraints& out);

inline constexpr std::int64_t enumeration_limit = std::int64_t{1} << 22;

// An offset outside [0, limit) that could not be excluded, or nothing when the map is proved inside.
std::optional<std::int64_t> escape(const Index& map, std::int64_t limit, const Scope& scope, const Constraints& constraints);

bool satisfied(const Constraints& constraints, const std::vector<std::int64_t>& variables);
void collect_variables(const Index& map, std::vector<bool>& used);       // sets used[v]

}  // namespace kw::kernel
