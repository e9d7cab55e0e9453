// The loops of a kernel on a GPU. Its outer axes are the blocks of the grid (or the rows of threads in a block), and the vector
// axis of every stage is shared by the threads of a row: thread t takes `lanes` elements, its neighbour the next ones, and
// all go on in rounds. So a warp's accesses lie side by side, whatever each thread does with its part. Where a block has several
// rows of threads, they take the steps of the stage's row axis in turn.
//
// What a thread alone reads again stays in registers ("own" buffers), what others read in a tile with barriers between.
#include <algorithm>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/loops.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t most_rounds_unrolled = 8;

}  // namespace

bool LoopWriter::spread(int a) const { return on_gpu() && axis(a).kind != LoopKind::serial; }

bool LoopWriter::shared_by_rows(int a) const {
  return std::any_of(kernel_.stages.begin(), kernel_.stages.end(), [a](const Stage& stage) { return stage.row_axis == a; });
}

// Grid loops first, then those over threads. An axis with a rest has one more block.
void LoopWriter::open_threads() {
  for (const LoopKind kind : {LoopKind::grid, LoopKind::thread})
    for (const int a : kernel_.outer) {
      if (axis(a).kind != kind) continue;
      const auto at = static_cast<std::size_t>(a);
      builder_.open_loop(variables_[at], 0, axis(a).extent + (axis(a).rest > 0 ? 1 : 0), 1, kind);
      values_[at] = variable(variables_[at]);
    }
  for (const Access& access : accesses(kernel_))
    if (access.store && access.buffer >= 0) written_.insert(access.buffer);
  if (row_variable_ >= 0) builder_.open_loop(row_variable_, 0, kernel_.height, 1, LoopKind::thread);
  builder_.open_loop(thread_variable_, 0, kernel_.threads, 1, LoopKind::thread);
}

void LoopWriter::close_threads() {
  if (row_variable_ >= 0) builder_.close_loop();
  for (std::size_t k = 0; k <= kernel_.outer.size(); ++k) builder_.close_loop();
}

// Part of a loop over blocks or threads that is open already.
void LoopWriter::within(int a, const Range& range, const Body& body) {
  const auto at = static_cast<std::size_t>(a);
  const Range before = ranges_[at];
  const bool all = range.low == 0 && range.high + 1 == axis(a).extent && axis(a).rest == 0;
  ranges_[at] = range;
  if (!all) builder_.open_only(variables_[at], range.low, range.high + 1);
  body();
  if (!all) builder_.close_loop();
  ranges_[at] = before;
}

// Whole rounds, then whole vectors for some of the threads, then single elements.
std::vector<LoopWriter::Segment> LoopWriter::thread_segments(const Stage& stage, const Range& range) const {
  std::vector<Segment> out;
  std::int64_t at = range.low, own = 0;
  const std::int64_t end = range.high + 1;
  const auto rounds = [&](int lanes, int copies) {
    const std::int64_t step = static_cast<std::int64_t>(lanes) * copies * kernel_.threads, count = (end - at) / step;
    if (count == 0) return;
    out.push_back({at, at + count * step, lanes, copies, kernel_.threads, own});
    at += count * step;
    own += count * lanes * copies;
  };
  const auto some = [&](int lanes) {
    const auto threads = static_cast<int>((end - at) / lanes);
    if (threads == 0) return;
    out.push_back({at, at + threads * lanes, lanes, 1, threads, own});
    at += threads * lanes;
    own += lanes;
  };
  if (stage.copies > 1) rounds(stage.lanes, stage.copies);
  rounds(stage.lanes, 1);
  some(stage.lanes);
  if (stage.lanes > 1) rounds(1, 1);
  some(1);
  return out;
}

