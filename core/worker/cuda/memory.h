#pragma once
// Device memory and page-locked host memory, copies and fills on a stream. Sizes in bytes. The owner thread has made the context
// current. Copies and fills return when they are queued: the host's memory must live until the stream has passed them (a copy from
// ordinary, not page-locked memory may wait).

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "core/worker/cuda/context.h"

namespace kw::cuda {

class DeviceMemory {
 public:
  // At least one byte, aligned to 256. `busy` when the device has no room.
  static base::Result<DeviceMemory> allocate(const Context& context, std::size_t bytes);
  CUdeviceptr get() const { return handle_.get(); }
  std::size_t bytes() const { return bytes_; }
  const Context& context() const { return handle_.context(); }

 private:
  Owned<CUdeviceptr> handle_;
  std::size_t bytes_ = 0;
};

// Page-locked, readable and writable by kernels under its own address.
class PinnedMemory {
 public:
  static base::Result<PinnedMemory> allocate(const Context& context, std::size_t bytes);   // `busy` when it cannot be had
  std::byte* data() const { return static_cast<std::byte*>(handle_.get()); }
  CUdeviceptr device() const { return reinterpret_cast<CUdeviceptr>(handle_.get()); }
  std::size_t bytes() const { return bytes_; }

 private:
  Owned<void*> handle_;
  std::size_t bytes_ = 0;
};

struct MemoryInfo { std::size_t free = 0, total = 0; };
base::Result<MemoryInfo> memory_info(const Context& context);

base::Status copy_to_device(const Stream& stream, CUdeviceptr to, const void* from, std::size_t bytes);
base::Status copy_to_host(const Stream& stream, void* to, CUdeviceptr from, std::size_t bytes);
base::Status copy_on_device(const Stream& stream, CUdeviceptr to, CUdeviceptr from, std::size_t bytes);

// Repeats the low `width` (1, 2, 4 or 8) bytes of `pattern` over `bytes`, a multiple of `width`; `to` is aligned to `width`.
base::Status fill(const Stream& stream, CUdeviceptr to, std::size_t bytes, std::uint64_t pattern, int width);

}  // namespace kw::cuda
