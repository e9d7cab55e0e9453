#pragma once
// Pooling windows: for each spatial dimension where the window of output position o begins and which elements it holds.

#include <vector>

#include "core/kernel/definition/operators/lowering.h"

namespace kw::kernel::table {

// The last `spatial` dimensions of x are pooled. Variables: the output's dimensions, then one for each window dimension.
struct Window {
  Operand x;
  DType inner = DType::f32;          // computing type
  std::size_t lead = 0;              // dimensions before the spatial ones
  Sizes out;                         // sizes of the result
  Sizes extent;                      // of the window (its largest, where it varies)
  Extents extents;                   // out, then extent
  std::vector<Index> position;       // of the element in each spatial dimension, over all variables; may lie outside
  std::vector<Index> guards;         // further indices that must lie in [0, guard_limits), for windows that vary
  Sizes guard_limits;

  std::size_t spatial() const { return extent.size(); }
  Sizes spatial_sizes() const { return {x.sizes.begin() + static_cast<std::ptrdiff_t>(lead), x.sizes.end()}; }
  // The element under the window, or `outside` where there is none.
  Expr element(const Lowering& l, const Expr& outside) const;
};

// Lead dimensions and types; the caller fills position and extent.
Window window_over(const Lowering& l, std::size_t spatial);
// Settles `extents` once `extent` is known.
void close(Window& window);
// One value for each spatial dimension from a list argument of one or of all of them.
Sizes for_each_dimension(Sizes values, std::size_t spatial, const Sizes& otherwise);

// Maximum under the window, and as a second result its position in the flattened spatial dimensions.
// first_inside: for each spatial dimension the first position of the window inside the tensor, over the output's dimensions.
void give_maximum(Lowering& l, const Window& window, const std::vector<Expr>& first_inside);

}  // namespace kw::kernel::table
