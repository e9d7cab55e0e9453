#pragma once
// What CUPTI's activity records say, as plain values: each piece of work that ran on the GPU, with the tag of the call that launched it.

#include <array>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/worker/cuda/cupti.h"

namespace kw::cuda {

struct DeviceWork {
  enum class What : std::uint8_t { kernel, memcpy, memset };
  What what = What::kernel;
  int tag = -1;                       // -1: launched outside every tag
  std::string name;                   // of a kernel, demangled; else "memcpy HtoD", "memset"
  double start_us = 0, duration_us = 0;
  std::array<int, 3> grid{}, block{};
  int registers = 0;                  // a thread, as allocated: in steps
  std::int64_t shared_bytes = 0;      // a block, static and dynamic
};

// The records of one trace. Records come in any order, a tag may come after the work that it belongs to.
struct Activities {
  struct Timed {
    std::uint32_t correlation = 0;
    std::uint64_t start_ns = 0, end_ns = 0;
    DeviceWork work;                  // without tag and times
  };
  std::vector<Timed> timed;
  std::unordered_map<std::uint32_t, int> tags;   // by correlation
  std::size_t lost = 0;               // records that CUPTI dropped, or whose times it could not tell
};

// Takes from a record what is wanted of it; records of other kinds are passed over.
void add(Activities& activities, const CUpti_Activity& record);

// Ordered by start; times from `origin_ns`.
std::vector<DeviceWork> tagged(Activities activities, std::uint64_t origin_ns);

std::string demangled(const char* name);   // as it is where it is not mangled

}  // namespace kw::cuda
