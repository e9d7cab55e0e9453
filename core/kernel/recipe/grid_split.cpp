#include "core/kernel/recipe/grid_split.h"

#include <algorithm>
#include <set>

#include "core/kernel/recipe/combiners.h"
#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/schedule.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t blocks_each = 4;                  // of a multiprocessor
constexpr std::int64_t columns_each = 128;               // of a block whose lanes run along an outer axis
constexpr std::int64_t row_width = 4;                    // elements of an access along a row
constexpr std::int64_t least_work = 1 << 20;             // points that outweigh a second launch
constexpr std::int64_t least_part = 1 << 12;             // points of a part
constexpr std::int64_t shortest_part = 4;                // steps of the split axis
constexpr std::int64_t most_states = 1 << 22;            // of all parts together
constexpr std::int64_t widest_start = 256;               // a part of a long axis begins at a multiple of this

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

class Splitter {
 public:
  explicit Splitter(KernelSpace kernel) : kernel_(std::move(kernel)) {}

  std::vector<KernelSpace> run(std::vector<plan::Buffer>& buffers, Decisions& decisions, const Limits& limits) {
    if (!choose_axis(limits)) return {kernel_};
    const std::int64_t parts = settle(decisions, limits);
    if (parts == 1) return {kernel_};
    const std::int64_t length = length_of(parts);
    KernelSpace united = kernel_;
    const int blocks = cut(length);
    const int part = become_united(united, ceil_div(extent_, length));
    hand_over(united, blocks, part, buffers);
    drop_unused_buffers(kernel_);
    drop_unused_buffers(united);
    return {std::move(kernel_), std::move(united)};
  }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  Stage& stage() { return kernel_.stages[0]; }
  std::int64_t extent(int a) const { return kernel_.axes[at(a)].extent; }
  static bool reduces(const Item& item) { return item.combiner != Combiner::none; }

  std::int64_t product(const std::vector<int>& axes) const {
    std::int64_t total = 1;
    for (const int a : axes) total *= extent(a);
    return total;
  }

  // The first reduced axis that has a step for every part, else the longest.
  bool choose_axis(const Limits& limits) {
    if (kernel_.stages.size() != 1 || product(stage().reduce) <= most_unrolled) return false;
    wanted_ = ceil_div(blocks_each * limits.threads, blocks());
    for (const int a : stage().reduce) {
      if (extent(a) > extent_) axis_ = a, extent_ = extent(a);
      if (extent_ >= wanted_ * shortest_part) break;
    }
    return extent_ >= 2 * shortest_part;
  }

  // Of the usual size, that the kernel has as a whole: stretches of columns, or a row each.
  std::int64_t blocks() const {
    const std::vector<LaneOption> options = lane_options(kernel_);
    const std::string lanes = options.empty() ? "inner" : best_lanes(options);
    std::int64_t total = 1;
    for (const int a : kernel_.outer) total *= kernel_.axes[at(a)].name == lanes ? ceil_div(extent(a), columns_each) : extent(a);
    const int row = best_inner_axis(kernel_, kernel_.stages[0]);
    return lanes != "inner" || row < 0 ? total : ceil_div(total * row_threads(extent(row), row_width), usual_threads);
  }

  std::int64_t settle(Decisions& decisions, const Limits& limits) {
    const std::int64_t points = product(kernel_.outer) * product(stage().space), work = points * product(stage().reduce);
    const std::int64_t most = std::min(extent_ / shortest_part, most_states / points);
    if (most < 2) return 1;
    const bool worth = blocks() < 2 * limits.threads && work >= least_work;
    const std::int64_t enough = std::min({most, wanted_, work / blocks() / least_part});
    std::int64_t usual = 1;
    while (worth && usual < enough && 2 * usual <= most) usual *= 2;
    std::set<std::int64_t> options = {1, usual};
    for (std::int64_t parts = 4; parts <= most && parts <= 1024; parts *= 4) options.insert(parts);
    if (2 * usual <= most) options.insert(2 * usual);
    return decisions.settle("split." + kernel_.name, usual, std::vector<std::int64_t>(options.begin(), options.end()));
  }

