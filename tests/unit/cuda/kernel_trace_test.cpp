// Traces of the GPU: two kernels of ours under tags; and what is said where CUPTI or the GPU is not to be had.
#include "core/worker/cuda/kernel_trace.h"

#include "core/worker/cuda/memory.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::cuda {
namespace {

constexpr const char* two_kernels = R"(
extern "C" __global__ void slow(float* x) {
  for (int i = 0; i < 20000; ++i) x[threadIdx.x] = x[threadIdx.x] * 0.5f + 1.0f;
}
template <int n> __global__ void templated(float* x) { x[threadIdx.x] += n; }
template __global__ void templated<3>(float*);
)";

class KernelTraceTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (IsSkipped()) return;
    if (auto cupti = open_cupti(nvrtc_folders()); !cupti) GTEST_SKIP() << cupti.error().message;
    auto memory = DeviceMemory::allocate(*context_, 1 << 20);
    ASSERT_TRUE(memory.ok()) << memory.error().text();
    memory_.emplace(std::move(memory).value());
    slow_ = kernel(two_kernels, "slow");
    templated_ = kernel(two_kernels, "_Z9templatedILi3EEvPf");
    ASSERT_TRUE(slow_ && templated_);
  }
  void launch(const Function& function, int blocks) {
    CUdeviceptr address = memory_->get();
    void* arguments[] = {&address};
    const auto status = function.launch({blocks, 1, 1}, {64, 2, 1}, 0, *stream_, arguments);
    ASSERT_TRUE(status.ok()) << status.error().text();
  }
  std::optional<DeviceMemory> memory_;
  std::optional<Function> slow_, templated_;
};

TEST_F(KernelTraceTest, EveryKernelHasItsTagTimeAndLaunch) {
  launch(*slow_, 1);   // warm
  ASSERT_TRUE(stream_->synchronize().ok());
  for (int round = 0; round < 2; ++round) {   // CUPTI leaves and comes again
    auto trace = KernelTrace::begin(nvrtc_folders());
    ASSERT_TRUE(trace.ok()) << trace.error().text();
    trace->enter(7);
    launch(*slow_, 3);
    trace->leave();
    launch(*templated_, 2);
    trace->enter(0);
    ASSERT_TRUE(fill(*stream_, memory_->get(), memory_->bytes(), 0, 4).ok());
    trace->leave();
    ASSERT_TRUE(stream_->synchronize().ok());
    const double end_us = trace->now_us();
    const auto work = trace->end();
    ASSERT_TRUE(work.ok()) << work.error().text();
    ASSERT_EQ(work->size(), 3u);
    const DeviceWork &slow = work->at(0), &templated = work->at(1), &filled = work->at(2);
    EXPECT_EQ(slow.name, "slow");
    EXPECT_EQ(slow.tag, 7);
    EXPECT_EQ(slow.grid, (std::array<int, 3>{3, 1, 1}));
    EXPECT_EQ(slow.block, (std::array<int, 3>{64, 2, 1}));
    EXPECT_GE(slow.registers, slow_->facts().registers);   // as allocated: CUPTI rounds up
    EXPECT_GT(slow.duration_us, 10);   // 20000 dependent steps
    EXPECT_GE(slow.start_us, 0);
    EXPECT_LE(slow.start_us + slow.duration_us, end_us + 100);
    EXPECT_EQ(templated.name, "void templated<3>(float*)");
    EXPECT_EQ(templated.tag, -1);
    EXPECT_GE(templated.start_us, slow.start_us + slow.duration_us);   // one stream
    EXPECT_EQ(filled.what, DeviceWork::What::memset);
    EXPECT_EQ(filled.tag, 0);
  }
}

TEST_F(KernelTraceTest, OneAtATime) {
  auto first = KernelTrace::begin(nvrtc_folders());
  ASSERT_TRUE(first.ok()) << first.error().text();
  auto second = KernelTrace::begin(nvrtc_folders());
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, base::ErrorCode::busy);
  EXPECT_TRUE(first->end().ok());
  EXPECT_TRUE(KernelTrace::begin(nvrtc_folders()).ok());
}

TEST(KernelTrace, NamesWhatWasTriedWhereThereIsNoCupti) {
  setenv("KW_CUPTI", "/nowhere/libcupti.so.13", 1);
  const auto trace = KernelTrace::begin({});
  unsetenv("KW_CUPTI");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().code, base::ErrorCode::not_found);
  EXPECT_NE(trace.error().message.find("KW_CUPTI"), std::string::npos);
  EXPECT_NE(trace.error().context.find("/nowhere/libcupti.so.13: no such file"), std::string::npos);
}

TEST(KernelTrace, AnotherLibraryIsNotTakenForCupti) {
  setenv("KW_CUPTI", "libm.so.6", 1);
  const auto trace = KernelTrace::begin({});
  unsetenv("KW_CUPTI");
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().code, base::ErrorCode::not_found);
  EXPECT_NE(trace.error().context.find("not CUPTI"), std::string::npos);
}

TEST(KernelTrace, WithoutAGpuCuptiSaysSo) {
  if (driver()) GTEST_SKIP() << "there is a GPU";
  if (auto cupti = open_cupti(nvrtc_folders()); !cupti) GTEST_SKIP() << cupti.error().message;
  const auto trace = KernelTrace::begin(nvrtc_folders());
  ASSERT_FALSE(trace.ok());
  EXPECT_EQ(trace.error().code, base::ErrorCode::unsupported);
  EXPECT_NE(trace.error().message.find("CUPTI_ERROR"), std::string::npos) << trace.error().message;
}

}  // namespace
}  // namespace kw::cuda
