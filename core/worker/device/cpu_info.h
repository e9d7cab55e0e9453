#pragma once
// What the machine is: processor, caches, vector width, compiler, system. Any thread.

#include <cstdint>
#include <string>

#include "core/protocol/records.h"

namespace kw::device {

struct CpuInfo {
  std::string model;                     // "Intel(R) Xeon(R) …"
  int cores = 1;                         // that this process may use
  std::int64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;   // data caches of core 0; 0: unknown
  int vector_bytes = 16;                 // 64 with AVX-512, 32 with AVX2, else 16
};
CpuInfo cpu_info();

// `compiler`: the program whose version is recorded; `flags`: those of candidates; `threads`: the model's.
protocol::Environment environment(const std::string& compiler, const std::string& flags, int threads);

}  // namespace kw::device
