#pragma once
// What this machine can do at best with a number of threads, measured: bandwidth and matmul. And the time below which no
// kernel can finish, from these. Torch thread only (the same OpenMP pool as the model's operators).

#include <cstdint>
#include <string>

#include "core/base/result.h"
#include "core/graph/type.h"
#include "core/protocol/records.h"

namespace kw::device {

// About two seconds. Bandwidth is counted in bytes that the program asks for: a copy of n bytes moves 2n.
base::Result<protocol::Ceilings> measure_ceilings(int threads);

// As measured, or as kept in `cache` for this processor, number of threads and torch.
base::Result<protocol::Ceilings> ceilings(int threads, const std::string& cache);

// The least time in µs for `bytes` read and written and `flops` operations of `dtype`. `footprint`: bytes touched in all;
// below the last cache's size (`cache_bytes`) the cache's bandwidth counts. 0 where nothing is known.
double floor_us(std::int64_t bytes, std::int64_t flops, graph::DType dtype, const protocol::Ceilings& ceilings, std::int64_t footprint,
                std::int64_t cache_bytes);

}  // namespace kw::device
