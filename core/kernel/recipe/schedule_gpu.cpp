// What becomes of each axis on a GPU. Two shapes:
//
//   flat   the lanes run along an outer axis (or all of them, as one): a block takes a stretch of it, reductions stay in a thread
//   rows   the lanes run along the inner axes: the threads of a row share each stage's vector axis and unite their reductions
//
// Values that one thread writes and reads again stay in its registers, others in a tile of the block.
#include <algorithm>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/row_cache.h"
#include "core/kernel/recipe/schedule.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t access_bytes = 16;            // the widest load and store of a thread
constexpr int warp = 32, most_threads = 1024, usual_threads = 256;
constexpr std::int64_t most_own = 128;               // elements that a thread keeps in registers
constexpr std::int64_t union_bytes = 4 << 10;        // of shared memory, for what warps tell each other at the end of reductions
constexpr std::int64_t usual_own = 16;               // elements of a row that a thread takes
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
    return place_tiles();
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

  // -- the width of an access ------------------------------------------------------------------------------------------

  // How an offset moves over `width` elements of the axis that begin at a multiple of `width`: by 0 or 1 a step, or otherwise.
  struct Motion { int stride = 0; bool aligned = true; };      // stride -1: neither. aligned: it begins at a multiple of the width

  static Motion motion(const Index& offset, int axis, std::int64_t width) {
    Motion sum{0, offset.constant % width == 0};
    for (const IndexTerm& term : offset.terms) {
      Motion one{0, false};                            // of the term without its coefficient
      if (term.kind == IndexTerm::Kind::variable) {
        one = {term.variable == axis ? 1 : 0, term.variable == axis};
      } else if (depends_on(*term.inner, axis)) {
        const Motion inner = motion(*term.inner, axis, width);
        const bool whole = inner.stride == 1 && inner.aligned && term.divisor % width == 0;   // never across a period of the divisor
        if (inner.stride != 0 && !whole) return {-1, false};
        if (whole && term.kind == IndexTerm::Kind::mod) one = {1, true};
      }
      if (one.stride != 0 && (term.coefficient != 1 || sum.stride != 0)) return {-1, false};
      sum.stride += one.stride;
      sum.aligned = sum.aligned && (one.aligned || term.coefficient % width == 0);
    }
    return sum;
  }

  // The widest of which every access of memory along these axes is one of a thread, or the same for all its elements.
  int usual_width(const std::vector<std::pair<const Stage*, int>>& along) const {
    for (std::int64_t width = 8; width > 1; width /= 2) {
      const bool fits = std::all_of(along.begin(), along.end(), [&, this](const auto& pair) {
        const std::vector<Access> all = accesses(*pair.first);
        return extent(pair.second) >= width && std::all_of(all.begin(), all.end(), [&, this](const Access& access) {
          if (access.buffer < 0 || is_tile(kernel_, access.buffer)) return true;
          const Motion moved = motion(*access.offset, pair.second, width);
          const std::int64_t bytes = width * graph::byte_size(kernel_.buffers[at(access.buffer)].type);
          return moved.stride == 0 || (moved.stride == 1 && moved.aligned && bytes <= access_bytes);
        });
      });
      if (fits) return static_cast<int>(width);
    }
    return 1;
  }

  std::int64_t settle(const char* what, std::int64_t usual, std::vector<std::int64_t> options) {
    if (std::find(options.begin(), options.end(), usual) == options.end()) options.push_back(usual);
    std::sort(options.begin(), options.end());
    return options.size() > 1 ? decisions_.settle(key(what), usual, options) : usual;
  }

  static std::vector<std::int64_t> widths() { return {1, 2, 4, 8}; }

  // -- flat ------------------------------------------------------------------------------------------------------------

  void flat() {
    if (lanes_ < 0) {                                  // one point
      kernel_.threads = 1;
      return;
    }
    std::vector<std::pair<const Stage*, int>> along;
    for (const Stage& stage : kernel_.stages) along.emplace_back(&stage, lanes_);
    // Tiles grow with the lanes of a block: narrower vectors, then fewer threads, until they fit.
    const auto too_big = [&, this](std::int64_t lanes) { return tile_bytes(kernel_) * lanes > limits_.shared_bytes; };
    std::int64_t usual = usual_width(along);
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

  std::int64_t outer_points() const {
    std::int64_t total = 1;
    for (const int a : kernel_.outer) total *= extent(a);
    return total;
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
    const std::int64_t width = settle("vector", usual_width(along), widths());
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
    cache_rows(kernel_, decisions_, most_own);
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
    if (longest < 0 || kernel_.threads > warp || !rows_are_apart()) return;
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

  // -- tiles -------------------------------------------------------------------------------------------------------------

  // The length of the axis along which every access of the tile lies at the point that its thread is at; 0 where one does not.
  std::int64_t own_length(int buffer) const {
    std::int64_t length = 0;
    for (const Stage& stage : kernel_.stages)
      for (const Access& access : accesses(stage)) {
        if (access.buffer != buffer) continue;
        int v = -1;
        if (stage.vector_axis < 0 || !is_variable(*access.offset, &v) || v != stage.vector_axis) return 0;
        if (length != 0 && length != extent(v)) return 0;
        length = extent(v);
      }
    return own_elements(kernel_, length) <= most_own ? length : 0;
  }

  bool holds_values(int buffer) const {
    const NestBuffer& b = kernel_.buffers[at(buffer)];
    return b.space == Space::tile && b.elements > 1;
  }

  bool rows_are_apart() const {
    for (int b = 0; b < static_cast<int>(kernel_.buffers.size()); ++b)
      if (holds_values(b) && own_length(b) == 0) return false;
    // What a row keeps in memory needs barriers, which parts of a block cannot have.
    const std::vector<Access> all = accesses(kernel_);
    return std::none_of(all.begin(), all.end(), [&](const Access& access) { return !access.store && access.buffer >= 0 && written(kernel_, access.buffer) && !is_tile(kernel_, access.buffer); });
  }

  base::Status place_tiles() {
    std::vector<std::pair<int, std::int64_t>> own;
    std::int64_t shared = 0, kept = 0;
    for (int b = 0; b < static_cast<int>(kernel_.buffers.size()); ++b) {
      if (!holds_values(b)) continue;
      const NestBuffer& buffer = kernel_.buffers[at(b)];
      const std::int64_t length = own_length(b);
      if (length > 0 && kept + own_elements(kernel_, length) <= 2 * most_own) {
        own.emplace_back(b, own_elements(kernel_, length));
        kept += own_elements(kernel_, length);
      } else {
        shared += ceil_div(buffer.elements * graph::byte_size(buffer.type), access_bytes) * access_bytes;
      }
    }
    for (const auto& [b, elements] : own) {
      kernel_.buffers[at(b)].space = Space::own;
      kernel_.buffers[at(b)].elements = elements;
    }
    const bool rows_share = std::any_of(kernel_.outer.begin(), kernel_.outer.end(), [&](int a) { return kernel_.axes[at(a)].kind == LoopKind::thread; });
    if (shared > 0 && rows_share)
      return base::Error{base::ErrorCode::unsupported, "the rows of a block of " + kernel_.name + " would share a tile; use rows." + kernel_.name + "=1", "recipe"};
    const std::int64_t room = limits_.shared_bytes - (kernel_.threads > warp && lanes_ < 0 ? union_bytes : 0);
    if (shared <= room) return base::done();
    return base::Error{base::ErrorCode::unsupported, "the tiles of " + kernel_.name + " need " + std::to_string(shared) + " bytes of shared memory, a block has " +
                                                         std::to_string(room) + "; keep a value in memory", "recipe"};
  }

  KernelSpace& kernel_;
  Decisions& decisions_;
  const Limits& limits_;
  int lanes_ = -1;
};

}  // namespace

base::Status schedule_gpu(KernelSpace& kernel, Decisions& decisions, const Limits& limits) { return GpuScheduler(kernel, decisions, limits).run(); }

}  // namespace kw::kernel::lowering
