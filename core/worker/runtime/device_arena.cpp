#include "core/worker/runtime/device_arena.h"

#include <algorithm>

namespace kw::runtime {
namespace {

constexpr std::byte band_pattern{0xC3};

std::size_t round_up(std::size_t bytes) { return (bytes + device_alignment - 1) / device_alignment * device_alignment; }
std::size_t before(const DeviceSegment& s) { return s.data_offset - s.begin; }
std::size_t after(const DeviceSegment& s) { return s.end - s.data_offset - s.data_bytes; }

// Offsets from the data, both sides searched outwards from it.
std::optional<std::int64_t> damage(const DeviceSegment& s, const std::byte* first, const std::byte* second) {
  const auto harmed = [](std::byte b) { return b != band_pattern; };
  const std::byte* hit = std::find_if(second, second + after(s), harmed);
  if (hit != second + after(s)) return static_cast<std::int64_t>(s.data_bytes) + (hit - second);
  for (std::size_t i = before(s); i-- > 0;)
    if (harmed(first[i])) return static_cast<std::int64_t>(i) - static_cast<std::int64_t>(before(s));
  return std::nullopt;
}

}  // namespace

std::vector<DeviceSegment> lay_out_device(const std::vector<std::size_t>& data_bytes) {
  std::vector<DeviceSegment> segments;
  std::size_t at = 0;
  for (std::size_t bytes : data_bytes) {
    DeviceSegment segment;
    segment.begin = at;
    segment.data_offset = at + device_band;
    segment.data_bytes = bytes;
    segment.end = round_up(segment.data_offset + bytes + device_band);
    at = segment.end;
    segments.push_back(segment);
  }
  return segments;
}

base::Result<DeviceArena> DeviceArena::create(const cuda::Context& context, const std::string& name, const std::vector<std::size_t>& data_bytes) {
  DeviceArena arena;
  arena.segments_ = lay_out_device(data_bytes);
  std::size_t bands = 0;
  for (const DeviceSegment& s : arena.segments_) bands += before(s) + after(s);
  auto memory = cuda::DeviceMemory::allocate(context, arena.segments_.empty() ? 0 : arena.segments_.back().end);
  if (!memory) return base::Error{memory.error().code, memory.error().message, name};
  auto pinned = cuda::PinnedMemory::allocate(context, bands);
  if (!pinned) return base::Error{pinned.error().code, pinned.error().message, name};
  arena.memory_ = std::move(memory).value();
  arena.bands_ = std::move(pinned).value();
  return arena;
}

std::vector<cuda::CUdeviceptr> DeviceArena::addresses() const {
  std::vector<cuda::CUdeviceptr> all;
  for (std::size_t i = 0; i < size(); ++i) all.push_back(data(i));
  return all;
}

base::Status DeviceArena::upload(const cuda::Stream& stream, std::size_t buffer, const void* from) const {
  return cuda::copy_to_device(stream, data(buffer), from, bytes(buffer));
}

base::Status DeviceArena::download(const cuda::Stream& stream, std::size_t buffer, void* to) const {
  return cuda::copy_to_host(stream, to, data(buffer), bytes(buffer));
}

base::Status DeviceArena::fill(const cuda::Stream& stream, std::size_t buffer, std::uint64_t pattern, int width) const {
  return cuda::fill(stream, data(buffer), bytes(buffer), pattern, width);
}

base::Status DeviceArena::paint_bands(const cuda::Stream& stream) const {
  const auto pattern = static_cast<std::uint64_t>(band_pattern);
  for (const DeviceSegment& s : segments_) {
    if (auto status = cuda::fill(stream, memory_.get() + s.begin, before(s), pattern, 1); !status) return status;
    if (auto status = cuda::fill(stream, memory_.get() + s.data_offset + s.data_bytes, after(s), pattern, 1); !status) return status;
  }
  return base::done();
}

base::Result<std::optional<DeviceArena::Damage>> DeviceArena::damaged_band(const cuda::Stream& stream) const {
  std::byte* at = bands_.data();
  for (const DeviceSegment& s : segments_) {
    if (auto status = cuda::copy_to_host(stream, at, memory_.get() + s.begin, before(s)); !status) return status.error();
    at += before(s);
    if (auto status = cuda::copy_to_host(stream, at, memory_.get() + s.data_offset + s.data_bytes, after(s)); !status) return status.error();
    at += after(s);
  }
  if (auto status = stream.synchronize(); !status) return status.error();
  at = bands_.data();
  for (std::size_t i = 0; i < segments_.size(); ++i) {
    const DeviceSegment& s = segments_[i];
    if (const auto offset = damage(s, at, at + before(s))) return std::optional<Damage>(Damage{static_cast<int>(i), *offset});
    at += before(s) + after(s);
  }
  return std::optional<Damage>();
}

}  // namespace kw::runtime
