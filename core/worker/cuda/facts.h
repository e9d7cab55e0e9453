#pragma once
// What one GPU is, as the driver says it: no measurement, no context. Any thread.

#include <cstdint>
#include <string>

#include "core/base/result.h"

namespace kw::cuda {

struct DeviceFacts {
  int ordinal = 0;                        // the driver's number, after CUDA_VISIBLE_DEVICES
  std::string name;                       // "NVIDIA H200"
  std::string uuid;                       // "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx", as nvidia-smi prints it; "MIG-…" for a slice
  std::string pci_bus_id;                 // "0000:18:00.0"
  int major = 0, minor = 0;               // compute capability
  int multiprocessors = 0;
  int threads_per_multiprocessor = 0;
  int registers_per_multiprocessor = 0;   // of 32 bits
  std::int64_t shared_per_block = 0;      // bytes, the most a kernel can opt in to
  std::int64_t shared_per_multiprocessor = 0;   // bytes
  std::int64_t l2_bytes = 0, memory_bytes = 0;
  int clock_khz = 0;                      // the highest
  int memory_clock_khz = 0, memory_bus_bits = 0;
  int driver_version = 0;                 // of CUDA: 13000 is 13.0

  std::string arch() const { return "sm_" + std::to_string(major) + std::to_string(minor); }   // what NVRTC is asked for
};

// `not_found` without a GPU or with no such ordinal.
base::Result<DeviceFacts> facts(int ordinal);

}  // namespace kw::cuda
