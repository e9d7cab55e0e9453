#pragma once
// What this machine can do at best, measured with the given number of threads: the roofline's two limits. About a second,
// then kept in the cache folder by machine and threads. Call on the thread that runs torch.

#include "core/base/result.h"
#include "core/protocol/records.h"

namespace kw::device {

protocol::Ceilings measure_ceilings(std::int64_t last_cache_bytes);
base::Result<protocol::Ceilings> ceilings(const protocol::Environment& environment);   // from the cache folder, else measured and kept

}  // namespace kw::device
