#pragma once
// Which axes a node reduces, and how its operands are read at a point (kept axes first, then reduced ones).
// A 0-dim tensor reduces over one axis of length 1, so that every reduction has an axis.

#include <vector>

#include "core/kernel/definition/operators/lowering.h"

namespace kw::kernel::table {

struct Axes {
  Axes(const Sizes& sizes, const std::vector<int>& reduced);

  Sizes full;                    // of the reduced tensor
  Sizes kept;                    // without the reduced dimensions
  Sizes keepdim;                 // with 1 in their place
  Sizes over;                    // the reduced dimensions
  Extents extents;               // kept, then over
  std::vector<Index> point;      // of the reduced tensor, one per dimension
  std::int64_t count() const { return product(over); }

  // `x` (sizes `full`, or something broadcast to it) at the point.
  Expr read(const Lowering& l, const Operand& x) const;
  // A tensor over `kept` as one over `keepdim`.
  Operand with_kept_dims(const Operand& reduced) const;

 private:
  std::vector<bool> is_reduced_;
};

// Mean, centred values and reciprocal standard deviation of `x` over `axes`; all in the computing type `inner`.
struct Moments {
  Operand mean;       // kept
  Operand centred;    // full
  Operand squares;    // kept: sum of squares of centred
};
Moments moments(Lowering& l, const Axes& axes, const Operand& x, DType inner);
// sum / divisor over `kept`; `name` is the definition's.
Operand divided(Lowering& l, const std::string& name, const Operand& sum, double divisor, DType storage);

}  // namespace kw::kernel::table
