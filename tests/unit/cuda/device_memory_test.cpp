// Memory of a GPU: copies, fills of every width, guard bands. The layout needs no GPU.

#include <cstring>

#include "core/worker/runtime/device_arena.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::runtime {
namespace {

using Bytes = std::vector<unsigned char>;

TEST(DeviceArenaLayout, BandsOnBothSidesAndAlignedData) {
  const std::vector<std::size_t> sizes = {1, 0, 4096, 1000003};
  const auto segments = lay_out_device(sizes);
  ASSERT_EQ(segments.size(), sizes.size());
  std::size_t at = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    EXPECT_EQ(segments[i].begin, at);
    EXPECT_EQ(segments[i].data_offset % 256, 0u);
    EXPECT_GE(segments[i].data_offset - segments[i].begin, 4096u);
    EXPECT_EQ(segments[i].data_bytes, sizes[i]);
    EXPECT_GE(segments[i].end, segments[i].data_offset + sizes[i] + 4096);
    at = segments[i].end;
  }
}

class DeviceMemoryTest : public cuda::GpuTest {
 protected:
  void make(const std::vector<std::size_t>& sizes) {
    auto arena = DeviceArena::create(*context_, "test", sizes);
    ASSERT_TRUE(arena.ok()) << arena.error().text();
    arena_ = std::move(arena).value();
  }
  Bytes read(std::size_t buffer) {
    Bytes bytes(arena_->bytes(buffer));
    EXPECT_TRUE(arena_->download(*stream_, buffer, bytes.data()).ok());
    EXPECT_TRUE(stream_->synchronize().ok());
    return bytes;
  }
  std::optional<DeviceArena::Damage> damage() {
    auto found = arena_->damaged_band(*stream_);
    EXPECT_TRUE(found.ok()) << found.error().text();
    return found.ok() ? *found : std::nullopt;
  }
  void poke(std::size_t buffer, std::int64_t offset) {
    const cuda::CUdeviceptr at = arena_->data(buffer) + static_cast<cuda::CUdeviceptr>(offset);
    ASSERT_TRUE(cuda::fill(*stream_, at, 1, 0x11, 1).ok());
  }
  std::optional<DeviceArena> arena_;
};

TEST_F(DeviceMemoryTest, CopiesThereAndBack) {
  make({1000003, 4});
  Bytes sent(1000003);
  for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<unsigned char>(i * 7 + i / 251);
  ASSERT_TRUE(arena_->upload(*stream_, 0, sent.data()).ok());
  EXPECT_EQ(read(0), sent);
  EXPECT_EQ(arena_->data(0) % 256, 0u);
  EXPECT_EQ(arena_->addresses()[1], arena_->data(1));
}

TEST_F(DeviceMemoryTest, FillsOfEveryWidth) {
  for (int width : {1, 2, 4, 8}) {
    const std::size_t count = 3'000'001;
    const std::uint64_t pattern = 0x8877665544332211;
    make({count * static_cast<std::size_t>(width)});
    ASSERT_TRUE(arena_->paint_bands(*stream_).ok());
    ASSERT_TRUE(arena_->fill(*stream_, 0, pattern, width).ok());
    const Bytes got = read(0);
    Bytes expected(got.size());
    for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = static_cast<unsigned char>(0x11 * (i % static_cast<std::size_t>(width) + 1));
    EXPECT_TRUE(got == expected) << width;
    EXPECT_FALSE(damage().has_value()) << width;
  }
}

TEST_F(DeviceMemoryTest, FillOfEqualHalves) {
  make({24});
  ASSERT_TRUE(arena_->fill(*stream_, 0, 0x0102030401020304, 8).ok());
  EXPECT_EQ(read(0), (Bytes{4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1, 4, 3, 2, 1}));
  EXPECT_FALSE(arena_->fill(*stream_, 0, 0, 3).ok());
}

TEST_F(DeviceMemoryTest, BandsShowTheStoresBesideTheData) {
  make({1001, 512});
  ASSERT_TRUE(arena_->fill(*stream_, 0, 0x5A, 1).ok());
  ASSERT_TRUE(arena_->paint_bands(*stream_).ok());
  EXPECT_FALSE(damage().has_value());
  EXPECT_EQ(read(0), Bytes(1001, 0x5A));
  for (std::int64_t inside : {0, 1000}) poke(0, inside);
  EXPECT_FALSE(damage().has_value());
  const struct { std::size_t buffer; std::int64_t offset; } cases[] = {
      {0, 1001}, {0, -1}, {0, 1001 + 65535}, {0, -65536}, {1, 512}, {1, -1}, {1, -65536}, {1, 512 + 65535}};
  for (const auto& c : cases) {
    poke(c.buffer, c.offset);
    const auto found = damage();
    ASSERT_TRUE(found.has_value()) << c.buffer << " " << c.offset;
    EXPECT_EQ(found->buffer, static_cast<int>(c.buffer));
    EXPECT_EQ(found->offset, c.offset);
    ASSERT_TRUE(arena_->paint_bands(*stream_).ok());
  }
  EXPECT_FALSE(damage().has_value());
}

TEST_F(DeviceMemoryTest, TooMuchIsBusyAndHarmless) {
  auto arena = DeviceArena::create(*context_, "huge", {std::size_t{1} << 50});
  ASSERT_FALSE(arena.ok());
  EXPECT_EQ(arena.error().code, base::ErrorCode::busy) << arena.error().text();
  EXPECT_EQ(arena.error().context, "huge");
  make({256});
  auto info = cuda::memory_info(*context_);
  ASSERT_TRUE(info.ok());
  EXPECT_GT(info->free, 0u);
  EXPECT_GE(info->total, info->free);
}

TEST_F(DeviceMemoryTest, KernelsSeePinnedMemory) {
  auto pinned = cuda::PinnedMemory::allocate(*context_, 8);
  ASSERT_TRUE(pinned.ok());
  std::memset(pinned->data(), 0, 8);
  const auto store = kernel("extern \"C\" __global__ void store(unsigned* p) { p[1] = 42; }\n", "store");
  ASSERT_TRUE(store.has_value());
  cuda::CUdeviceptr address = pinned->device();
  void* arguments[] = {&address};
  ASSERT_TRUE(store->launch({1, 1, 1}, {1, 1, 1}, 0, *stream_, arguments).ok());
  ASSERT_TRUE(stream_->synchronize().ok());
  unsigned value = 0;
  std::memcpy(&value, pinned->data() + 4, 4);
  EXPECT_EQ(value, 42u);
}

}  // namespace
}  // namespace kw::runtime
