#pragma once
// May a kernel keep what a reduction reads, for those who read it again? Asked before anything is scheduled: what does not fit is
// computed again, and reductions that would read it twice become one. Pure.

#include "core/kernel/recipe/recipe.h"

namespace kw::kernel::lowering {

struct RowRoom {
  std::int64_t rows = 0;               // elements of a row that lies densely: a block's threads have it in registers or shared memory
  std::int64_t columns = 0;            // of one whose elements lie apart: a warp's neighbours of it are kept together
};
RowRoom row_room(const Limits& limits);      // no bound on the cpu
inline constexpr RowRoom no_room = {1, 1};

// Memory is dense along an axis of the domain, not along one that is reduced.
bool reduces_columns(const Program& program, const Definition& reduction);
bool keeps_row(const Program& program, const Definition& reduction, const RowRoom& room);
bool kept_for_readers(const Program& program, const Definition& read, const RowRoom& room);

}  // namespace kw::kernel::lowering
