// The reductions of a stage at one point of its space axes: written out where they are few, else in loops with as many
// accumulators as lanes times copies, united at the end (copies first, then a tree over the lanes, then the tails).
#include <algorithm>
#include <utility>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/loops.h"

namespace kw::kernel::lowering {
namespace {

bool reduces(const Item& item) { return item.combiner != Combiner::none; }

bool along_reduced_axis(const Stage& stage) {
  return std::find(stage.reduce.begin(), stage.reduce.end(), stage.vector_axis) != stage.reduce.end();
}

}  // namespace

// Where along the reduced axes the open point lies, for reductions that ask.
Expr LoopWriter::position(const Stage& stage, const Item& item) const {
  if (!needs_position(item.combiner)) return nullptr;
  return cast(index_value(lowered(item.linear)), position_type(reduced_points(kernel_, stage)));
}

// The state before anything is accumulated. Positions of a state that was made elsewhere are i64.
State LoopWriter::nothing(const Stage& stage, const Item& item) const {
  return identity(item.combiner, item.body[0]->type, item.body.size() > 1 ? INT64_MAX : reduced_points(kernel_, stage));
}

// What a step of the reduction takes in.
State LoopWriter::taken(const Item& item) const {
  State all;
  for (const Expr& body : item.body) all.push_back(lowered(body));
  return all;
}

// -- written out ---------------------------------------------------------------------------------------------------------

void LoopWriter::reduce_unrolled(const Stage& stage, const Segment& segment) {
  each_copy(stage, segment, [&] {
    std::vector<State> states(stage.items.size());
    each_reduced_point(stage, 0, [&] {
      for (std::size_t k = 0; k < stage.items.size(); ++k) {
        const Item& item = stage.items[k];
        if (!reduces(item)) {
          if (!item.after_reduction) compute(item);
          continue;
        }
        const State value = taken(item);
        if (neutral(item.combiner, value)) continue;
        const Expr at = position(stage, item);
        states[k] = named(item, states[k].empty() ? first(item.combiner, value, at) : step(item.combiner, states[k], value, at));
      }
    });
    for (std::size_t k = 0; k < stage.items.size(); ++k)
      if (reduces(stage.items[k])) give(stage.items[k], states[k].empty() ? nothing(stage, stage.items[k]) : states[k]);
    items(stage, true);
  });
}

// -- in loops ------------------------------------------------------------------------------------------------------------

void LoopWriter::reduce_in_loops(const Stage& stage, const Segment& segment) {
  accumulators_.clear();
  const int level = builder_.depth();
  for_some(segment, [&] { reduce_loop(stage, 0, segment, level); });
  finish(stage, segment);
}

void LoopWriter::reduce_loop(const Stage& stage, std::size_t depth, const Segment& space, int level) {
  if (depth == stage.reduce.size()) {
    for (int copy = 0; copy < space.copies; ++copy) {
      if (stage.vector_axis >= 0 && !along_reduced_axis(stage)) set_copy(stage.vector_axis, copy, space.lanes);
      accumulate(stage, space.lanes, copy, level);
    }
    return;
  }
  const int a = stage.reduce[depth];
  const auto deeper = [&] { reduce_deeper(stage, depth, space, level); };
  if (axis(a).inner >= 0) return along_blocks(a, LoopKind::serial, deeper);
  for (const Range& piece : pieces(a, {&stage})) {
    if (a != stage.vector_axis) {
      along(a, piece, LoopKind::serial, deeper);
      continue;
    }
    for (const Segment& segment : segments(stage, piece))
      along_segment(a, segment, [&] {
        for (int copy = 0; copy < segment.copies; ++copy) {
          set_copy(a, copy, segment.lanes);
          accumulate(stage, segment.lanes, copy, level);
        }
      });
  }
}

// Does each step of the axis at `depth` start accumulators of its own, to keep chains of additions short?
bool LoopWriter::fresh_below(const Stage& stage, std::size_t depth) const {
  std::int64_t chain = 1;
  for (std::size_t k = depth + 1; k < stage.reduce.size(); ++k) chain *= steps_of_one(kernel_, stage, stage.reduce[k]);
  return adds_up(stage) && chain >= shortest_block;
}

void LoopWriter::reduce_deeper(const Stage& stage, std::size_t depth, const Segment& space, int level) {
  if (!fresh_below(stage, depth)) return reduce_loop(stage, depth + 1, space, level);
  std::map<int, Accumulators> outer = std::exchange(accumulators_, {});
  reduce_loop(stage, depth + 1, space, builder_.depth());
  const std::map<int, Accumulators> block = std::exchange(accumulators_, std::move(outer));
  for (const auto& [lanes, accumulators] : block)
    for (std::size_t copy = 0; copy < accumulators.of_copy.size(); ++copy)
      for (std::size_t k = 0; k < stage.items.size(); ++k) {
        const State& of_block = accumulators.of_copy[copy][k];
        if (of_block.empty()) continue;
        const State total = accumulator(stage, k, lanes, static_cast<int>(copy), level);
        assign(stage.items[k], total, unite(stage.items[k].combiner, total, of_block));
      }
}

State& LoopWriter::accumulator(const Stage& stage, std::size_t k, int lanes, int copy, int level) {
  auto& of_copy = accumulators_[lanes].of_copy;
  while (static_cast<int>(of_copy.size()) <= copy) of_copy.emplace_back(stage.items.size());
  State& state = of_copy[static_cast<std::size_t>(copy)][k];
  if (!state.empty()) return state;
  const Item& item = stage.items[k];
  for (const Expr& start : nothing(stage, item))
    state.push_back(builder_.accumulator(item.name, start->type, lanes, start, level));
  return state;
}

// One step of every reduction of the stage, and the values beside them.
void LoopWriter::accumulate(const Stage& stage, int lanes, int copy, int level) {
  for (std::size_t k = 0; k < stage.items.size(); ++k) {
    const Item& item = stage.items[k];
    if (!reduces(item)) {
      if (!item.after_reduction) compute(item);
      continue;
    }
    const State value = taken(item);
    if (neutral(item.combiner, value)) continue;
    const State state = accumulator(stage, k, lanes, copy, level);
    assign(item, state, step(item.combiner, state, value, position(stage, item)));
  }
}

void LoopWriter::assign(const Item& item, const State& state, const State& next) {
  builder_.expect(next);
  if (next.size() == 1) return builder_.update(state[0], builder_.value(next[0]));
  State held;                                    // all parts from the old state, before any of it changes
  for (const Expr& part : next) held.push_back(builder_.named(part, item.name));
  for (std::size_t part = 0; part < state.size(); ++part) builder_.update(state[part], held[part]);
}

State LoopWriter::named(const Item& item, const State& state) {
  builder_.expect(state);
  State out;
  for (const Expr& part : state) out.push_back(part->op == Op::constant ? part : builder_.named(part, item.name));
  return out;
}

State LoopWriter::across_lanes(const Item& item, const State& state, int lanes) {
  std::vector<State> tree;
  for (int lane = 0; lane < lanes; ++lane) {
    State parts;
    for (const Expr& part : state) parts.push_back(lane_of(part, lane));
    tree.push_back(std::move(parts));
  }
  while (tree.size() > 1) {
    const std::size_t half = tree.size() / 2;
    for (std::size_t k = 0; k < half; ++k) {
      tree[k] = unite(item.combiner, tree[k], tree[k + half]);
      if (state.size() > 1) tree[k] = named(item, tree[k]);
    }
    tree.resize(half);
  }
  return tree[0];
}

// Lanes along the space: each copy is a result. Lanes along the reduction: everything is united into one.
State LoopWriter::whole_state(const Stage& stage, std::size_t k, int copy) {
  const Item& item = stage.items[k];
  const bool across = along_reduced_axis(stage);
  State total;
  for (auto& [lanes, accumulators] : accumulators_) {
    State state;
    for (int c = 0; c < static_cast<int>(accumulators.of_copy.size()); ++c) {
      const State& one = accumulators.of_copy[static_cast<std::size_t>(c)][k];
      if (one.empty() || (!across && c != copy)) continue;
      state = state.empty() ? one : named(item, unite(item.combiner, state, one));
    }
    if (state.empty()) continue;
    if (across && lanes > 1) state = across_lanes(item, named(item, state), lanes);
    total = total.empty() ? state : unite(item.combiner, total, state);
  }
  if (total.empty()) total = nothing(stage, item);
  if (across && on_gpu()) across_threads(thread_variable_, item, 1, total);
  return total;
}

void LoopWriter::finish(const Stage& stage, const Segment& space) {
  for (int copy = 0; copy < space.copies; ++copy) {
    if (stage.vector_axis >= 0 && !along_reduced_axis(stage)) set_copy(stage.vector_axis, copy, space.lanes);
    if (rows_unite_) {
      finish_rows(stage, space, copy);
      continue;
    }
    for (std::size_t k = 0; k < stage.items.size(); ++k)
      if (reduces(stage.items[k])) give(stage.items[k], whole_state(stage, k, copy));
    items(stage, true);
  }
}

// All threads of the block take part in the unions, also those without an element of their own.
void LoopWriter::finish_rows(const Stage& stage, const Segment& space, int copy) {
  std::vector<State> totals(stage.items.size());
  for (std::size_t k = 0; k < stage.items.size(); ++k) {
    if (!reduces(stage.items[k])) continue;
    totals[k] = whole_state(stage, k, copy);
    across_threads(row_variable_, stage.items[k], space.lanes, totals[k]);
  }
  for_some(space, [&] {
    for (std::size_t k = 0; k < stage.items.size(); ++k)
      if (reduces(stage.items[k])) give(stage.items[k], totals[k]);
    items(stage, true);
  });
}

// The finished state: its registers are what readers see, positions as i64. Parts that are no result are for a kernel that unites states.
void LoopWriter::give(const Item& item, const State& state) {
  State results = state;
  if (needs_position(item.combiner)) results[1] = cast(results[1], DType::i64);
  builder_.expect(results);
  for (int part = 0; part < static_cast<int>(results.size()); ++part) {
    const bool stored = std::any_of(item.stores.begin(), item.stores.end(), [part](const ItemStore& store) { return store.component == part; });
    if (part >= components(item.combiner) && !stored) continue;
    const Expr value = builder_.named(results[static_cast<std::size_t>(part)], item.name);
    known_[{item.tensor, part}] = value;
    store(item, part, value);
  }
}

}  // namespace kw::kernel::lowering
