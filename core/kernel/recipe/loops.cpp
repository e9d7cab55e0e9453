#include "core/kernel/recipe/loops.h"

#include <algorithm>

#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {
namespace {

// More pieces than this cost more code than predicates cost time; windows are written out in every piece.
constexpr std::size_t most_cuts = 5, most_pointwise_cuts = 40;
constexpr int narrow_lanes = 4;                  // the step between full vectors and single elements at a right tail

std::vector<const Stage*> pointers(const std::vector<Stage>& stages) {
  std::vector<const Stage*> all;
  for (const Stage& stage : stages) all.push_back(&stage);
  return all;
}

bool has_reduction(const Stage& stage) {
  return std::any_of(stage.items.begin(), stage.items.end(), [](const Item& item) { return item.combiner != Combiner::none; });
}

}  // namespace

LoopWriter::LoopWriter(const KernelSpace& kernel, int threads) : kernel_(kernel), builder_(nest_) {
  nest_.name = kernel.name;
  nest_.threads = kernel.parallel >= 0 ? threads : 1;
  buffers_.resize(kernel.buffers.size());
  for (const Space wanted : {Space::global, Space::tile, Space::own})
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b) {
      if (kernel.buffers[b].space != wanted || kernel.buffers[b].elements == 0) continue;
      buffers_[b] = static_cast<int>(nest_.buffers.size());
      nest_.buffers.push_back(kernel.buffers[b]);
    }
  left_over_ = buffers_;
  for (std::size_t a = 0; a < kernel.axes.size(); ++a) {
    variables_.push_back(builder_.add_variable(kernel.axes[a].name));
    ranges_.push_back({0, kernel.axes[a].extent - 1});
    values_.push_back(constant(0));
  }
  bases_ = values_;
  lane_variable_ = builder_.add_variable("lane");
  if (on_gpu()) thread_variable_ = builder_.add_variable("t");
  if (kernel.height > 1) row_variable_ = builder_.add_variable("u");
}

LoopNest LoopWriter::write() {
  if (on_gpu()) open_threads();
  outer(0);
  if (on_gpu()) close_threads();
  nest_.body = builder_.finish();
  return std::move(nest_);
}

LoopNest write_loops(const KernelSpace& kernel, int threads) { return LoopWriter(kernel, threads).write(); }

// -- outer and space loops -----------------------------------------------------------------------------------------------

void LoopWriter::outer(std::size_t position) {
  if (position == kernel_.outer.size()) {
    for (const Stage& s : kernel_.stages)
      for (const Item& item : s.items)
        for (const ItemStore& out : item.stores) builder_.written_here(buffer(out.buffer));
    known_.clear();
    unsynchronised_.clear();                     // other pieces are other blocks' or other rows'
    for (const Stage& s : kernel_.stages) stage(s);
    return;
  }
  const int a = kernel_.outer[position];
  const LoopKind kind = a == kernel_.parallel ? LoopKind::parallel : LoopKind::serial;
  const auto deeper = [&] { outer(position + 1); };
  if (axis(a).inner >= 0) return along_blocks(a, kind, deeper);
  for (const Range& piece : pieces(a, pointers(kernel_.stages))) along(a, piece, kind, deeper);
}

void LoopWriter::stage(const Stage& stage) {
  if (on_gpu()) sync_before(stage);
  rows_unite_ = std::find(stage.reduce.begin(), stage.reduce.end(), stage.row_axis) != stage.reduce.end();
  if (stage.tile_accumulators) return reduce_in_tile(stage);
  space(stage, 0, [&](const Segment& segment) { point(stage, segment); });
}

void LoopWriter::space(const Stage& stage, std::size_t position, const PointBody& body) {
  if (position == stage.space.size()) return body({0, 1, 1, 1});
  const int a = stage.space[position];
  for (const Range& piece : pieces(a, {&stage})) {
    if (a != stage.vector_axis) {
      along(a, piece, LoopKind::serial, [&] { space(stage, position + 1, body); });
      continue;
    }
    for (const Segment& segment : segments(stage, piece)) along_segment(a, segment, [&] { body(segment); });
  }
}

// Everything of one point of the space axes: one element, or lanes * copies of them along the vector axis.
void LoopWriter::point(const Stage& stage, const Segment& segment) {
  if (has_reduction(stage)) return unrolled(stage) ? reduce_unrolled(stage, segment) : reduce_in_loops(stage, segment);
  each_copy(stage, segment, [&] { items(stage, false); });
}

