#include "core/kernel/recipe/traffic.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/ranges.h"

namespace kw::kernel {
namespace {

using Loops = std::vector<const Statement*>;

void walk(const Block& block, Loops& open, const std::function<void(const Statement&, const Loops&)>& see) {
  for (const Statement& s : block) {
    see(s, open);
    if (s.kind == StatementKind::only) {
      Loops narrowed = open;
      for (const Statement*& loop : narrowed)
        if (loop->variable == s.variable) loop = &s;
      walk(s.body, narrowed, see);
    }
    if (s.kind != StatementKind::loop) continue;
    open.push_back(&s);
    walk(s.body, open, see);
    open.pop_back();
  }
}

void walk(const LoopNest& nest, const std::function<void(const Statement&, const Loops&)>& see) {
  Loops open;
  walk(nest.body, open, see);
}

// Distinct elements that one access touches: the product of the extents of the loops that move it, at most its span.
std::int64_t touched(const Index& map, const LoopNest& nest, const Loops& open) {
  lowering::Bounds bounds(nest.variables.size());
  std::int64_t points = 1;
  for (const Statement* loop : open) {
    bounds[static_cast<std::size_t>(loop->variable)] = {loop->begin, loop->end - 1};
    const bool vector = loop->loop_kind == LoopKind::vector;
    if (depends_on(map, loop->variable)) points *= vector ? loop->end - loop->begin : (loop->end - loop->begin - 1) / loop->step + 1;
  }
  const Range r = lowering::interval(map, bounds);
  return std::min(points, r.high - r.low + 1);
}

// Accesses of disjoint pieces add up; overlapping ones cannot exceed the buffer.
std::int64_t bytes(const std::map<int, std::map<std::string, std::int64_t>>& by_buffer, const LoopNest& nest) {
  std::int64_t total = 0;
  for (const auto& [b, counts] : by_buffer) {
    const NestBuffer& buffer = nest.buffers[static_cast<std::size_t>(b)];
    std::int64_t elements = 0;
    for (const auto& [what, count] : counts) elements += count;
    total += std::min(elements, buffer.elements) * graph::byte_size(buffer.type);
  }
  return total;
}

std::string place(const Index& map, const Loops& open) {
  std::string key = text(map);
  for (const Statement* loop : open)
    if (depends_on(map, loop->variable)) key += "|" + std::to_string(loop->begin) + ":" + std::to_string(loop->end);
  return key;
}

}  // namespace

Traffic traffic_of(const LoopNest& nest) {
  std::map<int, std::map<std::string, std::int64_t>> read, written;
  const auto global = [&](int b) { return nest.buffers[static_cast<std::size_t>(b)].space == Space::global; };
  walk(nest, [&](const Statement& s, const Loops& open) {
    if (s.value == nullptr) return;
    if (s.kind == StatementKind::store && global(s.buffer)) written[s.buffer][place(s.index, open)] = touched(s.index, nest, open);
    for (const Expression* e : lowering::distinct_reads(s.value))
      if (global(e->source)) read[e->source][place(e->maps[0], open)] = touched(e->maps[0], nest, open);
  });
  for (const auto& [b, counts] : written) read.erase(b);      // what it wrote itself is still in the cache
  return {bytes(read, nest), bytes(written, nest)};
}

Shape shape_of(const LoopNest& nest) {
  Shape shape;
  std::set<int> updated;
  if (const GridShape grid = grid_shape(nest); !grid.threads.empty()) shape.parallel_iterations = iterations(grid.grid) * iterations(grid.threads);
  walk(nest, [&](const Statement& s, const Loops&) {
    if (s.kind == StatementKind::update) updated.insert(s.target);
    if (s.kind != StatementKind::loop) return;
    ++shape.loops;
    if (s.loop_kind == LoopKind::parallel) shape.parallel_iterations = std::max(shape.parallel_iterations, s.end - s.begin);
    if (s.loop_kind != LoopKind::vector) return;
    ++shape.vector_loops;
    shape.widest = std::max(shape.widest, static_cast<int>(s.step));
  });
  for (const int r : updated)
    if (nest.registers[static_cast<std::size_t>(r)].lanes == shape.widest) ++shape.accumulators;
  for (const NestBuffer& buffer : nest.buffers)
    if (buffer.space == Space::tile) shape.tile_bytes += buffer.elements * graph::byte_size(buffer.type);
  return shape;
}

}  // namespace kw::kernel
