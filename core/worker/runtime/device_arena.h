#pragma once
// Buffers in a GPU's memory with guard bands round each: one allocation, where a store that misses its buffer by less than a band
// leaves a trace. Sizes and offsets in bytes.
//
//   | band 64 KiB | data 0 | at least 64 KiB of band 0, 64 KiB of band 1 | data 1 | ... | band 64 KiB |
//
// Data begin at multiples of 256; a band begins at the byte after its data. One thread at a time, which has made the context current.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/worker/cuda/memory.h"

namespace kw::runtime {

inline constexpr std::size_t device_band = 64 << 10, device_alignment = 256;

struct DeviceSegment {
  std::size_t begin = 0;        // of its first band, from the arena's start
  std::size_t data_offset = 0;  // from the arena's start
  std::size_t data_bytes = 0;
  std::size_t end = 0;          // of its second band: the next segment's begin
};
std::vector<DeviceSegment> lay_out_device(const std::vector<std::size_t>& data_bytes);

class DeviceArena {
 public:
  // The bands are not painted yet, the data undefined. `busy` when the device has no room.
  static base::Result<DeviceArena> create(const cuda::Context& context, const std::string& name, const std::vector<std::size_t>& data_bytes);

  std::size_t size() const { return segments_.size(); }
  cuda::CUdeviceptr data(std::size_t buffer) const { return memory_.get() + segments_[buffer].data_offset; }
  std::size_t bytes(std::size_t buffer) const { return segments_[buffer].data_bytes; }
  std::vector<cuda::CUdeviceptr> addresses() const;   // of all buffers: what CudaPlan::launch takes

  // Queued on the stream, all of them; the host's memory must live until the stream has passed.
  base::Status upload(const cuda::Stream& stream, std::size_t buffer, const void* from) const;   // the whole buffer
  base::Status download(const cuda::Stream& stream, std::size_t buffer, void* to) const;
  base::Status fill(const cuda::Stream& stream, std::size_t buffer, std::uint64_t pattern, int width) const;   // width 1, 2, 4 or 8 bytes
  base::Status paint_bands(const cuda::Stream& stream) const;

  // The band byte nearest to its data that no longer holds the pattern, of the first damaged buffer. Waits for the stream.
  struct Damage { int buffer = -1; std::int64_t offset = 0; };   // offset from the data's first byte: negative before it
  base::Result<std::optional<Damage>> damaged_band(const cuda::Stream& stream) const;

 private:
  DeviceArena() = default;
  cuda::DeviceMemory memory_;
  cuda::PinnedMemory bands_;    // where the bands are downloaded to, one after the other
  std::vector<DeviceSegment> segments_;
};

}  // namespace kw::runtime
