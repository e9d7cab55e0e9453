#pragma once
// Buffers in shared memory with guards round each. A worker creates an Arena (one memfd) and keeps it mapped; a runner
// maps the same memfd with unmapped pages between the segments, so a wild access faults at an address that names its buffer.
//
//   runner: | unmapped | band 256 B+ | data | band to the page's end | unmapped | band | data | ...
//   file:              | band | data | band                                     | band | data | ...
//
// The band holds a pattern that is checked after a run. Sizes and offsets in bytes. Arenas are owned by one thread at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"

namespace kw::runtime {

struct Segment {
  std::size_t file_offset = 0;   // page aligned
  std::size_t bytes = 0;         // whole segment with its bands, a multiple of the page
  std::size_t data_offset = 0;   // of the data within the segment, a multiple of 64
  std::size_t data_bytes = 0;
  std::size_t map_offset = 0;    // where a runner maps it, from the arena's base
};

struct ArenaLayout {
  std::vector<Segment> segments;
  std::size_t file_bytes = 0, map_bytes = 0;
};
ArenaLayout lay_out(const std::vector<std::size_t>& data_bytes);
nlohmann::json to_json(const ArenaLayout& layout);
base::Result<ArenaLayout> layout_from_json(const nlohmann::json& json);

// Where an address of a runner's mapping lies.
struct Place { int segment = -1; bool in_data = false; std::int64_t offset = 0; };   // offset from the data's first byte
std::optional<Place> locate(const ArenaLayout& layout, std::uint64_t base, std::uint64_t address);

class Arena {
 public:
  // `read_only_elsewhere`: no other mapping of the memfd may be written (the worker's own stays writable).
  static base::Result<Arena> create(const std::string& name, const std::vector<std::size_t>& data_bytes, bool read_only_elsewhere);
  Arena(Arena&& other) noexcept;
  Arena& operator=(Arena&& other) noexcept;
  ~Arena();

  int fd() const { return fd_; }
  const ArenaLayout& layout() const { return layout_; }
  std::byte* data(std::size_t segment) const;
  std::size_t size() const { return layout_.segments.size(); }

  void paint_bands();
  // The first band byte that no longer holds the pattern.
  struct Damage { int segment; std::int64_t offset; };   // offset from the data's first byte: negative before it
  std::optional<Damage> damaged_band() const;

 private:
  Arena() = default;
  int fd_ = -1;
  std::byte* base_ = nullptr;
  ArenaLayout layout_;
};

// A runner's side: reserves the address range, maps every segment. Returns the base. The mapping lives as long as the process.
base::Result<std::byte*> map_guarded(int fd, const ArenaLayout& layout, bool read_only);

}  // namespace kw::runtime
