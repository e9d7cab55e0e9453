#pragma once
// Layer 2 to layer 3: the loops of one kernel. Outer loops first (cut where padding begins and ends), then stage after
// stage: its space loops, inside them its reductions (reductions.cpp), and what is computed once those are complete.

#include <functional>
#include <map>
#include <set>

#include "core/kernel/recipe/combiners.h"
#include "core/kernel/recipe/nest_builder.h"
#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

class LoopWriter {
 public:
  LoopWriter(const KernelSpace& kernel, int threads);
  LoopNest write();

 private:
  // One way through a vector axis: [begin, end) in steps of lanes * copies.
  // On a GPU, `threads` of them step together, and each has passed `own` elements before.
  struct Segment { std::int64_t begin = 0, end = 0; int lanes = 1, copies = 1; int threads = 1; std::int64_t own = 0; };
  using Body = std::function<void()>;
  using PointBody = std::function<void(const Segment&)>;

  // loops.cpp: outer loops and space loops
  void outer(std::size_t position);
  void stage(const Stage& stage);
  void space(const Stage& stage, std::size_t position, const PointBody& body);
  void each_copy(const Stage& stage, const Segment& segment, const Body& body);
  void point(const Stage& stage, const Segment& segment);
  void items(const Stage& stage, bool after_reduction);

  // axes.: a range of an axis, as a loop or, where it is one step, as a constant
  std::vector<Range> pieces(int axis, const std::vector<const Stage*>& stages);
  void along(int axis, const Range& range, LoopKind kind, const Body& body);
  void along_blocks(int axis, LoopKind kind, const Body& body);
  void left_over(const Body& body);
  std::vector<Segment> segments(const Stage& stage, const Range& range) const;
  void along_segment(int axis, const Segment& segment, const Body& body);

  // threads.cpp: the same on a GPU
  bool on_gpu() const { return kernel_.threads > 0; }
  bool spread(int axis) const;                           // its loop is over blocks or threads
  bool shared_by_rows(int axis) const;
  void open_threads();
  void close_threads();
  void within(int axis, const Range& range, const Body& body);
  std::vector<Segment> thread_segments(const Stage& stage, const Range& range) const;
  void along_threads(int axis, const Segment& segment, const Body& body);
  void along_rows(int axis, const Range& range, const Body& body);
  void for_some(const Segment& segment, const Body& body);
  void across_threads(int variable, const Item& item, int lanes, State& state);
  void sync_before(const Stage& stage);
  void store_once(int buffer, const Index& offset, const Expr& value);
  void set_copy(int axis, int copy, int lanes);
  bool unrolled(const Stage& stage) const;
  void each_reduced_point(const Stage& stage, std::size_t position, const Body& body);

  // reductions.cpp
  struct Accumulators { std::vector<std::vector<State>> of_copy; };      // [copy][item of the stage]
  void reduce_unrolled(const Stage& stage, const Segment& segment);
  void reduce_in_loops(const Stage& stage, const Segment& segment);
  void reduce_loop(const Stage& stage, std::size_t depth, const Segment& space, int level);
  void reduce_deeper(const Stage& stage, std::size_t depth, const Segment& space, int level);
  bool fresh_below(const Stage& stage, std::size_t depth) const;
  void accumulate(const Stage& stage, int lanes, int copy, int level);
  void assign(const Item& item, const State& state, const State& next);
  State& accumulator(const Stage& stage, std::size_t item, int lanes, int copy, int level);
  void finish(const Stage& stage, const Segment& space);
  void finish_rows(const Stage& stage, const Segment& space, int copy);
  State whole_state(const Stage& stage, std::size_t item, int copy);
  State taken(const Item& item) const;
  Expr position(const Stage& stage, const Item& item) const;
  State nothing(const Stage& stage, const Item& item) const;
  State across_lanes(const Item& item, const State& state, int lanes);
  State named(const Item& item, const State& state);
  void give(const Item& item, const State& state);

  // tile_reductions.cpp
  void reduce_in_tile(const Stage& stage);
  using Tiles = std::map<std::size_t, std::vector<int>>;     // of the stage's items: one a part of the state
  Tiles accumulator_tiles(const Stage& stage, const std::string& name);
  void each_point(const Stage& stage, const Tiles& written, const Body& body);
  void start_tiles(const Stage& stage);
  void in_fresh_tiles(const Stage& stage, const Body& body);
  void along_reduced_rows(const Stage& stage, std::size_t position, const PointBody& rows);
  void accumulate_rows(const Stage& stage, int rows);
  Index accumulator_offset(const Stage& stage) const;
  State loaded_state(const Stage& stage, std::size_t k, const Tiles& tiles);

  // Kernel axes and values of items into registers and loop variables.
  Expr lowered(const Expr& e) const;
  Index lowered(const Index& map) const;
  Index place(int buffer, const Index& offset) const;
  void compute(const Item& item);
  void store(const Item& item, int component, const Expr& value);
  const KernelAxis& axis(int a) const { return kernel_.axes[static_cast<std::size_t>(a)]; }

  const KernelSpace& kernel_;
  LoopNest nest_;
  NestBuilder builder_;
  Bounds ranges_;                              // of each kernel axis, as far as the open loops fix it
  std::vector<Index> values_;                  // of each kernel axis, over loop variables
  std::vector<Index> bases_;                   // of a vector axis: its value in copy 0
  std::vector<int> variables_;                 // loop variable of each kernel axis
  int lane_variable_ = -1;                     // of the one-step vector loop round several copies
  int thread_variable_ = -1;                   // of the threads that share the vector axes
  int row_variable_ = -1;                      // of the rows of threads that share the row axes
  bool touches_own_ = false;                   // the open stage does: its rounds are written out
  bool rows_unite_ = false;                    // the rows of threads share a reduction of the open stage
  Index own_, own_base_;                       // position among the elements of one thread, and in copy 0
  std::set<int> written_;                      // buffers that the kernel stores to
  std::set<int> unsynchronised_;               // those that were touched since the last barrier
  std::map<std::pair<int, int>, Expr> known_;  // (tensor, component) -> its register at this point
  std::map<int, Accumulators> accumulators_;   // by lanes
  Tiles tiles_, fresh_tiles_;                  // of the stage; of a block of its rows
  // Buffer of the space -> buffer of the nest. A tile belongs to an iteration of the parallel loop; what is left over
  // outside that loop has tiles of its own.
  int buffer(int b) const;
  std::vector<int> buffers_, left_over_;
  bool outside_parallel_ = false;
};

LoopNest write_loops(const KernelSpace& kernel, int threads);

}  // namespace kw::kernel::lowering
