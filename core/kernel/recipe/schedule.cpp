#include "core/kernel/recipe/schedule.h"

#include <algorithm>
#include <cmath>

#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {
namespace {

constexpr double parallel_effort = 60000;        // below this, waking the other threads costs more than they save
constexpr std::int64_t tile_lanes = 64;          // block of the lane axis where tiles grow with it
// A transposition walks whole cache lines one way and short columns the other: a column of 16 rows whose stride is a power
// of two still fits the ways of the L1 sets that it falls into.
constexpr std::int64_t transpose_rows = 8, transpose_lanes = 16;
constexpr std::int64_t accumulator_lanes = 1024; // accumulators of f32 that leave the L1 cache room for rows
constexpr std::int64_t far_elements = 512;       // a step along a reduced axis this long hardly shares a page
constexpr std::int64_t stack_bytes = 256 << 10;  // tiles stand on the stack of a thread

class Scheduler {
 public:
  Scheduler(KernelSpace& kernel, Decisions& decisions, const Limits& limits)
      : kernel_(kernel), decisions_(decisions), limits_(limits) {}

  base::Status run() {
    choose_lanes();
    choose_width();
    choose_accumulators();
    choose_blocks();
    choose_parallel();
    if (partner_ >= 0 && partner_block_ > 0) pull_inside(kernel_, partner_, partner_block_);
    if (lanes_ >= 0) lane_inner_ = pull_inside(kernel_, lanes_, lane_block_);
    choose_order();
    place_vectors();
    for (Stage& stage : kernel_.stages) shorten_chains(kernel_, stage);
    const std::int64_t most = std::min(stack_bytes, limits_.l2_bytes / 2);
    if (const std::int64_t bytes = tile_bytes(kernel_) + accumulator_bytes(); bytes > most)
      return base::Error{base::ErrorCode::unsupported, "the tiles of " + kernel_.name + " need " + std::to_string(bytes) +
                         " bytes, a thread may have " + std::to_string(most) + "; keep a value in memory or block an axis", "recipe"};
    return base::done();
  }

 private:
  std::string key(const char* what) const { return std::string(what) + "." + kernel_.name; }
  const KernelAxis& axis(int a) const { return kernel_.axes[static_cast<std::size_t>(a)]; }

  void choose_lanes() {
    const std::vector<LaneOption> options = lane_options(kernel_);
    if (options.empty()) return;
    std::vector<std::string> names;
    for (const LaneOption& option : options) names.push_back(option.name);
    const std::string usual = best_lanes(options);
    lanes_ = outer_named(names.size() > 1 ? decisions_.settle(key("lanes"), usual, names) : usual);
  }

  int outer_named(const std::string& name) const {
    for (const int a : kernel_.outer)
      if (axis(a).name == name) return a;
    return -1;
  }

  // Bytes of the type that most values have while computing.
  int value_bytes() const {
    bool single = false, wide = false;
    const auto see = [&](DType type) {
      if (type == DType::f32) single = true;
      if (type == DType::f64) wide = true;
    };
    for (const Stage& stage : kernel_.stages)
      for (const Item& item : stage.items)
        for (const Expr& body : item.body) visit(body, [&](const Expression& e) { see(e.type); });
    return wide || !single ? 8 : 4;
  }

  void choose_width() {
    const int bytes = value_bytes(), usual = limits_.vector_bytes / bytes;
    std::vector<std::int64_t> options;
    for (const int width : {1, 4, 8, 16})
      if (width * bytes <= 2 * limits_.vector_bytes) options.push_back(width);
    width_ = static_cast<int>(decisions_.settle(key("vector"), usual, options));
    unroll_ = decisions_.settle(key("unroll"), "auto", {"auto", "1", "2", "4"});
  }

  bool strided_along(int a) const {
    const std::vector<Access> all = accesses(kernel_);
    return std::any_of(all.begin(), all.end(), [&](const Access& x) {
      return x.buffer >= 0 && !is_tile(kernel_, x.buffer) && std::abs(coefficient(*x.offset, a)) > 1;
    });
  }
  bool dense_along(int a) const {
    const std::vector<Access> all = accesses(kernel_);
    return std::any_of(all.begin(), all.end(), [&](const Access& x) {
      return x.buffer >= 0 && !is_tile(kernel_, x.buffer) && std::abs(coefficient(*x.offset, a)) == 1;
    });
  }

