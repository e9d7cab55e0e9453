#include "core/kernel/recipe/row_room.h"

#include <algorithm>

#include "core/kernel/recipe/block_memory.h"
#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t value_bytes = 4;              // of most values while they compute
constexpr std::int64_t columns_bytes = 48 << 10;     // for a tile of columns: several blocks share a multiprocessor

// Distance in memory of one step of variable v.
std::int64_t stride(const Program& program, const Expression& read, int v) {
  const std::vector<std::int64_t>& strides = program.tensors[static_cast<std::size_t>(read.source)].type.strides;
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < read.maps.size(); ++k) sum += coefficient(read.maps[k], v) * strides[k];
  return sum;
}

// The read of the largest tensor, if there is one.
const Expression* main_read(const Program& program, const Definition& d) {
  const auto elements = [&](const Expression* read) { return program.tensors[static_cast<std::size_t>(read->source)].type.elements(); };
  const Expression* largest = nullptr;
  for (const Expression* read : distinct_reads(d.body[0]))
    if (largest == nullptr || elements(read) > elements(largest)) largest = read;
  return largest;
}

}  // namespace

RowRoom row_room(const Limits& limits) {
  if (limits.target != "cuda") return {INT64_MAX, INT64_MAX};
  const std::int64_t in_registers = most_threads * most_own(most_threads), in_shared = limits.shared_bytes / value_bytes;
  return {std::max(in_registers, in_shared), std::min(limits.shared_bytes, columns_bytes) / value_bytes / warp};
}

bool reduces_columns(const Program& program, const Definition& reduction) {
  const Expression* read = main_read(program, reduction);
  if (read == nullptr) return false;
  const std::vector<std::int64_t> sizes = extents(reduction);
  bool columns = false;
  for (int v = 0; v < static_cast<int>(sizes.size()); ++v) {
    if (sizes[static_cast<std::size_t>(v)] == 1 || stride(program, *read, v) != 1) continue;
    if (v >= static_cast<int>(reduction.domain.size())) return false;
    columns = true;
  }
  return columns;
}

bool keeps_row(const Program& program, const Definition& reduction, const RowRoom& room) {
  return product(reduction.reduce) <= (reduces_columns(program, reduction) ? room.columns : room.rows);
}

bool kept_for_readers(const Program& program, const Definition& read, const RowRoom& room) {
  return std::all_of(program.definitions.begin(), program.definitions.end(), [&](const Definition& reader) {
    return !is_reduction(reader) || evaluations(reader, read.tensor) == 0 || keeps_row(program, reader, room);
  });
}

}  // namespace kw::kernel::lowering
