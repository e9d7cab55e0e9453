// CUPTI's records made by hand: which work they become, whose it is and when it was.
#include "core/worker/cuda/activities.h"

#include <gtest/gtest.h>

namespace kw::cuda {
namespace {

constexpr std::uint64_t origin_ns = 1'000'000'000;

template <typename Record>
void put(Activities& activities, const Record& record) {
  add(activities, reinterpret_cast<const CUpti_Activity&>(record));
}

CUpti_ActivityKernel kernel(const char* name, std::uint32_t correlation, std::uint64_t start_ns, std::uint64_t end_ns) {
  CUpti_ActivityKernel record{};
  record.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  record.name = name;
  record.correlationId = correlation;
  record.start = origin_ns + start_ns;
  record.end = origin_ns + end_ns;
  record.gridX = 128;
  record.gridY = 2;
  record.gridZ = 1;
  record.blockX = 256;
  record.blockY = record.blockZ = 1;
  record.registersPerThread = 40;
  record.staticSharedMemory = 1024;
  record.dynamicSharedMemory = 512;
  return record;
}

CUpti_ActivityExternalCorrelation tag_of(std::uint32_t correlation, std::uint64_t tag, int kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0) {
  CUpti_ActivityExternalCorrelation record{};
  record.kind = CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION;
  record.externalKind = static_cast<CUpti_ExternalCorrelationKind>(kind);
  record.externalId = tag;
  record.correlationId = correlation;
  return record;
}

TEST(Activities, WorkHasTheTagOfItsCallAndTimesFromTheOrigin) {
  Activities activities;
  put(activities, kernel("second", 12, 5'000, 7'500));
  put(activities, tag_of(11, 3));
  put(activities, kernel("first", 11, 1'000, 2'000));
  put(activities, tag_of(12, 0));   // after its work
  put(activities, kernel("nobody's", 13, 9'000, 9'001));
  const std::vector<DeviceWork> work = tagged(activities, origin_ns);
  ASSERT_EQ(work.size(), 3u);
  EXPECT_EQ(work[0].name, "first");
  EXPECT_EQ(work[0].tag, 3);
  EXPECT_DOUBLE_EQ(work[0].start_us, 1);
  EXPECT_DOUBLE_EQ(work[0].duration_us, 1);
  EXPECT_EQ(work[1].tag, 0);
  EXPECT_DOUBLE_EQ(work[1].start_us, 5);
  EXPECT_DOUBLE_EQ(work[1].duration_us, 2.5);
  EXPECT_EQ(work[2].tag, -1);
  EXPECT_DOUBLE_EQ(work[2].duration_us, 0.001);
}

TEST(Activities, AKernelKeepsHowItWasLaunched) {
  Activities activities;
  put(activities, kernel("k", 1, 0, 10));
  const DeviceWork work = tagged(activities, origin_ns).at(0);
  EXPECT_EQ(work.what, DeviceWork::What::kernel);
  EXPECT_EQ(work.grid, (std::array<int, 3>{128, 2, 1}));
  EXPECT_EQ(work.block, (std::array<int, 3>{256, 1, 1}));
  EXPECT_EQ(work.registers, 40);
  EXPECT_EQ(work.shared_bytes, 1536);
}

TEST(Activities, CopiesAndFillsAreWorkToo) {
  CUpti_ActivityMemcpy copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.copyKind = 2;   // device to host
  copy.start = origin_ns + 2'000;
  copy.end = origin_ns + 6'000;
  copy.correlationId = 7;
  CUpti_ActivityMemset fill{};
  fill.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  fill.start = origin_ns - 3'000;   // queued before the trace
  fill.end = origin_ns - 1'000;
  Activities activities;
  put(activities, copy);
  put(activities, fill);
  put(activities, tag_of(7, 5));
  const auto work = tagged(activities, origin_ns);
  ASSERT_EQ(work.size(), 2u);
  EXPECT_EQ(work[0].name, "memset");
  EXPECT_DOUBLE_EQ(work[0].start_us, -3);
  EXPECT_EQ(work[1].name, "memcpy DtoH");
  EXPECT_EQ(work[1].tag, 5);
  EXPECT_EQ(work[1].grid[0], 0);
}

TEST(Activities, RecordsOfOthersArePassedOver) {
  Activities activities;
  put(activities, kernel("k", 1, 0, 10));
  put(activities, tag_of(1, 9, 4));   // another tool's, CUSTOM1
  CUpti_Activity call{CUPTI_ACTIVITY_KIND_RUNTIME};
  add(activities, call);
  const auto work = tagged(activities, origin_ns);
  ASSERT_EQ(work.size(), 1u);
  EXPECT_EQ(work[0].tag, -1);
}

TEST(Activities, WorkWithoutTimesIsCountedAsLost) {
  Activities activities;
  CUpti_ActivityKernel record = kernel("k", 1, 0, 0);
  record.start = record.end = 0;
  put(activities, record);
  EXPECT_EQ(activities.lost, 1u);
  EXPECT_TRUE(tagged(activities, origin_ns).empty());
}

TEST(Activities, NamesAreDemangledWhereTheyAreMangled) {
  EXPECT_EQ(demangled("_Z4addsIfEvPT_i"), "void adds<float>(float*, int)");
  EXPECT_EQ(demangled("kw_fused_0"), "kw_fused_0");
  Activities activities;
  put(activities, kernel("_ZN2at6native4reluEv", 1, 0, 10));
  EXPECT_EQ(tagged(activities, origin_ns).at(0).name, "at::native::relu()");
}

}  // namespace
}  // namespace kw::cuda
