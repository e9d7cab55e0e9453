#include "core/kernel/emit/shared_memory.h"

#include <algorithm>

#include "core/kernel/loopnest/scope.h"

namespace kw::kernel {
namespace {

constexpr std::int64_t alignment = 16, warp = 32, state_bytes = 8;

std::int64_t aligned(std::int64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

std::int64_t bytes_of(const Register& r) {
  const std::int64_t mask_lane = r.lanes > 1 ? 4 : 1;
  return r.lanes * (r.type == DType::boolean ? mask_lane : graph::byte_size(r.type));
}

// Threads of the loops inside the one over `variable`, and of that one.
std::int64_t threads_from(const GridShape& shape, int variable) {
  std::int64_t threads = 1;
  for (std::size_t k = shape.threads.size(); k-- > 0;) {
    threads *= trip_count(*shape.threads[k]);
    if (shape.threads[k]->variable == variable) break;
  }
  return threads;
}

void add_unions(const Block& block, const LoopNest& nest, const GridShape& shape, SharedMemory& memory) {
  for (const Statement& s : block) {
    add_unions(s.body, nest, shape, memory);
    if (s.kind != StatementKind::combine) continue;
    const std::int64_t threads = threads_from(shape, s.variable);
    if (s.variable == shape.threads.back()->variable) {
      if (threads > warp) memory.warp_union_bytes += static_cast<std::int64_t>(s.parts.size()) * threads / warp * state_bytes;
      continue;
    }
    std::int64_t bytes = 0;                          // half of the threads leave their states for the others
    for (const int part : s.parts) bytes += aligned(threads / 2 * bytes_of(nest.registers[static_cast<std::size_t>(part)]));
    memory.row_union_bytes = std::max(memory.row_union_bytes, bytes);
  }
}

}  // namespace

SharedMemory shared_memory(const LoopNest& nest) {
  SharedMemory memory;
  for (const NestBuffer& buffer : nest.buffers) {
    memory.tile_at.push_back(memory.tile_bytes);
    if (buffer.space == Space::tile) memory.tile_bytes += aligned(buffer.elements * graph::byte_size(buffer.type));
  }
  add_unions(nest.body, nest, grid_shape(nest), memory);
  return memory;
}

}  // namespace kw::kernel
