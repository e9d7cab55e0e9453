#pragma once
// Applies the rewrites that a recipe chooses: first those of the operators (definition/rewrites.h), then those that only
// change how a reduction is carried out. Each site is a decision, rewrite.<site>=on|off.

#include "core/kernel/definition/rewrites.h"
#include "core/kernel/recipe/decisions.h"
#include "core/kernel/recipe/row_room.h"

namespace kw::kernel::lowering {

const std::vector<Rewrite>& schedule_rewrites();

Program rewrite(Program program, Decisions& decisions, const Limits& limits, const RowRoom& room);

}  // namespace kw::kernel::lowering