void LoopWriter::each_copy(const Stage& stage, const Segment& segment, const Body& body) {
  const bool along_space = !stage.space.empty() && stage.space.back() == stage.vector_axis;
  for (int copy = 0; copy < segment.copies; ++copy) {
    if (along_space) set_copy(stage.vector_axis, copy, segment.lanes);
    body();
  }
}

void LoopWriter::items(const Stage& stage, bool after_reduction) {
  for (const Item& item : stage.items)
    if (item.combiner == Combiner::none && item.after_reduction == after_reduction) compute(item);
}

void LoopWriter::compute(const Item& item) {
  const Expr value = lowered(item.body[0]);
  builder_.expect({value});
  const Expr result = builder_.named(value, item.name);
  known_[{item.tensor, 0}] = result;
  store(item, 0, result);
}

void LoopWriter::store(const Item& item, int component, const Expr& value) {
  for (const ItemStore& out : item.stores)
    if (out.component == component) store_once(out.buffer, out.offset, value);
}

int LoopWriter::buffer(int b) const { return (outside_parallel_ ? left_over_ : buffers_)[static_cast<std::size_t>(b)]; }

// One step of the parallel axis that stands beside the parallel loop.
void LoopWriter::left_over(const Body& body) {
  for (std::size_t b = 0; b < kernel_.buffers.size(); ++b) {
    const bool tile = kernel_.buffers[b].space == Space::tile && kernel_.buffers[b].elements > 0;
    if (!tile || left_over_[b] != buffers_[b]) continue;
    left_over_[b] = static_cast<int>(nest_.buffers.size());
    nest_.buffers.push_back(kernel_.buffers[b]);
    nest_.buffers.back().name += ".left_over";
  }
  outside_parallel_ = true;
  body();
  outside_parallel_ = false;
}

Index LoopWriter::place(int b, const Index& offset) const {
  return kernel_.buffers[static_cast<std::size_t>(b)].space == Space::own ? own_ : lowered(offset);
}

Index LoopWriter::lowered(const Index& map) const { return substitute(map, values_, builder_.extents()); }

Expr LoopWriter::lowered(const Expr& e) const {
  Rewriter moved([&](const Expr& node) -> Expr {
    if (node->op == Op::reg) return known_.at({node->source, node->component});
    if (node->op == Op::read) return element(buffer(node->source), place(node->source, node->maps[0]), node->type);
    return node->maps.empty() ? node : substitute(node, values_, builder_.extents());
  });
  return specialise(moved(e), builder_.bounds());
}

// -- one axis ------------------------------------------------------------------------------------------------------------

// A loop over a range of the axis; a range of one step is a constant, and no loop.
void LoopWriter::along(int a, const Range& range, LoopKind kind, const Body& body) {
  if (spread(a)) return within(a, range, body);
  if (shared_by_rows(a)) return along_rows(a, range, body);
  const auto at = static_cast<std::size_t>(a);
  const Range before = ranges_[at];
  ranges_[at] = range;
  if (range.low == range.high) {
    values_[at] = constant(range.low);
    a == kernel_.parallel ? left_over(body) : body();
  } else {
    values_[at] = variable(variables_[at]);
    builder_.open_loop(variables_[at], range.low, range.high + 1, 1, kind);
    body();
    builder_.close_loop();
  }
  ranges_[at] = before;
}

// Whole blocks, then what is left of the axis.
void LoopWriter::along_blocks(int a, LoopKind kind, const Body& body) {
  const auto inner = static_cast<std::size_t>(axis(a).inner);
  const Range whole = ranges_[inner];
  along(a, {0, axis(a).extent - 1}, kind, body);
  if (axis(a).rest == 0) return;
  ranges_[inner] = {0, axis(a).rest - 1};
  along(a, {axis(a).extent, axis(a).extent}, LoopKind::serial, body);
  ranges_[inner] = whole;
}

