#pragma once
// What a nest does, in numbers that people compare: bytes that must come from or go to main memory, loops, vector width,
// accumulators, tiles. Read off the nest itself, so it also describes what no recipe made.

#include "core/kernel/generator.h"

namespace kw::kernel {

// Every element of a global buffer that the nest touches, once for reads and once for writes. In bytes.
struct Traffic { std::int64_t read_bytes = 0, written_bytes = 0; };
Traffic traffic_of(const LoopNest& nest);

struct Shape {
  int loops = 0, vector_loops = 0;
  int widest = 1;                          // lanes
  int accumulators = 0;                    // registers that are updated, lanes times copies counted as one each
  std::int64_t parallel_iterations = 0;    // 0: on one thread
  std::int64_t tile_bytes = 0;             // a thread
};
Shape shape_of(const LoopNest& nest);

}  // namespace kw::kernel
