#pragma once
// For tests: random nests that the verifier accepts, with memory for them. Values are small multiples of 1/4, so that sums,
// products and comparisons are exact and the interpreter and the compiled code must agree bit for bit, except where a
// function of vector maths or a division comes last.

#include <cstdint>
#include <vector>

#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel::testing {

struct RandomNest {
  LoopNest nest;
  std::vector<std::vector<double>> memory;   // one double an element, as interpret() takes it
};

// A parallel loop over rows: a vector loop with lets, a tile, stores and an accumulator, its scalar tail, a lane reduction.
RandomNest random_nest(std::uint32_t seed);

}  // namespace kw::kernel::testing
