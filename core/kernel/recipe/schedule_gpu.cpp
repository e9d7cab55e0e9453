// What becomes of each axis on a GPU. Three shapes:
//
//   flat      the lanes run along an outer axis (or all of them, as one): a block takes a stretch of it, reductions stay in a thread
//   columns   the same, and the rows of threads of a block share the inner axes and unite their reductions
//   rows      the lanes run along the inner axes: the threads of a row share each stage's vector axis and unite their reductions
//
// Values that one thread writes and reads again stay in its registers, others in a tile of the block.
#include <algorithm>

#include "core/kernel/recipe/access_width.h"
#include "core/kernel/recipe/block_memory.h"
#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/row_cache.h"
#include "core/kernel/recipe/schedule.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t busy_threads = 1024;          // of a multiprocessor that waits for memory
constexpr std::int64_t usual_own = 16;               // elements of a row that a thread takes
constexpr std::int64_t least_rows = 4;               // steps of a row axis that are worth a thread
constexpr std::int64_t longest_window = 16;          // one side of it
constexpr std::int64_t usual_tile_bytes = 48 << 10;  // leave a multiprocessor room for several blocks
constexpr double wasted = 0.12;                      // share of idle lanes at the end of an axis that is worth joining axes

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

std::int64_t power_of_two_from(std::int64_t n) {
  std::int64_t p = 1;
  while (p < n) p *= 2;
  return p;
}

class GpuScheduler {
 public:
  GpuScheduler(KernelSpace& kernel, Decisions& decisions, const Limits& limits) : kernel_(kernel), decisions_(decisions), limits_(limits) {}

