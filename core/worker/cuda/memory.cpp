#include "core/worker/cuda/memory.h"

#include <algorithm>

namespace kw::cuda {
namespace {

// Two fills of every second word: the driver has none of eight bytes.
CUresult fill_pairs(const Driver& d, CUdeviceptr to, std::size_t count, std::uint64_t pattern, CUstream stream) {
  const unsigned low = static_cast<unsigned>(pattern), high = static_cast<unsigned>(pattern >> 32);
  if (low == high) return d.cuMemsetD32Async(to, low, 2 * count, stream);
  if (const CUresult result = d.cuMemsetD2D32Async(to, 8, low, 1, count, stream); result != CUDA_SUCCESS) return result;
  return d.cuMemsetD2D32Async(to + 4, 8, high, 1, count, stream);
}

}  // namespace

base::Result<DeviceMemory> DeviceMemory::allocate(const Context& context, std::size_t bytes) {
  const Driver& d = context.driver();
  CUdeviceptr address = 0;
  if (const CUresult result = d.cuMemAlloc(&address, std::max<std::size_t>(bytes, 1)); result != CUDA_SUCCESS)
    return error(result, "Cannot allocate " + std::to_string(bytes) + " bytes on the GPU");
  DeviceMemory memory;
  memory.handle_ = {context, address, d.cuMemFree};
  memory.bytes_ = bytes;
  return memory;
}

base::Result<PinnedMemory> PinnedMemory::allocate(const Context& context, std::size_t bytes) {
  const Driver& d = context.driver();
  void* address = nullptr;
  const CUresult result = d.cuMemHostAlloc(&address, std::max<std::size_t>(bytes, 1), host_alloc_portable | host_alloc_device_map);
  if (result != CUDA_SUCCESS) return error(result, "Cannot allocate " + std::to_string(bytes) + " bytes of page-locked memory");
  PinnedMemory memory;
  memory.handle_ = {context, address, d.cuMemFreeHost};
  memory.bytes_ = bytes;
  return memory;
}

base::Result<MemoryInfo> memory_info(const Context& context) {
  MemoryInfo info;
  if (const CUresult result = context.driver().cuMemGetInfo(&info.free, &info.total); result != CUDA_SUCCESS)
    return error(result, "Cannot ask for the GPU's free memory");
  return info;
}

base::Status copy_to_device(const Stream& stream, CUdeviceptr to, const void* from, std::size_t bytes) {
  if (bytes == 0) return base::done();
  return status(stream.context().driver().cuMemcpyHtoDAsync(to, from, bytes, stream.get()), "Cannot copy to the GPU");
}

base::Status copy_to_host(const Stream& stream, void* to, CUdeviceptr from, std::size_t bytes) {
  if (bytes == 0) return base::done();
  return status(stream.context().driver().cuMemcpyDtoHAsync(to, from, bytes, stream.get()), "Cannot copy from the GPU");
}

base::Status copy_on_device(const Stream& stream, CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  if (bytes == 0) return base::done();
  return status(stream.context().driver().cuMemcpyDtoDAsync(to, from, bytes, stream.get()), "Cannot copy on the GPU");
}

base::Status fill(const Stream& stream, CUdeviceptr to, std::size_t bytes, std::uint64_t pattern, int width) {
  const bool known = width == 1 || width == 2 || width == 4 || width == 8;
  if (!known || bytes % static_cast<std::size_t>(width) != 0)
    return base::Error{base::ErrorCode::internal, "Cannot fill " + std::to_string(bytes) + " bytes by a pattern of " + std::to_string(width) + ".", ""};
  if (bytes == 0) return base::done();
  const Driver& d = stream.context().driver();
  const std::size_t count = bytes / static_cast<std::size_t>(width);
  CUresult result = CUDA_SUCCESS;
  if (width == 1) result = d.cuMemsetD8Async(to, static_cast<unsigned char>(pattern), count, stream.get());
  if (width == 2) result = d.cuMemsetD16Async(to, static_cast<unsigned short>(pattern), count, stream.get());
  if (width == 4) result = d.cuMemsetD32Async(to, static_cast<unsigned>(pattern), count, stream.get());
  if (width == 8) result = fill_pairs(d, to, count, pattern, stream.get());
  return status(result, "Cannot fill memory of the GPU");
}

}  // namespace kw::cuda
