#pragma once
// What this machine can do at best, measured with the given number of threads: the roofline's two limits. Measured at each
// opening (about two seconds), each figure the best of all measurements on this machine: a busy moment cannot lower it.
// Call on the thread that runs torch.

#include "core/base/result.h"
#include "core/protocol/records.h"

namespace kw::device {

protocol::Ceilings measure_ceilings(std::int64_t last_cache_bytes);
protocol::Ceilings measure_gpu_ceilings(std::int64_t l2_bytes);   // where torch's CUDA half is loaded
base::Result<protocol::Ceilings> ceilings(const protocol::Environment& environment);   // measured, joined with what the cache folder keeps, and kept

}  // namespace kw::device
