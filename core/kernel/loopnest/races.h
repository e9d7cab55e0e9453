#pragma once
// Proves that the iterations of a parallel loop are independent in memory: no two write one element of a global buffer and
// none reads what another writes. First by a mixed-radix argument on the strides, then, for small spaces, by enumeration.
//
// Mixed radix: an offset is a sum of coefficient * digit. Going down from the largest coefficient H, the digit there is
// determined by the offset as soon as everything below spans less than H. When every digit that depends on the parallel
// variable is determined, equal offsets mean equal iterations.

#include <vector>

#include "core/kernel/loopnest/bounds.h"

namespace kw::kernel {

struct Access {
  bool write = false;
  int buffer = -1;
  Index map;
  Scope scope;                               // loops open at the access, those outside the parallel loop included
  Constraints constraints;                   // of a guarded read
};

// `outside`: the loops around the parallel one, which may be one over blocks or threads. `accesses`: all those inside it to the
// buffers in question.
base::Status independent(const LoopNest& nest, const Statement& parallel, const Scope& outside, const std::vector<Access>& accesses);

}  // namespace kw::kernel
