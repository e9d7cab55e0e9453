#include "core/kernel/recipe/row_cache.h"

#include <algorithm>

#include "core/kernel/recipe/block_memory.h"
#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {
namespace {

constexpr int first_cached = 1 << 20;                // numbers of values that are no tensor of the program

struct RowRead {
  int buffer = -1;
  Index offset;                                      // with the vector axis of no stage in particular
  DType type = DType::f32;
  std::int64_t length = 0;
  std::vector<std::size_t> stages;
};

std::int64_t length_of(const KernelSpace& kernel, const Stage& stage) { return kernel.axes[static_cast<std::size_t>(stage.vector_axis)].extent; }

// The offset with a stand-in for the stage's vector axis: equal for reads of the same row.
Index anonymous(const KernelSpace& kernel, const Stage& stage, const Index& offset) {
  std::vector<Index> values;
  const int stand_in = static_cast<int>(kernel.axes.size());
  for (int a = 0; a < stand_in; ++a) values.push_back(variable(a == stage.vector_axis ? stand_in : a));
  Extents sizes = extents(kernel);
  sizes.push_back(length_of(kernel, stage));
  return substitute(offset, values, sizes);
}

bool reads_row(const KernelSpace& kernel, const Stage& stage, const Expression& read, const RowRead& row) {
  return read.op == Op::read && read.source == row.buffer && depends_on(read.maps[0], stage.vector_axis) &&
         anonymous(kernel, stage, read.maps[0]) == row.offset;
}

void note_row(const KernelSpace& kernel, std::size_t s, const Expression& read, std::vector<RowRead>& found) {
  const Stage& stage = kernel.stages[s];
  if (is_tile(kernel, read.source) || written(kernel, read.source) || !depends_on(read.maps[0], stage.vector_axis)) return;
  for (RowRead& row : found)
    if (row.length == length_of(kernel, stage) && reads_row(kernel, stage, read, row)) {
      if (row.stages.back() != s) row.stages.push_back(s);
      return;
    }
  found.push_back({read.source, anonymous(kernel, stage, read.maps[0]), read.type, length_of(kernel, stage), {s}});
}

// Of stages that have their vector axis and no other: there each thread comes by its elements once.
std::vector<RowRead> rows_read_again(const KernelSpace& kernel) {
  std::vector<RowRead> found;
  for (std::size_t s = 0; s < kernel.stages.size(); ++s) {
    const Stage& stage = kernel.stages[s];
    if (stage.vector_axis < 0 || stage.space.size() + stage.reduce.size() != 1) continue;
    for (const Item& item : stage.items)
      for (const Expr& body : item.body)
        for (const Expression* read : distinct_reads(body)) note_row(kernel, s, *read, found);
  }
  std::erase_if(found, [](const RowRead& row) { return row.stages.size() < 2; });
  return found;
}

// The row's first reader keeps it.
Item keeper(const KernelSpace& kernel, const Stage& stage, const RowRead& row, int tile) {
  Item item;
  item.name = kernel.buffers[static_cast<std::size_t>(tile)].name;
  item.tensor = first_cached + tile;
  item.stores = {{tile, 0, variable(stage.vector_axis)}};
  for (const Item& reader : stage.items)
    for (const Expr& body : reader.body)
      for (const Expression* read : distinct_reads(body))
        if (reads_row(kernel, stage, *read, row)) item.body = {element(row.buffer, read->maps[0], row.type)};
  return item;
}

int cache(KernelSpace& kernel, const RowRead& row) {
  const int tile = static_cast<int>(kernel.buffers.size());
  const std::string name = kernel.buffers[static_cast<std::size_t>(row.buffer)].name + "_row";
  kernel.buffers.push_back({name, row.type, row.length, Space::tile, -1});
  for (const std::size_t s : row.stages) {
    Stage& stage = kernel.stages[s];
    if (s == row.stages.front()) {
      stage.items.insert(stage.items.begin(), keeper(kernel, stage, row, tile));
      continue;
    }
    Rewriter cached([&](const Expr& node) { return reads_row(kernel, stage, *node, row) ? element(tile, variable(stage.vector_axis), node->type) : node; });
    for (Item& item : stage.items)
      for (Expr& body : item.body) body = cached(body);
  }
  return tile;
}

}  // namespace

std::set<int> cache_rows(KernelSpace& kernel, Decisions& decisions, const Limits& limits) {
  const std::vector<RowRead> rows = rows_read_again(kernel);
  if (rows.empty()) return {};
  Kept all = kept(kernel, {});
  for (const RowRead& row : rows) {
    all.own += own_elements(kernel, row.length);
    all.shared_bytes += row.length * graph::byte_size(row.type);
  }
  std::vector<std::string> options;
  if (all.own <= most_own(kernel.threads)) options.push_back("registers");
  if (all.shared_bytes <= tile_room(kernel, limits)) options.push_back("shared");
  if (options.empty()) return {};
  const std::string usual = options[0];
  options.push_back("nothing");
  const std::string where = decisions.settle("cache." + kernel.name, usual, options);
  std::set<int> in_shared;
  for (const RowRead& row : rows) {
    if (where == "nothing") break;
    const int tile = cache(kernel, row);
    if (where == "shared") in_shared.insert(tile);
  }
  return in_shared;
}

}  // namespace kw::kernel::lowering