  std::vector<std::int64_t> block_sizes(int a, std::initializer_list<std::int64_t> wanted) const {
    std::vector<std::int64_t> sizes = {0};
    for (const std::int64_t size : wanted)
      if (size < axis(a).extent) sizes.push_back(size);
    return sizes;
  }

  std::int64_t settle_block(int a, std::int64_t usual, const std::vector<std::int64_t>& options) {
    if (options.size() < 2) return 0;
    const bool known = std::find(options.begin(), options.end(), usual) != options.end();
    return decisions_.settle("tile." + kernel_.name + "." + axis(a).name, known ? usual : 0, options);
  }

  // Blocks keep tiles small where they grow with the lanes, and make transpositions walk whole cache lines.
  void choose_blocks() {
    if (lanes_ < 0) return;
    if (strided_along(lanes_))
      for (const int a : kernel_.outer)
        if (a != lanes_ && dense_along(a)) partner_ = a;
    if (partner_ >= 0) partner_block_ = settle_block(partner_, transpose_rows, block_sizes(partner_, {8, 16, 32, 64}));
    const std::int64_t usual = partner_block_ > 0 ? transpose_lanes : tile_accumulators_ ? accumulator_lanes : tile_bytes(kernel_) > 0 ? tile_lanes : 0;
    lane_block_ = settle_block(lanes_, usual, block_sizes(lanes_, {16, 32, 64, 128, 256, 1024, 2048}));
  }

  // Reductions whose lanes run along the space can keep their accumulators in a tile. That pays where a step along the
  // reduced axis leaves the page (registers would touch one cache line of each of many pages) and nobody reads the rows
  // again while they are in the cache.
  void choose_accumulators() {
    bool possible = false, far = false;
    for (Stage& stage : kernel_.stages) {
      if (lanes_ < 0 || stage.reduce.empty() || reduced_points(kernel_, stage) <= most_unrolled) continue;
      possible = true;
      for (const Access& access : accesses(stage))
        far = far || (access.buffer >= 0 && !is_tile(kernel_, access.buffer) && std::abs(coefficient(*access.offset, stage.reduce.back())) >= far_elements);
    }
    if (!possible) return;
    tile_accumulators_ = decisions_.settle(key("reduce"), far && tile_bytes(kernel_) == 0 ? "tile" : "registers", {"registers", "tile"}) == "tile";
    for (Stage& stage : kernel_.stages)
      stage.tile_accumulators = tile_accumulators_ && !stage.reduce.empty() && reduced_points(kernel_, stage) > most_unrolled;
  }

  double balance(std::int64_t iterations) const {
    const std::int64_t rounds = (iterations + limits_.threads - 1) / limits_.threads;
    return static_cast<double>(iterations) / static_cast<double>(rounds * limits_.threads);
  }

  std::int64_t parallel_iterations(int a) const {
    const std::int64_t block = a == lanes_ ? lane_block_ : a == partner_ ? partner_block_ : 1;
    if (block > 0) return axis(a).extent / block;
    return axis(a).extent >= limits_.threads * width_ * 8 ? limits_.threads : 1;   // chunks of the lane axis
  }

  void choose_parallel() {
    std::vector<std::string> options = {"none"};
    std::string best = "none";
    double best_balance = 0;
    for (const int a : kernel_.outer) {
      const std::int64_t iterations = parallel_iterations(a);
      if (limits_.threads < 2 || iterations < 2) continue;
      options.push_back(axis(a).name);
      if (best_balance < 0.9 && balance(iterations) > best_balance + 0.02) best = axis(a).name, best_balance = balance(iterations);
    }
    if (options.size() < 2) return;
    const std::string usual = kernel_.effort >= parallel_effort ? best : "none";
    kernel_.parallel = outer_named(decisions_.settle(key("parallel"), usual, options));
    if (kernel_.parallel >= 0 && kernel_.parallel == lanes_ && lane_block_ == 0) {
      const std::int64_t chunk = axis(lanes_).extent / limits_.threads;
      lane_block_ = chunk - chunk % width_;
    }
  }

