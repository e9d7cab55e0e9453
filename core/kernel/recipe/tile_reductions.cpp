// Reductions over outer axes with their accumulators in a tile: the reduced rows run outside, the dense space axis inside,
// so that memory is walked in order. Rows are taken several at a time, which saves loads and stores of the accumulators;
// long sums are carried out in blocks of rows, which keeps their chains of additions short.
#include <algorithm>
#include <utility>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/loops.h"

namespace kw::kernel::lowering {
namespace {

constexpr int rows_at_once = 4;

// Tiles hold i64 where a state counts in i32.
DType stored_type(DType type) { return type == DType::i32 ? DType::i64 : type; }

}  // namespace

LoopWriter::Tiles LoopWriter::accumulator_tiles(const Stage& stage, const std::string& name) {
  Tiles tiles;
  std::int64_t elements = 1;
  for (const int a : stage.space) elements *= axis(a).extent;
  for (std::size_t k = 0; k < stage.items.size(); ++k) {
    const Item& item = stage.items[k];
    if (item.combiner == Combiner::none) continue;
    for (const Expr& part : nothing(stage, item)) {
      tiles[k].push_back(static_cast<int>(nest_.buffers.size()));
      nest_.buffers.push_back({item.name + "." + name, stored_type(part->type), elements, Space::tile, -1});
    }
  }
  return tiles;
}

Index LoopWriter::accumulator_offset(const Stage& stage) const {
  Index offset;
  std::int64_t stride = 1;
  for (std::size_t k = stage.space.size(); k-- > 0; stride *= axis(stage.space[k]).extent)
    offset = add(offset, scale(values_[static_cast<std::size_t>(stage.space[k])], stride));
  return offset;
}

State LoopWriter::loaded_state(const Stage& stage, std::size_t k, const Tiles& tiles) {
  const Item& item = stage.items[k];
  State state = nothing(stage, item);
  for (std::size_t part = 0; part < state.size(); ++part) {
    const int tile = tiles.at(k)[part];
    const DType stored = nest_.buffers[static_cast<std::size_t>(tile)].type;
    state[part] = cast(builder_.named(element(tile, accumulator_offset(stage), stored), item.name), state[part]->type);
  }
  return state;
}

// A pass over the space axes; what `written` holds was changed since it was last loaded, or is about to be.
void LoopWriter::each_point(const Stage& stage, const Tiles& written, const Body& body) {
  for (const auto& [k, tiles] : written)
    for (const int tile : tiles) builder_.written_here(tile);
  space(stage, 0, [&](const Segment& segment) { each_copy(stage, segment, body); });
}

void LoopWriter::start_tiles(const Stage& stage) {
  each_point(stage, tiles_, [&] {
    for (const auto& [k, tiles] : tiles_) {
      const State start = nothing(stage, stage.items[k]);
      for (std::size_t part = 0; part < tiles.size(); ++part) builder_.store(tiles[part], accumulator_offset(stage), start[part]);
    }
  });
}

void LoopWriter::reduce_in_tile(const Stage& stage) {
  tiles_ = accumulator_tiles(stage, "accumulators");
  fresh_tiles_.clear();
  start_tiles(stage);
  along_reduced_rows(stage, 0, [&](const Segment& rows) {
    each_point(stage, tiles_, [&] { accumulate_rows(stage, rows.copies); });
  });
  each_point(stage, tiles_, [&] {
    for (const auto& [k, tiles] : tiles_) give(stage.items[k], loaded_state(stage, k, tiles_));
    items(stage, true);
  });
}

// The rows of a block go to tiles of their own, which are then united with those of the stage.
void LoopWriter::in_fresh_tiles(const Stage& stage, const Body& body) {
  if (fresh_tiles_.empty()) fresh_tiles_ = accumulator_tiles(stage, "block");
  const Tiles total = std::exchange(tiles_, fresh_tiles_);
  start_tiles(stage);
  body();
  tiles_ = total;
  for (const auto& [k, tiles] : fresh_tiles_)
    for (const int tile : tiles) builder_.written_here(tile);
  each_point(stage, tiles_, [&] {
    for (const auto& [k, tiles] : tiles_) {
      const Item& item = stage.items[k];
      const State sum = named(item, unite(item.combiner, loaded_state(stage, k, tiles_), loaded_state(stage, k, fresh_tiles_)));
      for (std::size_t part = 0; part < tiles.size(); ++part) builder_.store(tiles[part], accumulator_offset(stage), sum[part]);
    }
  });
}

// The last reduced axis in groups of rows, then one by one.
void LoopWriter::along_reduced_rows(const Stage& stage, std::size_t depth, const PointBody& rows) {
  const int a = stage.reduce[depth];
  const auto at = static_cast<std::size_t>(a);
  const auto deeper = [&] {
    const bool innermost = depth + 2 == stage.reduce.size() || !fresh_below(stage, depth + 1);
    if (!innermost || !fresh_below(stage, depth)) return along_reduced_rows(stage, depth + 1, rows);
    in_fresh_tiles(stage, [&] { along_reduced_rows(stage, depth + 1, rows); });
  };
  if (axis(a).inner >= 0) return along_blocks(a, LoopKind::serial, deeper);
  for (const Range& piece : pieces(a, {&stage})) {
    if (depth + 1 < stage.reduce.size()) {
      along(a, piece, LoopKind::serial, deeper);
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
  std::map<std::size_t, State> states;
  for (const auto& [k, tiles] : tiles_) states[k] = loaded_state(stage, k, tiles_);
  for (int row = 0; row < rows; ++row) {
    set_copy(stage.reduce.back(), row, 1);
    for (std::size_t k = 0; k < stage.items.size(); ++k) {
      const Item& item = stage.items[k];
      if (item.combiner == Combiner::none) {
        if (!item.after_reduction) compute(item);
        continue;
      }
      const State value = taken(item);
      if (!neutral(item.combiner, value)) states[k] = named(item, step(item.combiner, states[k], value, position(stage, item)));
    }
  }
  for (const auto& [k, tiles] : tiles_)
    for (std::size_t part = 0; part < tiles.size(); ++part) builder_.store(tiles[part], accumulator_offset(stage), states[k][part]);
}

}  // namespace kw::kernel::lowering
