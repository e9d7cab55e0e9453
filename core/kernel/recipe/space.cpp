#include "core/kernel/recipe/space.h"

#include <algorithm>
#include <map>

#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {

Extents extents(const KernelSpace& kernel) {
  Extents all;
  for (const KernelAxis& axis : kernel.axes) all.push_back(axis.extent + (axis.rest > 0 ? 1 : 0));
  return all;
}

bool is_tile(const KernelSpace& kernel, int buffer) {
  return buffer >= 0 && kernel.buffers[static_cast<std::size_t>(buffer)].space == Space::tile;
}

bool adds_up(const Stage& stage) {
  return std::any_of(stage.items.begin(), stage.items.end(), [](const Item& item) {
    const bool adds = item.combiner == Combiner::sum || item.combiner == Combiner::moments || item.combiner == Combiner::max_sum_exp;
    return adds && graph::is_floating(item.body[0]->type);
  });
}

std::int64_t reduced_points(const KernelSpace& kernel, const Stage& stage) {
  std::int64_t total = 1;
  for (const int a : stage.reduce) total *= kernel.axes[static_cast<std::size_t>(a)].extent;
  return total;
}

std::int64_t steps_of_one(const KernelSpace& kernel, const Stage& stage, int axis) {
  const std::int64_t at_once = axis == stage.vector_axis ? std::int64_t{stage.lanes} * stage.copies * std::max(kernel.threads, 1)
                               : axis == stage.row_axis  ? kernel.height
                                                         : 1;
  return std::max<std::int64_t>(1, kernel.axes[static_cast<std::size_t>(axis)].extent / at_once);
}

bool written(const KernelSpace& kernel, int buffer) {
  const std::vector<Access> all = accesses(kernel);
  return std::any_of(all.begin(), all.end(), [&](const Access& access) { return access.store && access.buffer == buffer; });
}

std::int64_t tile_bytes(const KernelSpace& kernel) {
  std::int64_t total = 0;
  for (const NestBuffer& buffer : kernel.buffers)
    if (buffer.space == Space::tile) total += buffer.elements * graph::byte_size(buffer.type);
  return total;
}

void change_indices(KernelSpace& kernel, const IndexChange& change) {
  Rewriter rewritten([&](const Expr& node) {
    if (node->maps.empty()) return node;
    std::vector<Index> maps;
    for (const Index& map : node->maps) maps.push_back(change(map, node->op == Op::read && is_tile(kernel, node->source)));
    return with_maps(node, std::move(maps));
  });
  for (Stage& stage : kernel.stages)
    for (Item& item : stage.items) {
      for (Expr& body : item.body) body = rewritten(body);
      for (ItemStore& store : item.stores) store.offset = change(store.offset, is_tile(kernel, store.buffer));
      item.linear = change(item.linear, false);
    }
}

std::vector<Access> accesses(const Stage& stage) {
  std::vector<Access> all;
  for (const Item& item : stage.items) {
    for (const Expr& body : item.body)
      visit(body, [&](const Expression& node) {
        for (const Index& map : node.maps) all.push_back({&map, node.op == Op::read ? node.source : -1, false});
      });
    for (const ItemStore& store : item.stores) all.push_back({&store.offset, store.buffer, true});
    if (item.combiner != Combiner::none) all.push_back({&item.linear, -1, false});
  }
  return all;
}