  void choose_order() {
    std::vector<int> rest = kernel_.outer;
    std::erase(rest, kernel_.parallel);
    const auto spelled = [&](const std::vector<int>& order) {
      std::string out;
      for (const int a : order) out += (out.empty() ? "" : ",") + axis(a).name;
      return out;
    };
    if (rest.size() == 2 || rest.size() == 3) {
      std::vector<std::size_t> places(rest.size());
      for (std::size_t k = 0; k < places.size(); ++k) places[k] = k;
      std::vector<std::string> options;
      std::vector<std::vector<int>> orders;
      do {
        std::vector<int> order;
        for (const std::size_t place : places) order.push_back(rest[place]);
        options.push_back(spelled(order));
        orders.push_back(std::move(order));
      } while (std::next_permutation(places.begin(), places.end()));
      const std::string chosen = decisions_.settle(key("order"), options[0], options);
      rest = orders[static_cast<std::size_t>(std::find(options.begin(), options.end(), chosen) - options.begin())];
    }
    kernel_.outer = std::move(rest);
    if (kernel_.parallel >= 0) kernel_.outer.insert(kernel_.outer.begin(), kernel_.parallel);
  }

  static void move_last(std::vector<int>& order, int a) {
    const auto found = std::find(order.begin(), order.end(), a);
    if (found != order.end()) std::rotate(found, found + 1, order.end());
  }

  void place_vectors() {
    for (Stage& stage : kernel_.stages) {
      stage.vector_axis = lane_inner_ >= 0 ? lane_inner_ : best_inner_axis(kernel_, stage);
      if (stage.vector_axis < 0 || width_ == 1) stage.vector_axis = -1;
      stage.lanes = stage.vector_axis < 0 ? 1 : width_;
      stage.copies = unroll_ == "auto" ? usual_copies(stage) : std::stoi(unroll_);
      if (stage.vector_axis < 0) continue;
      move_last(stage.space, stage.vector_axis);
      move_last(stage.reduce, stage.vector_axis);
    }
  }

  // What tile_reductions.cpp will add: accumulators, and those of a block, of at most three parts of eight bytes.
  std::int64_t accumulator_bytes() const {
    std::int64_t total = 0;
    for (const Stage& stage : kernel_.stages) {
      if (!stage.tile_accumulators) continue;
      std::int64_t elements = 1;
      for (const int a : stage.space) elements *= axis(a).extent;
      for (const Item& item : stage.items) total += item.combiner == Combiner::none ? 0 : 2 * 24 * elements;
    }
    return total;
  }

  // Several accumulators hide the latency of a dependent chain; light bodies gain from fewer loop ends.
  int usual_copies(const Stage& stage) const {
    if (stage.vector_axis < 0) return 1;
    int effort = 0;
    for (const Item& item : stage.items)
      for (const Expr& body : item.body) effort += work(body);
    const std::int64_t steps = axis(stage.vector_axis).extent / stage.lanes;
    const int wanted = stage.reduce.empty() ? (effort <= 4 ? 2 : 1) : effort <= 8 ? 4 : 2;
    return static_cast<int>(std::max<std::int64_t>(1, std::min<std::int64_t>(wanted, steps / 2)));
  }

  KernelSpace& kernel_;
  Decisions& decisions_;
  const Limits& limits_;
  int lanes_ = -1, partner_ = -1, lane_inner_ = -1;
  std::int64_t lane_block_ = 0, partner_block_ = 0;
  int width_ = 1;
  bool tile_accumulators_ = false;
  std::string unroll_;
};

}  // namespace

base::Status schedule(KernelSpace& kernel, Decisions& decisions, const Limits& limits) {
  return Scheduler(kernel, decisions, limits).run();
}

}  // namespace kw::kernel::lowering
