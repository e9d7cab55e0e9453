#pragma once
// Layer 2, first question of every edge: is a pointwise definition computed where it is read, or kept?

#include "core/kernel/recipe/decisions.h"
#include "core/kernel/recipe/row_room.h"

namespace kw::kernel::lowering {

// Substitutes every definition whose edge says `inline` into its readers; what is kept stays a definition. Only pointwise
// definitions are inlined, by themselves where that is cheaper or there is no room for them. Settles edge.<definition> for those
// it inlines; the others are settled with their storage.
Program inline_edges(Program program, Decisions& decisions, const RowRoom& room);

bool may_inline(const Program& program, int definition);

}  // namespace kw::kernel::lowering
