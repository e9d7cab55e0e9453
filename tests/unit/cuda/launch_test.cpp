// Modules, launches, graphs, events and the waiting for a kernel that does not end.

#include <algorithm>
#include <cstring>

#include "core/base/clock.h"
#include "core/worker/cuda/memory.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::cuda {
namespace {

constexpr const char* kernels = R"(
extern "C" __global__ void axpy(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i] + y[i];
}
extern "C" __global__ void increment(unsigned* n) { *n += 1; }
extern "C" __global__ void twice(unsigned* n) { *n *= 2; }
extern "C" __global__ void big_shared(float* x) {
  extern __shared__ float s[];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  x[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
extern "C" __global__ __launch_bounds__(64) void narrow(float* x) { x[threadIdx.x] = 1; }
)";

class LaunchTest : public GpuTest {
 protected:
  void SetUp() override {
    GpuTest::SetUp();
    if (!context_) return;
    auto module = Module::from_image(*context_, compile(kernels));
    ASSERT_TRUE(module.ok()) << module.error().text();
    module_ = *module;
    auto memory = DeviceMemory::allocate(*context_, 1 << 20);
    ASSERT_TRUE(memory.ok());
    memory_ = std::move(memory).value();
    ASSERT_TRUE(fill(*stream_, memory_->get(), 1 << 20, 0, 4).ok());
  }
  Function get(const std::string& name) {
    auto function = module_->function(name);
    EXPECT_TRUE(function.ok()) << function.error().text();
    return *function;
  }
  base::Status run(const Function& function, std::int64_t grid, int block, int shared = 0) {
    CUdeviceptr address = memory_->get();
    void* arguments[] = {&address};
    return function.launch({grid, 1, 1}, {block, 1, 1}, shared, *stream_, arguments);
  }
  unsigned first_word() {
    unsigned value = 0;
    EXPECT_TRUE(copy_to_host(*stream_, &value, memory_->get(), 4).ok());
    EXPECT_TRUE(stream_->synchronize().ok());
    return value;
  }
  std::optional<Module> module_;
  std::optional<DeviceMemory> memory_;
};

TEST_F(LaunchTest, ComputesWhatTheHostComputes) {
  const std::size_t n = 1 << 16;
  std::vector<float> x(n), y(n), got(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = 0.25f * static_cast<float>(i), y[i] = static_cast<float>(n - i);
  const CUdeviceptr x_at = memory_->get(), y_at = x_at + n * sizeof(float);
  ASSERT_TRUE(copy_to_device(*stream_, x_at, x.data(), n * sizeof(float)).ok());
  ASSERT_TRUE(copy_to_device(*stream_, y_at, y.data(), n * sizeof(float)).ok());
  CUdeviceptr values[] = {x_at, y_at};
  void* arguments[] = {&values[0], &values[1]};
  ASSERT_TRUE(get("axpy").launch({n / 256, 1, 1}, {256, 1, 1}, 0, *stream_, arguments).ok());
  ASSERT_TRUE(copy_to_host(*stream_, got.data(), y_at, n * sizeof(float)).ok());
  ASSERT_TRUE(stream_->synchronize().ok());
  for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(got[i], 2 * x[i] + y[i]) << i;
}

TEST_F(LaunchTest, FactsOfAFunction) {
  const FunctionFacts f = get("axpy").facts();
  EXPECT_GT(f.registers, 0);
  EXPECT_EQ(f.local_bytes, 0);
  EXPECT_EQ(f.static_shared_bytes, 0);
  EXPECT_EQ(f.max_threads, 1024);
  EXPECT_EQ(get("narrow").facts().max_threads, 64);
  EXPECT_EQ(f.parameter_bytes, f.parameters_known ? std::vector<std::size_t>({8, 8}) : std::vector<std::size_t>());
}

TEST_F(LaunchTest, WhatTheGpuRefusesIsSaidAndHarmless) {
  auto missing = module_->function("missing");
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, base::ErrorCode::unsupported);
  EXPECT_NE(missing.error().message.find("'missing'"), std::string::npos);
  EXPECT_EQ(run(get("increment"), 1, 2048).error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(run(get("narrow"), 1, 128).error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(get("big_shared").allow_shared(1 << 20).error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(Module::from_image(*context_, "not a cubin, but long enough to hold a header of one, surely long enough for it").error().code,
            base::ErrorCode::unsupported);
  const std::string other = facts(0)->major == 8 ? "sm_90" : "sm_80";
  EXPECT_EQ(Module::from_image(*context_, compile(kernels, other)).error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(Module::load(*context_, "/nowhere/a.cubin").ok(), false);
  ASSERT_TRUE(run(get("increment"), 1, 1).ok());
  EXPECT_EQ(first_word(), 1u);
}

TEST_F(LaunchTest, DynamicSharedMemoryBeyondTheDefault) {
  const int bytes = static_cast<int>(std::min<std::int64_t>(facts(0)->shared_per_block, 96 << 10));
  const Function function = get("big_shared");
  ASSERT_TRUE(function.allow_shared(bytes).ok());
  ASSERT_TRUE(run(function, 1, 256, bytes).ok());
  std::vector<float> got(256);
  ASSERT_TRUE(copy_to_host(*stream_, got.data(), memory_->get(), 1024).ok());
  ASSERT_TRUE(stream_->synchronize().ok());
  for (std::size_t i = 0; i < 256; ++i) ASSERT_EQ(got[i], static_cast<float>(255 - i));
}

TEST_F(LaunchTest, AGraphRecordsAndReplays) {
  const Function increment = get("increment"), twice = get("twice");
  auto graph = Graph::capture(*stream_, [&] {
    if (auto status = run(increment, 1, 1); !status) return status;
    return run(twice, 1, 1);
  });
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  EXPECT_EQ(first_word(), 0u);   // nothing ran yet
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(graph->launch(*stream_).ok());
  EXPECT_EQ(first_word(), 14u);  // ((1·2 + 1)·2 + 1)·2
}

TEST_F(LaunchTest, AFailedCaptureLeavesTheStreamUsable) {
  auto graph = Graph::capture(*stream_, [&]() -> base::Status { return base::bad_input("on purpose"); });
  ASSERT_FALSE(graph.ok());
  EXPECT_EQ(graph.error().message, "on purpose");
  ASSERT_TRUE(run(get("increment"), 1, 1).ok());
  EXPECT_EQ(first_word(), 1u);
}

TEST_F(LaunchTest, EventsMeasureAndOrder) {
  auto start = Event::create(*context_, true), end = Event::create(*context_, true), plain = Event::create(*context_, false);
  ASSERT_TRUE(start.ok() && end.ok() && plain.ok());
  auto other = Stream::create(*context_);
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(stream_->record(*start).ok());
  ASSERT_TRUE(run(get("increment"), 1, 1).ok());
  ASSERT_TRUE(stream_->record(*end).ok());
  ASSERT_TRUE(stream_->record(*plain).ok());
  ASSERT_TRUE(other->wait(*plain).ok());
  ASSERT_TRUE(fill(*other, memory_->get() + 4, 4, 7, 4).ok());
  ASSERT_TRUE(other->synchronize().ok());
  ASSERT_TRUE(end->synchronize().ok());
  auto us = end->elapsed_us(*start);
  ASSERT_TRUE(us.ok()) << us.error().text();
  EXPECT_GT(*us, 0);
  EXPECT_LT(*us, 1e6);
  EXPECT_EQ(plain->elapsed_us(*start).ok(), false);   // recorded without timing
  EXPECT_EQ(first_word(), 1u);
}

// The kernel ends when the host says so, or by itself after many seconds: only the end of a process stops one.
TEST_F(LaunchTest, AKernelThatDoesNotEndIsSeen) {
  auto flag = PinnedMemory::allocate(*context_, 8);
  ASSERT_TRUE(flag.ok());
  std::memset(flag->data(), 0, 8);
  const auto wait = kernel(R"(
    extern "C" __global__ void wait(volatile unsigned* flag) {
      for (long long i = 0; i < 20000000LL && flag[0] == 0; ++i) {}
      flag[1] = 1;
    })", "wait");
  ASSERT_TRUE(wait.has_value());
  CUdeviceptr address = flag->device();
  void* arguments[] = {&address};
  ASSERT_TRUE(wait->launch({1, 1, 1}, {1, 1, 1}, 0, *stream_, arguments).ok());
  const double start_s = base::now_s();
  auto finished = stream_->finish_within(0.2, {});
  ASSERT_TRUE(finished.ok()) << finished.error().text();
  EXPECT_FALSE(*finished);
  EXPECT_GE(base::now_s() - start_s, 0.2);
  base::CancelToken cancel;
  cancel.cancel();
  EXPECT_EQ(stream_->finish_within(10, cancel).error().code, base::ErrorCode::cancelled);
  EXPECT_FALSE(*stream_->finished());
  reinterpret_cast<volatile unsigned*>(flag->data())[0] = 1;
  finished = stream_->finish_within(30, {});
  ASSERT_TRUE(finished.ok()) << finished.error().text();
  EXPECT_TRUE(*finished);
  EXPECT_TRUE(*stream_->finished());
}

}  // namespace
}  // namespace kw::cuda