std::vector<Access> accesses(const KernelSpace& kernel) {
  std::vector<Access> all;
  for (const Stage& stage : kernel.stages) {
    const std::vector<Access> some = accesses(stage);
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

int block_axis(KernelSpace& kernel, int v, std::int64_t block) {
  const auto at = static_cast<std::size_t>(v);
  const int inner = static_cast<int>(kernel.axes.size());
  kernel.axes.push_back({kernel.axes[at].name, block});
  KernelAxis& blocks = kernel.axes[at];
  blocks.name += "_block";
  blocks.rest = blocks.extent % block;
  blocks.extent /= block;
  blocks.inner = inner;
  std::vector<Index> moved;
  for (int a = 0; a <= inner; ++a) moved.push_back(variable(a));
  moved[at] = add(scale(variable(v), block), variable(inner));
  const Extents sizes = extents(kernel);
  change_indices(kernel, [&](const Index& map, bool) { return substitute(map, moved, sizes); });
  return inner;
}

int pull_inside(KernelSpace& kernel, int v, std::int64_t block) {
  const std::int64_t extent = kernel.axes[static_cast<std::size_t>(v)].extent;
  const bool whole = block <= 0 || block >= extent;
  if (whole) std::erase(kernel.outer, v);
  const int inner = whole ? v : block_axis(kernel, v, block);
  const std::int64_t width = whole ? extent : block;
  change_indices(kernel, [&](const Index& map, bool tile) { return tile ? add(scale(map, width), variable(inner)) : map; });
  for (NestBuffer& buffer : kernel.buffers)
    if (buffer.space == Space::tile) buffer.elements *= width;
  for (Stage& stage : kernel.stages) stage.space.push_back(inner);
  return inner;
}

// On a GPU the axes that threads share stay whole, and so does everything of a row that a thread keeps.
static bool may_block(const KernelSpace& kernel, const Stage& stage, int axis) {
  if (kernel.threads == 0) return true;
  const std::vector<Access> all = accesses(stage);
  const bool keeps = std::any_of(all.begin(), all.end(), [&](const Access& access) {
    return access.buffer >= 0 && kernel.buffers[static_cast<std::size_t>(access.buffer)].space == Space::own;
  });
  return axis != stage.vector_axis && axis != stage.row_axis && !keeps;
}

void shorten_chains(KernelSpace& kernel, Stage& stage) {
  if (!adds_up(stage)) return;
  const bool across = std::find(stage.reduce.begin(), stage.reduce.end(), stage.vector_axis) != stage.reduce.end();
  if (!across && reduced_points(kernel, stage) <= most_unrolled) return;
  std::int64_t chain = 1;
  for (std::size_t k = stage.reduce.size(); k-- > 0;) {
    const int a = stage.reduce[k];
    const std::int64_t below = chain < shortest_block ? chain : 1;      // else each step of this axis has accumulators of its own
    const std::int64_t steps = steps_of_one(kernel, stage, a);
    chain = below * steps;
    if (chain < 2 * longest_chain || !may_block(kernel, stage, a)) continue;
    const std::int64_t at_once = a == stage.vector_axis ? std::int64_t{stage.lanes} * stage.copies : 1;
    const int inner = block_axis(kernel, a, longest_chain / below * at_once);
    stage.reduce.insert(stage.reduce.begin() + static_cast<std::ptrdiff_t>(k) + 1, inner);
    if (a == stage.vector_axis) stage.vector_axis = inner;
    return;
  }
}

void scalars_to_registers(KernelSpace& kernel) {
  std::map<int, std::pair<int, int>> value_of;       // buffer -> tensor, component
  for (Stage& stage : kernel.stages)
    for (Item& item : stage.items)
      std::erase_if(item.stores, [&](const ItemStore& store) {
        NestBuffer& buffer = kernel.buffers[static_cast<std::size_t>(store.buffer)];
        if (buffer.space != Space::tile || buffer.elements != 1) return false;
        value_of[store.buffer] = {item.tensor, store.component};
        return true;
      });
  for (const auto& [buffer, value] : value_of) kernel.buffers[static_cast<std::size_t>(buffer)].elements = 0;
  Rewriter direct([&](const Expr& node) {
    const auto found = node->op == Op::read ? value_of.find(node->source) : value_of.end();
    return found == value_of.end() ? node : register_read(found->second.first, node->type, found->second.second);
  });
  for (Stage& stage : kernel.stages)
    for (Item& item : stage.items)
      for (Expr& body : item.body) body = direct(body);
}

}  // namespace kw::kernel::lowering
