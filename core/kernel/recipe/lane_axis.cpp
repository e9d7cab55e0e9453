// Which axis should the vector lanes run along?
#include <algorithm>
#include <cstdlib>

#include "core/kernel/recipe/combiners.h"
#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/schedule.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t shortest_vector_axis = 4;
constexpr double dense = 1, invariant = 0.8, strided = -0.5;
constexpr double store_weight = 1.5;             // lanes that scatter cost more than lanes that gather
constexpr double lane_tree = 0.05;               // a reduction across lanes ends in a tree

bool arg_reduction(const Stage& stage) {
  return std::any_of(stage.items.begin(), stage.items.end(), [](const Item& item) { return needs_position(item.combiner); });
}

}  // namespace

double lane_score(const KernelSpace& kernel, const Stage& stage, int axis) {
  double score = 0, weight = 0;
  for (const Access& access : accesses(stage)) {
    if (access.buffer < 0 || is_tile(kernel, access.buffer)) continue;
    const std::int64_t step = std::abs(coefficient(*access.offset, axis));
    const double w = access.store ? store_weight : 1;
    const bool plain = affine_in(*access.offset, axis);
    score += w * (!plain || step > 1 ? strided : step == 1 ? dense : invariant);
    weight += w;
  }
  if (weight == 0) return dense;
  const bool reduced = std::find(stage.reduce.begin(), stage.reduce.end(), axis) != stage.reduce.end();
  return score / weight - (reduced ? lane_tree : 0);
}

int best_inner_axis(const KernelSpace& kernel, const Stage& stage) {
  std::vector<int> candidates = stage.space;
  if (arg_reduction(stage)) {
    if (!stage.reduce.empty()) candidates.push_back(stage.reduce.back());
  } else {
    candidates.insert(candidates.end(), stage.reduce.begin(), stage.reduce.end());
  }
  int best = -1;
  double best_score = 0;
  for (const int axis : candidates) {
    if (kernel.axes[static_cast<std::size_t>(axis)].extent < shortest_vector_axis) continue;
    const double score = lane_score(kernel, stage, axis);
    if (best < 0 || score > best_score + 1e-9) best = axis, best_score = score;
  }
  return best;
}

namespace {

std::int64_t points_of(const KernelSpace& kernel, const Stage& stage) {
  std::int64_t total = 1;
  for (const auto* axes : {&stage.space, &stage.reduce})
    for (const int a : *axes) total *= kernel.axes[static_cast<std::size_t>(a)].extent;
  return total;
}

double score_along(const KernelSpace& kernel, int outer_axis) {
  double score = 0;
  for (const Stage& stage : kernel.stages) {
    const int axis = outer_axis >= 0 ? outer_axis : best_inner_axis(kernel, stage);
    const bool too_short = axis < 0 || kernel.axes[static_cast<std::size_t>(axis)].extent < shortest_vector_axis;
    score += static_cast<double>(points_of(kernel, stage)) * (too_short ? -1 : lane_score(kernel, stage, axis));
  }
  return score;
}

}  // namespace

std::vector<LaneOption> lane_options(const KernelSpace& kernel) {
  std::vector<LaneOption> options;
  const bool inner = std::any_of(kernel.stages.begin(), kernel.stages.end(), [](const Stage& s) { return s.space.size() + s.reduce.size() > 0; });
  if (inner) options.push_back({"inner", score_along(kernel, -1)});
  for (std::size_t k = kernel.outer.size(); k-- > 0;)
    if (const KernelAxis& axis = kernel.axes[static_cast<std::size_t>(kernel.outer[k])]; axis.inner < 0)
      options.push_back({axis.name, score_along(kernel, kernel.outer[k])});
  return options;
}

std::string best_lanes(const std::vector<LaneOption>& options) {
  const auto worse = [](const LaneOption& a, const LaneOption& b) { return a.score < b.score - 1e-9; };
  return std::max_element(options.begin(), options.end(), worse)->name;
}

}  // namespace kw::kernel::lowering
