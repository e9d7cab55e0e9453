#pragma once
// How each combiner accumulates: the state it starts from, one step, and the union of two states. A state is a list of
// expressions, one a register; the first components(combiner) of a finished state are the results.

#include "core/kernel/definition/definition.h"

namespace kw::kernel::lowering {

using State = std::vector<Expr>;

// `type` is that of the body. Arg-reductions count positions in i32 where `count` allows, else in i64.
State identity(Combiner combiner, DType type, std::int64_t count);
// What a step takes in is one value, or all parts of a state that was made elsewhere.
State step(Combiner combiner, const State& state, const State& taken, const Expr& position);
State unite(Combiner combiner, const State& a, const State& b);
// The state after a single step: cheaper than one from the identity.
State first(Combiner combiner, const State& taken, const Expr& position);
bool needs_position(Combiner combiner);
DType position_type(std::int64_t count);
// A step that takes in this constant changes nothing.
bool neutral(Combiner combiner, const State& taken);

}  // namespace kw::kernel::lowering