  base::Status run() {
    choose_lanes();
    if (lanes_ >= 0 || !has_inner()) flat();
    else rows();
    for (const int a : kernel_.outer)
      if (kernel_.axes[at(a)].kind == LoopKind::serial) kernel_.axes[at(a)].kind = LoopKind::grid;
    if (auto status = place_tiles(kernel_, limits_, in_shared_); !status) return status;
    for (Stage& stage : kernel_.stages) shorten_chains(kernel_, stage);
    return base::done();
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::string key(const char* what) const { return std::string(what) + "." + kernel_.name; }
  std::int64_t extent(int a) const { return kernel_.axes[at(a)].extent; }
  bool has_inner() const {
    return std::any_of(kernel_.stages.begin(), kernel_.stages.end(), [](const Stage& s) { return s.space.size() + s.reduce.size() > 0; });
  }

  // -- the axis of the lanes -------------------------------------------------------------------------------------------

  void choose_lanes() {
    const std::vector<LaneOption> options = lane_options(kernel_);
    if (options.empty()) return;
    std::string usual = best_lanes(options);
    std::vector<std::string> names;
    for (const LaneOption& option : options) names.push_back(option.name);
    if (whole_axes().size() > 1) {
      names.push_back("all");
      if (usual != "inner" && wasteful(outer_named(usual))) usual = "all";
    }
    const std::string chosen = names.size() > 1 ? decisions_.settle(key("lanes"), usual, names) : usual;
    lanes_ = chosen == "all" ? join_outer_axes() : outer_named(chosen);
  }

  // The outer axes that nobody has blocked.
  std::vector<int> whole_axes() const {
    std::vector<int> whole = kernel_.outer;
    std::erase_if(whole, [&, this](int a) { return kernel_.axes[at(a)].inner >= 0; });
    return whole;
  }

  int outer_named(const std::string& name) const {
    for (const int a : kernel_.outer)
      if (kernel_.axes[at(a)].name == name) return a;
    return -1;
  }

  // Only the innermost axis can be joined with the others and stay dense.
  bool wasteful(int a) const {
    if (a < 0 || a != kernel_.outer.back()) return false;
    constexpr std::int64_t block = 4 * usual_threads;
    return static_cast<double>(ceil_div(extent(a), block) * block) > static_cast<double>(extent(a)) * (1 + wasted);
  }

  // One axis over all outer ones, which become its quotients and remainders.
  int join_outer_axes() {
    const std::vector<int> whole = whole_axes();
    std::int64_t total = 1;
    for (const int a : whole) total *= extent(a);
    const int joined = static_cast<int>(kernel_.axes.size());
    kernel_.axes.push_back({"all", total});
    std::vector<Index> values;
    for (int a = 0; a <= joined; ++a) values.push_back(variable(a));
    const Extents sizes = extents(kernel_);
    std::int64_t below = 1;
    for (std::size_t k = whole.size(); k-- > 0; below *= extent(whole[k])) {
      const Index upper = floor_div(variable(joined), below, sizes);
      values[at(whole[k])] = k == 0 ? upper : mod(upper, extent(whole[k]), sizes);
    }
    change_indices(kernel_, [&](const Index& map, bool) { return substitute(map, values, sizes); });
    for (const int a : whole) {
      kernel_.axes[at(a)].extent = 1;
      std::erase(kernel_.outer, a);
    }
    kernel_.outer.push_back(joined);
    return joined;
  }

  std::int64_t settle(const char* what, std::int64_t usual, std::vector<std::int64_t> options) {
    if (std::find(options.begin(), options.end(), usual) == options.end()) options.push_back(usual);
    std::sort(options.begin(), options.end());
    return options.size() > 1 ? decisions_.settle(key(what), usual, options) : usual;
  }

  static std::vector<std::int64_t> widths() { return {1, 2, 4, 8}; }

  std::int64_t outer_points() const {
    std::int64_t total = 1;
    for (const int a : kernel_.outer) total *= extent(a) + (kernel_.axes[at(a)].rest > 0 ? 1 : 0);
    return total;
  }

  // -- flat and columns --------------------------------------------------------------------------------------------------

  void flat() {
    if (lanes_ < 0) {                                  // one point
      kernel_.threads = 1;
      return;
    }
    std::vector<std::pair<const Stage*, int>> along;
    for (const Stage& stage : kernel_.stages) along.emplace_back(&stage, lanes_);
    const std::int64_t rows = choose_row_axes(), others = outer_points() / extent(lanes_);
    // Tiles grow with the lanes of a block: narrower vectors, then fewer threads, until they fit.
    const auto too_big = [&, this](std::int64_t lanes) { return tile_bytes(kernel_) * lanes > std::min(limits_.shared_bytes, usual_tile_bytes); };
    std::int64_t usual = access_width(kernel_, along);
    while (usual > 1 && too_big(usual * (rows > 1 ? warp : usual_threads / 2))) usual /= 2;
    const std::int64_t width = settle("vector", usual, widths());
    const std::int64_t vectors = ceil_div(extent(lanes_), width);
    const bool columns = vectors * others < limits_.threads * busy_threads && rows >= 2 * least_rows;
    // Small tensors spread over more blocks; columns of a warp leave the most threads to their rows.
    std::int64_t threads = columns ? std::min<std::int64_t>(warp, power_of_two_from(vectors)) : usual_threads;
    while (threads > warp && (too_big(width * threads) || ceil_div(vectors, threads) * others < limits_.threads)) threads /= 2;
    std::vector<std::int64_t> options = {32, 64, 128, 256, 512, 1024};
    if (rows > 1) options.insert(options.end(), {8, 16});
    kernel_.threads = static_cast<int>(settle("threads", threads, options));
    const std::int64_t wanted = columns ? std::min<std::int64_t>(rows / least_rows, usual_threads / kernel_.threads) : 1;
    choose_height(rows, std::max<std::int64_t>(power_of_two_from(wanted + 1) / 2, 1));
    const std::int64_t copies = settle("unroll", 1, {1, 2, 4});
    const int inner = pull_inside(kernel_, lanes_, width * copies * kernel_.threads);
    for (Stage& stage : kernel_.stages) {
      stage.vector_axis = inner;
      stage.lanes = static_cast<int>(width);
      stage.copies = static_cast<int>(copies);
    }
  }

  // The longest inner axis of each stage, but for windows; the longest of these.
  std::int64_t choose_row_axes() {
    std::int64_t longest = 1;
    for (Stage& stage : kernel_.stages) {
      std::vector<int> candidates = stage.space;
      std::int64_t reduced = 1;
      for (const int a : stage.reduce) reduced *= extent(a);
      for (const int a : stage.reduce)
        if (reduced > most_unrolled || extent(a) >= longest_window) candidates.push_back(a);
      for (const int a : candidates)
        if (extent(a) > (stage.row_axis < 0 ? 1 : extent(stage.row_axis))) stage.row_axis = a;
      if (stage.row_axis >= 0) longest = std::max(longest, extent(stage.row_axis));
    }
    return longest;
  }

  void choose_height(std::int64_t rows, std::int64_t usual) {
    std::vector<std::int64_t> options = {1};
    for (std::int64_t height = 2; height <= rows && height * kernel_.threads <= most_threads; height *= 2) options.push_back(height);
    kernel_.height = static_cast<int>(settle("height", usual, options));
    if (kernel_.height > 1) return;
    for (Stage& stage : kernel_.stages) stage.row_axis = -1;
  }

  // -- rows ------------------------------------------------------------------------------------------------------------

  void rows() {
    std::vector<std::pair<const Stage*, int>> along;
    std::int64_t longest = 1;
    for (Stage& stage : kernel_.stages) {
      stage.vector_axis = best_inner_axis(kernel_, stage);
      if (stage.vector_axis < 0 && stage.space.size() + stage.reduce.size() > 0) stage.vector_axis = stage.space.empty() ? stage.reduce.back() : stage.space.back();
      if (stage.vector_axis < 0) continue;
      along.emplace_back(&stage, stage.vector_axis);
      longest = std::max(longest, extent(stage.vector_axis));
    }
    const std::int64_t width = settle("vector", access_width(kernel_, along), widths());
    kernel_.threads = static_cast<int>(settle("threads", row_threads(longest, width), {8, 16, 32, 64, 128, 256, 512, 1024}));
    for (Stage& stage : kernel_.stages) {
      stage.lanes = stage.vector_axis < 0 ? 1 : static_cast<int>(width);
      stage.copies = 1;
      if (stage.vector_axis < 0) continue;
      move_last(stage.space, stage.vector_axis);
      move_last(stage.reduce, stage.vector_axis);
    }
    in_shared_ = cache_rows(kernel_, decisions_, limits_);
    share_blocks();
  }

  static void move_last(std::vector<int>& order, int a) {
    const auto found = std::find(order.begin(), order.end(), a);
    if (found != order.end()) std::rotate(found, found + 1, order.end());
  }

  // Short rows share a block.
  void share_blocks() {
    int longest = -1;
    for (const int a : whole_axes())
      if (longest < 0 || extent(a) > extent(longest)) longest = a;
    if (longest < 0 || kernel_.threads > warp || !rows_are_apart(kernel_, in_shared_)) return;
    std::vector<std::int64_t> options = {1};
    for (std::int64_t rows = 2; rows <= 32 && rows * kernel_.threads <= most_threads && rows < extent(longest); rows *= 2) options.push_back(rows);
    std::int64_t usual = 1;
    while (usual * 2 <= options.back() && usual * kernel_.threads < usual_threads / 2 && outer_points() / (usual * 2) >= limits_.threads) usual *= 2;
    const std::int64_t rows = settle("rows", usual, options);
    if (rows == 1) return;
    const int inner = block_axis(kernel_, longest, rows);
    kernel_.axes[at(inner)].kind = LoopKind::thread;
    kernel_.outer.push_back(inner);
  }

  KernelSpace& kernel_;
  Decisions& decisions_;
  const Limits& limits_;
  int lanes_ = -1;
  std::set<int> in_shared_;                            // tiles that a thread could keep
};

}  // namespace

std::int64_t row_threads(std::int64_t length, std::int64_t width) {
  const std::int64_t enough = power_of_two_from(ceil_div(length, std::max(usual_own, width)));
  return std::clamp<std::int64_t>(enough, std::min<std::int64_t>(warp, power_of_two_from(ceil_div(length, width))), most_threads);
}

base::Status schedule_gpu(KernelSpace& kernel, Decisions& decisions, const Limits& limits) { return GpuScheduler(kernel, decisions, limits).run(); }

}  // namespace kw::kernel::lowering
