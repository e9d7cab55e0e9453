#pragma once
// What intervals of variables say about an expression: bounds that always or never hold, comparisons that are decided,
// and where along an axis they change (the places to cut a loop, so that its long middle carries no predicate).

#include <set>

#include "core/kernel/definition/definition.h"

namespace kw::kernel::lowering {

using Bounds = std::vector<Range>;           // inclusive interval of each variable

Range interval(const Index& map, const Bounds& bounds);

// The same values wherever the variables stay within bounds; select keeps only the side that is taken.
Expr specialise(const Expr& e, const Bounds& bounds);

// Positions in (low, high] of `axis` where a bound or a comparison of the expression begins or ceases to hold.
// `loose` leaves out those that depend on other axes and keeps only where everything always holds.
std::set<std::int64_t> cuts(const Expr& e, int axis, const Bounds& bounds, bool loose);

// A condition on indices that nothing decided: reads below it must stay guarded.
bool has_guard(const Expr& e);

}  // namespace kw::kernel::lowering
