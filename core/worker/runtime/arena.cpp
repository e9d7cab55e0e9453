#include "core/worker/runtime/arena.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <nlohmann/json.hpp>

#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x0010
#endif

namespace kw::runtime {
namespace {

constexpr std::size_t page = 4096, band = 256, unmapped = std::size_t{1} << 20;
constexpr unsigned char band_pattern = 0xC3;

std::size_t round_up(std::size_t bytes) { return (bytes + page - 1) / page * page; }

base::Error system_error(const std::string& what) {
  return {errno == ENOMEM ? base::ErrorCode::busy : base::ErrorCode::io, what + ": " + std::strerror(errno), ""};
}

}  // namespace

ArenaLayout lay_out(const std::vector<std::size_t>& data_bytes) {
  ArenaLayout layout;
  layout.map_bytes = unmapped;
  for (std::size_t i = 0; i < data_bytes.size(); ++i) {
    Segment segment;
    // Buffers start at different offsets in their pages, or loads and stores at equal offsets would hinder each other.
    segment.data_offset = band + (i * 5 % 16) * 192;
    segment.data_bytes = data_bytes[i];
    segment.bytes = round_up(segment.data_offset + segment.data_bytes + band);
    segment.file_offset = layout.file_bytes;
    segment.map_offset = layout.map_bytes;
    layout.file_bytes += segment.bytes;
    layout.map_bytes += segment.bytes + unmapped;
    layout.segments.push_back(segment);
  }
  return layout;
}

nlohmann::json to_json(const ArenaLayout& layout) {
  nlohmann::json sizes = nlohmann::json::array();
  for (const Segment& segment : layout.segments) sizes.push_back(segment.data_bytes);
  return sizes;
}

base::Result<ArenaLayout> layout_from_json(const nlohmann::json& json) {
  if (!json.is_array()) return base::bad_input("An arena's layout is a list of sizes.");
  std::vector<std::size_t> sizes;
  for (const auto& size : json) {
    if (!size.is_number_unsigned()) return base::bad_input("An arena's size is a whole number of bytes.");
    sizes.push_back(size.get<std::size_t>());
  }
  return lay_out(sizes);
}

std::optional<Place> locate(const ArenaLayout& layout, std::uint64_t base, std::uint64_t address) {
  if (base == 0 || address < base || address >= base + layout.map_bytes) return std::nullopt;
  const std::uint64_t at = address - base;
  Place place;
  for (std::size_t i = 0; i < layout.segments.size(); ++i) {   // the nearest segment: the one whose middle gap is passed last
    const Segment& segment = layout.segments[i];
    if (i > 0 && at + unmapped / 2 < segment.map_offset) break;
    place.segment = static_cast<int>(i);
    place.offset = static_cast<std::int64_t>(at) - static_cast<std::int64_t>(segment.map_offset + segment.data_offset);
    place.in_data = place.offset >= 0 && place.offset < static_cast<std::int64_t>(segment.data_bytes);
  }
  return place;
}

base::Result<Arena> Arena::create(const std::string& name, const std::vector<std::size_t>& data_bytes, bool read_only_elsewhere) {
  Arena arena;
  arena.layout_ = lay_out(data_bytes);
  const std::size_t bytes = std::max(arena.layout_.file_bytes, page);
  arena.fd_ = memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (arena.fd_ < 0) return system_error("No shared memory for '" + name + "'");
  if (ftruncate(arena.fd_, static_cast<off_t>(bytes)) != 0) return system_error("No shared memory for '" + name + "'");
  void* base = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, arena.fd_, 0);
  if (base == MAP_FAILED) return system_error("Cannot map " + std::to_string(bytes) + " bytes for '" + name + "'");
  arena.base_ = static_cast<std::byte*>(base);
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | (read_only_elsewhere ? F_SEAL_FUTURE_WRITE : 0);
  if (fcntl(arena.fd_, F_ADD_SEALS, seals | F_SEAL_SEAL) != 0) return system_error("Cannot seal '" + name + "'");
  arena.paint_bands();
  return arena;
}

Arena::Arena(Arena&& other) noexcept { *this = std::move(other); }

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(base_, other.base_);
  std::swap(layout_, other.layout_);
  return *this;
}

Arena::~Arena() {
  if (base_ != nullptr) munmap(base_, std::max(layout_.file_bytes, page));
  if (fd_ >= 0) close(fd_);
}

std::byte* Arena::data(std::size_t segment) const {
  const Segment& s = layout_.segments[segment];
  return base_ + s.file_offset + s.data_offset;
}

void Arena::paint_bands() {
  for (const Segment& s : layout_.segments) {
    std::byte* start = base_ + s.file_offset;
    const std::size_t tail = s.data_offset + s.data_bytes;
    std::memset(start, band_pattern, s.data_offset);
    std::memset(start + tail, band_pattern, s.bytes - tail);
  }
}

std::optional<Arena::Damage> Arena::damaged_band() const {
  for (std::size_t i = 0; i < layout_.segments.size(); ++i) {
    const Segment& s = layout_.segments[i];
    const std::byte* start = base_ + s.file_offset;
    const std::size_t tail = s.data_offset + s.data_bytes;
    for (std::size_t at = s.data_offset; at-- > 0;)
      if (start[at] != std::byte{band_pattern})
        return Damage{static_cast<int>(i), static_cast<std::int64_t>(at) - static_cast<std::int64_t>(s.data_offset)};
    for (std::size_t at = tail; at < s.bytes; ++at)
      if (start[at] != std::byte{band_pattern})
        return Damage{static_cast<int>(i), static_cast<std::int64_t>(at - s.data_offset)};
  }
  return std::nullopt;
}

base::Result<std::byte*> map_guarded(int fd, const ArenaLayout& layout, bool read_only) {
  void* range = mmap(nullptr, layout.map_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (range == MAP_FAILED) return system_error("Cannot reserve " + std::to_string(layout.map_bytes) + " bytes of addresses");
  auto* base = static_cast<std::byte*>(range);
  for (const Segment& segment : layout.segments) {
    void* at = mmap(base + segment.map_offset, segment.bytes, read_only ? PROT_READ : PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_FIXED | MAP_POPULATE, fd, static_cast<off_t>(segment.file_offset));
    if (at == MAP_FAILED) return system_error("Cannot map a buffer of " + std::to_string(segment.data_bytes) + " bytes");
  }
  return base;
}

}  // namespace kw::runtime
