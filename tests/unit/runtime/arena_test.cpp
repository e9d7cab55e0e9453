// Guarded buffers: where the segments lie, that bands see a write, that a second mapping of inputs cannot be written.

#include <sys/mman.h>

#include <cstring>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "core/worker/runtime/arena.h"

namespace kw::runtime {
namespace {

TEST(Arena, SegmentsAreAlignedAndApart) {
  const ArenaLayout layout = lay_out({1, 4096, 0, 100000});
  for (std::size_t i = 0; i < layout.segments.size(); ++i) {
    const Segment& s = layout.segments[i];
    EXPECT_EQ(s.file_offset % 4096, 0u);
    EXPECT_EQ(s.data_offset % 64, 0u);
    EXPECT_GE(s.data_offset, 256u);
    EXPECT_GE(s.bytes, s.data_offset + s.data_bytes + 256);
    if (i == 0) continue;
    EXPECT_GE(s.map_offset, layout.segments[i - 1].map_offset + layout.segments[i - 1].bytes + (1u << 20));
  }
}

TEST(Arena, LayoutSurvivesItsText) {
  const ArenaLayout layout = lay_out({3, 5000});
  auto again = layout_from_json(to_json(layout));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->file_bytes, layout.file_bytes);
  EXPECT_EQ(again->segments[1].map_offset, layout.segments[1].map_offset);
  EXPECT_FALSE(layout_from_json(nlohmann::json{{"a", 1}}).ok());
  EXPECT_FALSE(layout_from_json(nlohmann::json{-1}).ok());
}

TEST(Arena, BandSeesOneByteOnEitherSide) {
  auto arena = Arena::create("t", {100, 200}, false);
  ASSERT_TRUE(arena.ok());
  EXPECT_FALSE(arena->damaged_band().has_value());
  std::memset(arena->data(0), 0x11, 100);
  std::memset(arena->data(1), 0x11, 200);
  EXPECT_FALSE(arena->damaged_band().has_value());
  arena->data(1)[200] = std::byte{1};
  auto damage = arena->damaged_band();
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(damage->segment, 1);
  EXPECT_EQ(damage->offset, 200);
  arena->paint_bands();
  arena->data(0)[-1] = std::byte{1};
  damage = arena->damaged_band();
  ASSERT_TRUE(damage.has_value());
  EXPECT_EQ(damage->segment, 0);
  EXPECT_EQ(damage->offset, -1);
}

TEST(Arena, LocatesAddresses) {
  const ArenaLayout layout = lay_out({1000, 1000});
  const std::uint64_t base = 0x10000000, first = base + layout.segments[0].map_offset + layout.segments[0].data_offset;
  auto place = locate(layout, base, first + 999);
  ASSERT_TRUE(place.has_value());
  EXPECT_TRUE(place->in_data);
  EXPECT_EQ(place->offset, 999);
  place = locate(layout, base, first + 9000);   // in the unmapped pages after it
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->segment, 0);
  EXPECT_FALSE(place->in_data);
  place = locate(layout, base, base + layout.segments[1].map_offset - 8);   // just before the second: negative
  ASSERT_TRUE(place.has_value());
  EXPECT_EQ(place->segment, 1);
  EXPECT_LT(place->offset, 0);
  EXPECT_FALSE(locate(layout, base, base - 1).has_value());
  EXPECT_FALSE(locate(layout, base, base + layout.map_bytes).has_value());
}

TEST(Arena, SharesValuesWithARunnersMapping) {
  auto arena = Arena::create("t", {64, 64}, false);
  ASSERT_TRUE(arena.ok());
  auto base = map_guarded(arena->fd(), arena->layout(), false);
  ASSERT_TRUE(base.ok());
  const Segment& s = arena->layout().segments[1];
  arena->data(1)[5] = std::byte{42};
  EXPECT_EQ((*base)[s.map_offset + s.data_offset + 5], std::byte{42});
  (*base)[s.map_offset + s.data_offset + 6] = std::byte{43};
  EXPECT_EQ(arena->data(1)[6], std::byte{43});
}

TEST(Arena, SealedInputsCannotBeMappedForWriting) {
  auto arena = Arena::create("t", {64}, true);
  ASSERT_TRUE(arena.ok());
  EXPECT_FALSE(map_guarded(arena->fd(), arena->layout(), false).ok());
  auto base = map_guarded(arena->fd(), arena->layout(), true);
  ASSERT_TRUE(base.ok());
  EXPECT_NE(mprotect(*base + arena->layout().segments[0].map_offset, 4096, PROT_READ | PROT_WRITE), 0);
  arena->data(0)[0] = std::byte{7};   // the worker's own mapping stays writable
  EXPECT_EQ((*base)[arena->layout().segments[0].map_offset + arena->layout().segments[0].data_offset], std::byte{7});
}

}  // namespace
}  // namespace kw::runtime