// Where predicates change along the axis, the loop is cut, so that each piece knows their value.
std::vector<Range> LoopWriter::pieces(int a, const std::vector<const Stage*>& stages) {
  const Range range = ranges_[static_cast<std::size_t>(a)];
  if (on_gpu()) return {range};                  // a predicate costs a thread little, and every piece would be a branch
  std::set<std::int64_t> exact, loose;
  for (const Stage* stage : stages) {
    const auto look = [&](bool loosely, std::set<std::int64_t>& into) {
      for (const Item& item : stage->items)
        for (const Expr& body : item.body) into.merge(cuts(body, a, ranges_, loosely));
    };
    const bool reduced = std::find(stage->reduce.begin(), stage->reduce.end(), a) != stage->reduce.end();
    if (unrolled(*stage) && !reduced) each_reduced_point(*stage, 0, [&] { look(false, exact); });
    else look(false, exact);
    look(true, loose);
  }
  std::vector<Range> out;
  std::int64_t begin = range.low;
  const bool windows = std::any_of(stages.begin(), stages.end(), [](const Stage* s) { return !s->reduce.empty(); });
  for (const std::int64_t cut : exact.size() <= (windows ? most_cuts : most_pointwise_cuts) ? exact : loose) {
    out.push_back({begin, cut - 1});
    begin = cut;
  }
  out.push_back({begin, range.high});
  return out;
}

std::vector<LoopWriter::Segment> LoopWriter::segments(const Stage& stage, const Range& range) const {
  if (on_gpu()) return thread_segments(stage, range);
  std::vector<Segment> out;
  std::int64_t at = range.low;
  const std::int64_t end = range.high + 1;
  const auto take = [&](int lanes, int copies) {
    const std::int64_t step = static_cast<std::int64_t>(lanes) * copies, length = (end - at) / step * step;
    if (length > 0) out.push_back({at, at + length, lanes, copies});
    at += length;
  };
  if (stage.copies > 1) take(stage.lanes, stage.copies);
  take(stage.lanes, 1);
  if (stage.lanes > narrow_lanes) take(narrow_lanes, 1);
  take(1, 1);
  return out;
}

// One copy: a vector loop along the axis. Several: a loop over groups of copies round a vector loop of one step.
void LoopWriter::along_segment(int a, const Segment& segment, const Body& body) {
  if (on_gpu()) return along_threads(a, segment, body);
  const auto at = static_cast<std::size_t>(a);
  if (segment.lanes == 1) return along(a, {segment.begin, segment.end - 1}, LoopKind::serial, [&] { bases_[at] = values_[at]; body(); });
  const std::int64_t step = static_cast<std::int64_t>(segment.lanes) * segment.copies;
  const Range before = ranges_[at];
  ranges_[at] = {segment.begin, segment.end - 1};
  if (segment.copies == 1) {
    bases_[at] = values_[at] = variable(variables_[at]);
    builder_.open_loop(variables_[at], segment.begin, segment.end, step, LoopKind::vector);
    body();
    builder_.close_loop();
  } else {
    const bool once = segment.end - segment.begin == step;
    const Index group = once ? constant(segment.begin) : variable(variables_[at]);
    if (!once) builder_.open_loop(variables_[at], segment.begin, segment.end, step, LoopKind::serial);
    builder_.open_loop(lane_variable_, 0, segment.lanes, segment.lanes, LoopKind::vector);
    bases_[at] = values_[at] = add(group, variable(lane_variable_));
    body();
    builder_.close_loop();
    if (!once) builder_.close_loop();
  }
  ranges_[at] = before;
}

void LoopWriter::set_copy(int a, int copy, int lanes) {
  const auto at = static_cast<std::size_t>(a);
  values_[at] = add(bases_[at], constant(static_cast<std::int64_t>(copy) * lanes * std::max(kernel_.threads, 1)));
  own_ = add(own_base_, constant(static_cast<std::int64_t>(copy) * lanes));
}

bool LoopWriter::unrolled(const Stage& stage) const {
  const bool lanes_reduce = std::find(stage.reduce.begin(), stage.reduce.end(), stage.vector_axis) != stage.reduce.end();
  const bool rows_reduce = std::find(stage.reduce.begin(), stage.reduce.end(), stage.row_axis) != stage.reduce.end();
  return !stage.reduce.empty() && !lanes_reduce && !rows_reduce && reduced_points(kernel_, stage) <= most_unrolled;
}

void LoopWriter::each_reduced_point(const Stage& stage, std::size_t position, const Body& body) {
  if (position == stage.reduce.size()) return body();
  const int a = stage.reduce[position];
  const Range range = ranges_[static_cast<std::size_t>(a)];
  for (std::int64_t r = range.low; r <= range.high; ++r)
    along(a, {r, r}, LoopKind::serial, [&] { each_reduced_point(stage, position + 1, body); });
}

}  // namespace kw::kernel::lowering