  // Of a part: what is left over is the last one's. Long ones begin where vectors may begin.
  std::int64_t length_of(std::int64_t parts) const {
    const std::int64_t even = ceil_div(extent_, parts);
    std::int64_t step = 1;
    while (step < widest_start && even >= 32 * step) step *= 2;
    return ceil_div(even, step) * step;
  }

  // The split axis becomes an outer one over the parts.
  int cut(std::int64_t length) {
    const int inner = block_axis(kernel_, axis_, length);
    std::replace(stage().reduce.begin(), stage().reduce.end(), axis_, inner);
    kernel_.outer.insert(kernel_.outer.begin(), axis_);
    std::erase_if(stage().items, [](const Item& item) { return item.after_reduction; });
    return axis_;
  }

  // What is done at the end, over an axis of the parts. What was done beside the reductions has been done.
  static int become_united(KernelSpace& kernel, std::int64_t parts) {
    const int part = static_cast<int>(kernel.axes.size());
    kernel.name += "_united";
    kernel.axes.push_back({"part", parts});
    kernel.stages[0].reduce = {part};
    std::erase_if(kernel.stages[0].items, [](const Item& item) { return !reduces(item) && !item.after_reduction; });
    return part;
  }

  // Every part of every state goes through a workspace, [parts][outer axes][space axes].
  void hand_over(KernelSpace& united, int blocks, int part, std::vector<plan::Buffer>& buffers) {
    std::vector<int> point = united.outer;
    point.insert(point.end(), united.stages[0].space.begin(), united.stages[0].space.end());
    const std::int64_t points = product(point), parts = united.axes[at(part)].extent;
    Index place;
    std::int64_t stride = 1;
    for (std::size_t k = point.size(); k-- > 0; stride *= extent(point[k])) place = add(place, scale(variable(point[k]), stride));
    for (Item& to : united.stages[0].items) {
      if (!reduces(to)) continue;
      Item& from = *std::find_if(stage().items.begin(), stage().items.end(), [&](const Item& item) { return item.tensor == to.tensor; });
      const State state = identity(from.combiner, from.body[0]->type, INT64_MAX);
      from.stores.clear();
      to.body.clear();
      to.linear = {};
      for (int k = 0; k < static_cast<int>(state.size()); ++k) {
        const DType type = state[at(k)]->type;
        const std::string name = from.name + ".part" + (k > 0 ? "." + std::to_string(k) : "");
        const NestBuffer memory{name, type, parts * points, Space::global, static_cast<int>(buffers.size())};
        buffers.push_back({name, plan::BufferRole::workspace, {type, {parts, points}, {points, 1}}});
        from.stores.push_back({static_cast<int>(kernel_.buffers.size()), k, add(scale(variable(blocks), points), place)});
        to.body.push_back(element(static_cast<int>(united.buffers.size()), add(scale(variable(part), points), place), type));
        kernel_.buffers.push_back(memory);
        united.buffers.push_back(memory);
      }
    }
  }

  static void drop_unused_buffers(KernelSpace& kernel) {
    std::set<int> used;
    for (const Access& access : accesses(kernel)) used.insert(access.buffer);
    for (int b = 0; b < static_cast<int>(kernel.buffers.size()); ++b)
      if (!used.contains(b)) kernel.buffers[at(b)].elements = 0;
  }

  KernelSpace kernel_;
  int axis_ = -1;                        // that is split
  std::int64_t extent_ = 0, wanted_ = 0; // its steps; parts that keep the GPU busy
};

}  // namespace

std::vector<KernelSpace> split_grid(KernelSpace kernel, std::vector<plan::Buffer>& buffers, Decisions& decisions, const Limits& limits) {
  return Splitter(std::move(kernel)).run(buffers, decisions, limits);
}

}  // namespace kw::kernel::lowering
