#include "core/kernel/recipe/access_width.h"

#include <algorithm>

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t access_bytes = 16;            // the widest load and store of a thread

// How an offset moves over `width` elements of the axis that begin at a multiple of `width`: by 0 or 1 a step, or otherwise.
struct Motion { int stride = 0; bool aligned = true; };      // stride -1: neither. aligned: it begins at a multiple of the width

Motion motion(const Index& offset, int axis, std::int64_t width) {
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

bool one_access(const KernelSpace& kernel, const Access& access, int axis, std::int64_t width) {
  if (access.buffer < 0 || is_tile(kernel, access.buffer)) return true;
  const Motion moved = motion(*access.offset, axis, width);
  const std::int64_t bytes = width * graph::byte_size(kernel.buffers[static_cast<std::size_t>(access.buffer)].type);
  return moved.stride == 0 || (moved.stride == 1 && moved.aligned && bytes <= access_bytes);
}

}  // namespace

int access_width(const KernelSpace& kernel, const std::vector<std::pair<const Stage*, int>>& along) {
  for (std::int64_t width = 8; width > 1; width /= 2) {
    const bool fits = std::all_of(along.begin(), along.end(), [&](const auto& pair) {
      const auto [stage, axis] = pair;
      const std::vector<Access> all = accesses(*stage);
      return kernel.axes[static_cast<std::size_t>(axis)].extent >= width &&
             std::all_of(all.begin(), all.end(), [&, axis = axis](const Access& access) { return one_access(kernel, access, axis, width); });
    });
    if (fits) return static_cast<int>(width);
  }
  return 1;
}

}  // namespace kw::kernel::lowering