void LoopWriter::along_threads(int a, const Segment& segment, const Body& body) {
  const auto at = static_cast<std::size_t>(a);
  const Range before = ranges_[at];
  const std::int64_t step = static_cast<std::int64_t>(segment.lanes) * segment.copies * segment.threads;
  const std::int64_t rounds = (segment.end - segment.begin) / step;
  Index first = constant(segment.begin);
  Index own = constant(segment.own);
  ranges_[at] = {segment.begin, segment.end - 1};
  const bool some = segment.threads < kernel_.threads && !rows_unite_;
  if (some) builder_.open_only(thread_variable_, 0, segment.threads);
  if (rounds > 1) {
    const bool unroll = touches_own_ || rounds <= most_rounds_unrolled;
    builder_.open_loop(variables_[at], 0, rounds, 1, unroll ? LoopKind::unrolled : LoopKind::serial);
    first = add(first, scale(variable(variables_[at]), step));
    own = add(own, scale(variable(variables_[at]), static_cast<std::int64_t>(segment.lanes) * segment.copies));
  }
  if (segment.lanes > 1) {
    builder_.open_loop(lane_variable_, 0, segment.lanes, segment.lanes, LoopKind::vector);
    first = add(first, variable(lane_variable_));
    own = add(own, variable(lane_variable_));
  }
  bases_[at] = values_[at] = add(first, scale(variable(thread_variable_), segment.lanes));
  own_ = own_base_ = own;
  body();
  if (segment.lanes > 1) builder_.close_loop();
  if (rounds > 1) builder_.close_loop();
  if (some) builder_.close_loop();
  ranges_[at] = before;
}

// Whole rounds of the rows of threads, then one more for some of them.
void LoopWriter::along_rows(int a, const Range& range, const Body& body) {
  const auto at = static_cast<std::size_t>(a);
  const Range before = ranges_[at];
  const std::int64_t height = kernel_.height, rounds = (range.high - range.low + 1) / height, middle = range.low + rounds * height;
  if (rounds > 0) {
    ranges_[at] = {range.low, middle - 1};
    if (rounds > 1) builder_.open_loop(variables_[at], 0, rounds, 1, LoopKind::serial);
    const Index first = add(constant(range.low), variable(row_variable_));
    values_[at] = rounds > 1 ? add(first, scale(variable(variables_[at]), height)) : first;
    body();
    if (rounds > 1) builder_.close_loop();
  }
  if (middle <= range.high) {
    ranges_[at] = {middle, range.high};
    builder_.open_only(row_variable_, 0, range.high - middle + 1);
    values_[at] = add(constant(middle), variable(row_variable_));
    body();
    builder_.close_loop();
  }
  ranges_[at] = before;
}

// Where the rows unite reductions, all threads stay for that: only what is theirs is for the threads of the segment alone.
void LoopWriter::for_some(const Segment& segment, const Body& body) {
  const bool some = rows_unite_ && segment.threads < kernel_.threads;
  if (some) builder_.open_only(thread_variable_, 0, segment.threads);
  body();
  if (some) builder_.close_loop();
}

// The parts of all threads along the variable become one, in each of them.
void LoopWriter::across_threads(int variable, const Item& item, int lanes, State& state) {
  if (variable == thread_variable_ && kernel_.threads == 1) return;
  State parts;
  builder_.expect(state);
  for (const Expr& part : state) parts.push_back(builder_.accumulator(item.name, part->type, lanes, builder_.value(part), builder_.depth()));
  builder_.combine(variable, parts, item.name, [&](const State& a, const State& b) { return unite(item.combiner, a, b); });
  state = parts;
}

// What an earlier stage wrote and this one reads, or the other way round: tiles, and memory that the kernel itself fills.
void LoopWriter::sync_before(const Stage& stage) {
  std::set<int> touched;
  touches_own_ = false;
  for (const Access& access : accesses(stage)) {
    if (access.buffer < 0) continue;
    const Space space = kernel_.buffers[static_cast<std::size_t>(access.buffer)].space;
    touches_own_ = touches_own_ || space == Space::own;
    if (space == Space::tile || (space == Space::global && written_.contains(access.buffer))) touched.insert(access.buffer);
  }
  if (std::any_of(touched.begin(), touched.end(), [&](int b) { return unsynchronised_.contains(b); })) {
    builder_.barrier();
    unsynchronised_.clear();
  }
  unsynchronised_.insert(touched.begin(), touched.end());
}

// Where several threads hold the value of one place, one of them writes it.
void LoopWriter::store_once(int b, const Index& offset, const Expr& value) {
  const Index where = place(b, offset);
  const bool own = kernel_.buffers[static_cast<std::size_t>(b)].space == Space::own;
  const auto same_for_all = [&](int variable, int threads) { return threads > 1 && !own && !depends_on(where, variable); };
  const bool one_row = same_for_all(row_variable_, kernel_.height), one_thread = same_for_all(thread_variable_, kernel_.threads);
  if (one_row) builder_.open_only(row_variable_, 0, 1);
  if (one_thread) builder_.open_only(thread_variable_, 0, 1);
  builder_.store(buffer(b), where, value);
  if (one_thread) builder_.close_loop();
  if (one_row) builder_.close_loop();
}

}  // namespace kw::kernel::lowering
