#include "core/kernel/recipe/block_memory.h"

#include <algorithm>

#include "core/kernel/recipe/combiners.h"
#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t registers = 1 << 16, computing = 24, most_indexed = 128;   // of a multiprocessor; of a thread
constexpr std::int64_t warp_union_bytes = 4 << 10;       // for what warps tell each other at the end of reductions
constexpr std::int64_t alignment = 16;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }
std::size_t at(int i) { return static_cast<std::size_t>(i); }

bool holds_values(const KernelSpace& kernel, int buffer) {
  const NestBuffer& b = kernel.buffers[at(buffer)];
  return b.space == Space::tile && b.elements > 1;
}

std::int64_t bytes_of(const NestBuffer& buffer) { return aligned(buffer.elements * graph::byte_size(buffer.type)); }

// The length of the axis along which every access of the tile lies at the point that its thread is at; 0 where one does not.
std::int64_t own_length(const KernelSpace& kernel, int buffer) {
  std::int64_t length = 0;
  for (const Stage& stage : kernel.stages)
    for (const Access& access : accesses(stage)) {
      if (access.buffer != buffer) continue;
      int v = -1;
      if (stage.vector_axis < 0 || !is_variable(*access.offset, &v) || v != stage.vector_axis) return 0;
      const std::int64_t extent = kernel.axes[at(v)].extent;
      if (length != 0 && length != extent) return 0;
      length = extent;
    }
  return length;
}

// Visits every tile with the elements of it that a thread keeps, 0 where it lies in shared memory: the first ones come first.
template <typename See>
void place(const KernelSpace& kernel, const std::set<int>& in_shared, const See& see) {
  std::int64_t left = most_own(kernel.threads * kernel.height);
  for (int b = 0; b < static_cast<int>(kernel.buffers.size()); ++b) {
    if (!holds_values(kernel, b)) continue;
    const std::int64_t length = in_shared.contains(b) ? 0 : own_length(kernel, b);
    const std::int64_t own = length == 0 ? 0 : own_elements(kernel, length);
    const bool fits = own > 0 && own <= left;
    if (fits) left -= own;
    see(b, fits ? own : 0);
  }
}

std::int64_t part_bytes(DType type, int lanes) { return lanes * (type == DType::boolean && lanes > 1 ? 4 : graph::byte_size(type)); }

// Half of the block's threads leave their states for the others to take.
std::int64_t row_union_bytes(const KernelSpace& kernel) {
  std::int64_t most = 0;
  for (const Stage& stage : kernel.stages) {
    if (std::find(stage.reduce.begin(), stage.reduce.end(), stage.row_axis) == stage.reduce.end()) continue;
    for (const Item& item : stage.items) {
      if (item.combiner == Combiner::none) continue;
      std::int64_t bytes = 0;
      for (const Expr& part : identity(item.combiner, item.body[0]->type, INT64_MAX))
        bytes += aligned(part_bytes(part->type, stage.lanes) * kernel.threads * kernel.height / 2);
      most = std::max(most, bytes);
    }
  }
  return most;
}

std::int64_t union_bytes(const KernelSpace& kernel) {
  const bool warps_unite = kernel.threads > warp && std::any_of(kernel.stages.begin(), kernel.stages.end(), [](const Stage& stage) {
    return std::find(stage.reduce.begin(), stage.reduce.end(), stage.vector_axis) != stage.reduce.end();
  });
  return (warps_unite ? warp_union_bytes : 0) + row_union_bytes(kernel);
}

}  // namespace

std::int64_t most_own(int threads) { return std::min(most_indexed, registers / std::max(threads, warp) - computing); }

std::int64_t own_elements(const KernelSpace& kernel, std::int64_t length) {
  std::int64_t lanes = 1;
  for (const Stage& stage : kernel.stages) lanes = std::max<std::int64_t>(lanes, stage.lanes * stage.copies);
  const std::int64_t step = lanes * kernel.threads, single = (lanes - 1 + kernel.threads - 1) / kernel.threads;   // at the end, here or in a rest
  return length / step * lanes + (length % step != 0 ? lanes : 0) + single;
}

Kept kept(const KernelSpace& kernel, const std::set<int>& in_shared) {
  Kept all;
  place(kernel, in_shared, [&](int b, std::int64_t own) {
    all.own += own;
    if (own == 0) all.shared_bytes += bytes_of(kernel.buffers[at(b)]);
  });
  return all;
}

std::int64_t tile_room(const KernelSpace& kernel, const Limits& limits) { return limits.shared_bytes - union_bytes(kernel); }

bool rows_are_apart(const KernelSpace& kernel, const std::set<int>& in_shared) {
  if (kept(kernel, in_shared).shared_bytes > 0) return false;
  // What a row keeps in memory needs barriers, which parts of a block cannot have.
  const std::vector<Access> all = accesses(kernel);
  return std::none_of(all.begin(), all.end(), [&](const Access& access) {
    return !access.store && access.buffer >= 0 && written(kernel, access.buffer) && !is_tile(kernel, access.buffer);
  });
}

base::Status place_tiles(KernelSpace& kernel, const Limits& limits, const std::set<int>& in_shared) {
  const std::int64_t shared = kept(kernel, in_shared).shared_bytes, room = tile_room(kernel, limits);
  std::vector<std::pair<int, std::int64_t>> in_registers;
  place(kernel, in_shared, [&](int b, std::int64_t own) {
    if (own > 0) in_registers.emplace_back(b, own);
  });
  for (const auto& [b, own] : in_registers) {
    kernel.buffers[at(b)].space = Space::own;
    kernel.buffers[at(b)].elements = own;
  }
  const bool rows_share = std::any_of(kernel.outer.begin(), kernel.outer.end(), [&](int a) { return kernel.axes[at(a)].kind == LoopKind::thread; });
  if (shared > 0 && rows_share)
    return base::Error{base::ErrorCode::unsupported, "the rows of a block of " + kernel.name + " would share a tile; use rows." + kernel.name + "=1", "recipe"};
  if (const std::int64_t unions = union_bytes(kernel); unions > static_shared_bytes)
    return base::Error{base::ErrorCode::unsupported, "the threads of " + kernel.name + " unite " + std::to_string(unions) + " bytes at once, a block has " +
                                                         std::to_string(static_shared_bytes) + " for that; use narrower vectors or fewer threads", "recipe"};
  if (shared <= room) return base::done();
  return base::Error{base::ErrorCode::unsupported, "the tiles of " + kernel.name + " need " + std::to_string(shared) + " bytes of shared memory, a block has " +
                                                       std::to_string(room) + "; keep a value in memory", "recipe"};
}

}  // namespace kw::kernel::lowering
