// What becomes of each axis on a GPU. Two shapes:
//
//   flat   the lanes run along an outer axis (or all of them, as one): a block takes a stretch of it, reductions stay in a thread
//   rows   the lanes run along the inner axes: the threads of a row share each stage's vector axis and unite their reductions
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

constexpr int usual_threads = 256;
constexpr std::int64_t usual_own = 16;               // elements of a row that a thread takes
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
    return place_tiles(kernel_, limits_, in_shared_);
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
    if (kernel_.outer.size() > 1) {
      names.push_back("all");
      if (usual != "inner" && wasteful(outer_named(usual))) usual = "all";
    }
    const std::string chosen = names.size() > 1 ? decisions_.settle(key("lanes"), usual, names) : usual;
    lanes_ = chosen == "all" ? join_outer_axes() : outer_named(chosen);
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
    std::int64_t total = 1;
    std::string name = "all";
    for (const int a : kernel_.outer) total *= extent(a);
    const int joined = static_cast<int>(kernel_.axes.size());
    kernel_.axes.push_back({name, total});
    std::vector<Index> values;
    for (int a = 0; a <= joined; ++a) values.push_back(variable(a));
    const Extents sizes = extents(kernel_);
    std::int64_t below = 1;
    for (std::size_t k = kernel_.outer.size(); k-- > 0; below *= extent(kernel_.outer[k])) {
      const Index upper = floor_div(variable(joined), below, sizes);
      values[at(kernel_.outer[k])] = k == 0 ? upper : mod(upper, extent(kernel_.outer[k]), sizes);
    }
    change_indices(kernel_, [&](const Index& map, bool) { return substitute(map, values, sizes); });
    for (const int a : kernel_.outer) kernel_.axes[at(a)].extent = 1;
    kernel_.outer = {joined};
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
    for (const int a : kernel_.outer) total *= extent(a);
    return total;
  }

  // -- flat ------------------------------------------------------------------------------------------------------------

  void flat() {
    if (lanes_ < 0) {                                  // one point
      kernel_.threads = 1;
      return;
    }
    std::vector<std::pair<const Stage*, int>> along;
    for (const Stage& stage : kernel_.stages) along.emplace_back(&stage, lanes_);
    // Tiles grow with the lanes of a block: narrower vectors, then fewer threads, until they fit.
    const auto too_big = [&, this](std::int64_t lanes) { return tile_bytes(kernel_) * lanes > std::min(limits_.shared_bytes, usual_tile_bytes); };
    std::int64_t usual = access_width(kernel_, along);
    while (usual > 1 && too_big(usual * usual_threads / 2)) usual /= 2;
    const std::int64_t width = settle("vector", usual, widths());
    // Small tensors spread over more blocks.
    const std::int64_t vectors = ceil_div(extent(lanes_), width), others = outer_points() / extent(lanes_);
    std::int64_t threads = usual_threads;
    while (threads > warp && (too_big(width * threads) || ceil_div(vectors, threads) * others < limits_.threads)) threads /= 2;
    kernel_.threads = static_cast<int>(settle("threads", threads, {32, 64, 128, 256, 512, 1024}));
    const std::int64_t copies = settle("unroll", 1, {1, 2, 4});
    const int inner = pull_inside(kernel_, lanes_, width * copies * kernel_.threads);
    for (Stage& stage : kernel_.stages) {
      stage.vector_axis = inner;
      stage.lanes = static_cast<int>(width);
      stage.copies = static_cast<int>(copies);
    }
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
    const std::int64_t enough = power_of_two_from(ceil_div(longest, std::max(usual_own, width)));
    const std::int64_t threads = std::clamp<std::int64_t>(enough, std::min<std::int64_t>(warp, power_of_two_from(ceil_div(longest, width))), most_threads);
    kernel_.threads = static_cast<int>(settle("threads", threads, {8, 16, 32, 64, 128, 256, 512, 1024}));
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
    for (const int a : kernel_.outer)
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

base::Status schedule_gpu(KernelSpace& kernel, Decisions& decisions, const Limits& limits) { return GpuScheduler(kernel, decisions, limits).run(); }

}  // namespace kw::kernel::lowering
