#pragma once
// Where a block of a GPU keeps what it reads again: in a thread's registers what only that thread reads, else in shared memory.

#include <set>

#include "core/kernel/recipe/recipe.h"
#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

constexpr int warp = 32, most_threads = 1024;        // of a GPU's block

// Elements that a thread of a block with so many threads keeps in registers beside those that it computes with.
std::int64_t most_own(int threads);
// Elements of an axis of this length, shared by the kernel's threads, that one thread holds.
std::int64_t own_elements(const KernelSpace& kernel, std::int64_t length);
// What the tiles ask for, were they placed now. `in_shared` lie in shared memory though a thread could keep them.
struct Kept { std::int64_t own = 0, shared_bytes = 0; };
Kept kept(const KernelSpace& kernel, const std::set<int>& in_shared);
// Bytes that shared memory has for tiles, beside what the threads unite their reductions in.
std::int64_t tile_room(const KernelSpace& kernel, const Limits& limits);
// No row of a block needs another one's values, or a barrier.
bool rows_are_apart(const KernelSpace& kernel, const std::set<int>& in_shared);

// Tiles that fit become registers. unsupported: shared memory has no room for the others.
base::Status place_tiles(KernelSpace& kernel, const Limits& limits, const std::set<int>& in_shared);

}  // namespace kw::kernel::lowering
