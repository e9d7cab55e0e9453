#include "core/kernel/recipe/merging.h"

#include <algorithm>
#include <cstdlib>

#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {
namespace {

// i0 and i1 give i01.
std::string merged_name(const std::string& a, const std::string& b) { return a + b.substr(1); }

bool mergeable(const KernelSpace& kernel, int a, int b) {
  const std::int64_t width = kernel.axes[static_cast<std::size_t>(b)].extent;
  const std::vector<Access> all = accesses(kernel);
  return std::all_of(all.begin(), all.end(), [&](const Access& access) {
    return affine_in(*access.offset, a) && affine_in(*access.offset, b) &&
           coefficient(*access.offset, a) == coefficient(*access.offset, b) * width;
  });
}

// Axis b takes the extent of both; axis a keeps its number and is used no more.
void merge(KernelSpace& kernel, std::vector<int>& order, std::size_t position) {
  const int a = order[position], b = order[position + 1];
  KernelAxis& first = kernel.axes[static_cast<std::size_t>(a)];
  KernelAxis& second = kernel.axes[static_cast<std::size_t>(b)];
  second.name = merged_name(first.name, second.name);
  second.extent *= first.extent;
  first.extent = 1;
  order.erase(order.begin() + static_cast<std::ptrdiff_t>(position));
  change_indices(kernel, [&](const Index& map, bool) {
    Index out = map;
    std::erase_if(out.terms, [a](const IndexTerm& t) { return t.kind == IndexTerm::Kind::variable && t.variable == a; });
    return out;
  });
}

void merge_list(KernelSpace& kernel, std::vector<int>& order) {
  for (std::size_t k = order.size(); k-- > 1;)
    if (mergeable(kernel, order[k - 1], order[k])) merge(kernel, order, k - 1);
}

// Largest stride of a store first, so that memory is walked in order and dense neighbours stand side by side.
void sort_by_stores(KernelSpace& kernel) {
  const std::vector<Access> all = accesses(kernel);
  const auto stride = [&](int axis) {
    for (const Access& access : all)
      if (access.store && !is_tile(kernel, access.buffer)) return std::abs(coefficient(*access.offset, axis));
    return std::int64_t{0};
  };
  std::stable_sort(kernel.outer.begin(), kernel.outer.end(), [&](int a, int b) { return stride(a) > stride(b); });
}

}  // namespace

void merge_axes(KernelSpace& kernel) {
  sort_by_stores(kernel);
  merge_list(kernel, kernel.outer);
  for (Stage& stage : kernel.stages) {
    merge_list(kernel, stage.space);
    merge_list(kernel, stage.reduce);
  }
}

}  // namespace kw::kernel::lowering
