// Reductions over outer axes with their accumulators in a tile: the reduced rows run outside, the dense space axis inside,
// so that memory is walked in order. Rows are taken several at a time, which saves loads and stores of the accumulators.
#include <algorithm>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/loops.h"

namespace kw::kernel::lowering {
namespace {

constexpr int rows_at_once = 4;

// Tiles hold i64 where a state counts in i32.
DType stored_type(DType type) { return type == DType::i32 ? DType::i64 : type; }

}  // namespace

void LoopWriter::add_accumulator_tiles(const Stage& stage) {
  accumulator_tiles_.clear();
  std::int64_t elements = 1;
  for (const int a : stage.space) elements *= axis(a).extent;
  for (std::size_t k = 0; k < stage.items.size(); ++k) {
    const Item& item = stage.items[k];
    if (item.combiner == Combiner::none) continue;
    for (const Expr& part : nothing(stage, item)) {
      accumulator_tiles_[k].push_back(static_cast<int>(nest_.buffers.size()));
      nest_.buffers.push_back({item.name + ".accumulators", stored_type(part->type), elements, Space::tile, -1});
    }
  }
}

Index LoopWriter::accumulator_offset(const Stage& stage) const {
  Index offset;
  std::int64_t stride = 1;
  for (std::size_t k = stage.space.size(); k-- > 0; stride *= axis(stage.space[k]).extent)
    offset = add(offset, scale(values_[static_cast<std::size_t>(stage.space[k])], stride));
  return offset;
}

State LoopWriter::loaded_state(const Item& item, std::size_t k, const Index& offset) {
  State state;
  for (const int tile : accumulator_tiles_[k]) {
    const DType type = nest_.buffers[static_cast<std::size_t>(tile)].type;
    state.push_back(builder_.named(element(tile, offset, type), item.name));
  }
  return state;
}

void LoopWriter::reduce_in_tile(const Stage& stage) {
  add_accumulator_tiles(stage);
  space(stage, 0, [&](const Segment& segment) {
    each_copy(stage, segment, [&] {
      for (const auto& [k, tiles] : accumulator_tiles_) {
        const State start = nothing(stage, stage.items[k]);
        for (std::size_t part = 0; part < tiles.size(); ++part) builder_.store(tiles[part], accumulator_offset(stage), start[part]);
      }
    });
  });
  along_reduced_rows(stage, 0, [&](const Segment& rows) {
    for (const auto& [k, tiles] : accumulator_tiles_)
      for (const int tile : tiles) builder_.written_here(tile);
    space(stage, 0, [&](const Segment& segment) { each_copy(stage, segment, [&] { accumulate_rows(stage, rows.copies); }); });
  });
  for (const auto& [k, tiles] : accumulator_tiles_)
    for (const int tile : tiles) builder_.written_here(tile);
  space(stage, 0, [&](const Segment& segment) {
    each_copy(stage, segment, [&] {
      for (const auto& [k, tiles] : accumulator_tiles_) give(stage.items[k], loaded_state(stage.items[k], k, accumulator_offset(stage)));
      items(stage, true);
    });
  });
}

// The last reduced axis in groups of rows, then one by one.
void LoopWriter::along_reduced_rows(const Stage& stage, std::size_t depth, const PointBody& rows) {
  const int a = stage.reduce[depth];
  const auto at = static_cast<std::size_t>(a);
  for (const Range& piece : pieces(a, {&stage})) {
    if (depth + 1 < stage.reduce.size()) {
      along(a, piece, LoopKind::serial, [&] { along_reduced_rows(stage, depth + 1, rows); });
      continue;
    }
    const std::int64_t grouped = (piece.high - piece.low + 1) / rows_at_once * rows_at_once, middle = piece.low + grouped;
    if (grouped > 0) {
      const Range before = ranges_[at];
      ranges_[at] = {piece.low, middle - 1};
      builder_.open_loop(variables_[at], piece.low, middle, rows_at_once, LoopKind::serial);
      bases_[at] = variable(variables_[at]);
      rows({piece.low, middle, 1, rows_at_once});
      builder_.close_loop();
      ranges_[at] = before;
    }
    if (middle <= piece.high)
      along(a, {middle, piece.high}, LoopKind::serial, [&] {
        bases_[at] = values_[at];
        rows({middle, piece.high + 1, 1, 1});
      });
  }
}

void LoopWriter::accumulate_rows(const Stage& stage, int rows) {
  const Index offset = accumulator_offset(stage);
  std::map<std::size_t, State> states;
  for (const auto& [k, tiles] : accumulator_tiles_) {
    states[k] = loaded_state(stage.items[k], k, offset);
    const State start = nothing(stage, stage.items[k]);
    for (std::size_t part = 0; part < start.size(); ++part) states[k][part] = cast(states[k][part], start[part]->type);
  }
  for (int row = 0; row < rows; ++row) {
    set_copy(stage.reduce.back(), row, 1);
    for (std::size_t k = 0; k < stage.items.size(); ++k) {
      const Item& item = stage.items[k];
      if (item.combiner == Combiner::none) {
        if (!item.after_reduction) compute(item);
        continue;
      }
      const Expr value = lowered(item.body[0]);
      if (!neutral(item.combiner, value)) states[k] = named(item, step(item.combiner, states[k], value, position(stage, item)));
    }
  }
  for (const auto& [k, tiles] : accumulator_tiles_)
    for (std::size_t part = 0; part < tiles.size(); ++part) builder_.store(tiles[part], offset, states[k][part]);
}

}  // namespace kw::kernel::lowering
