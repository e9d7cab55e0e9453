#pragma once
// What a block of a GPU holds in shared memory: its tiles, and the states that its threads unite. Pure.

#include <vector>

#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel {

struct SharedMemory {
  std::vector<std::int64_t> tile_at;       // bytes from the first tile, of each buffer that is one
  std::int64_t tile_bytes = 0;
  std::int64_t row_union_bytes = 0;        // the unions over rows of threads take turns in one piece
  std::int64_t warp_union_bytes = 0;       // each union over the innermost threads has a piece of its own
  bool dynamic() const { return tile_bytes + row_union_bytes + warp_union_bytes > static_shared_bytes; }   // the tiles are
};
SharedMemory shared_memory(const LoopNest& nest);

}  // namespace kw::kernel
