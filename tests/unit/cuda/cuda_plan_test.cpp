// From a plan's source to results on the GPU: builder, executor, arena.

#include <unistd.h>

#include "core/worker/build/cuda_builder.h"
#include "core/worker/runtime/cuda_plan.h"
#include "core/worker/runtime/device_arena.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::runtime {
namespace {

constexpr int count = 1000;

// y = (x + 1)², by two kernels through a workspace.
plan::Plan two_steps() {
  plan::Plan plan;
  plan.target = "cuda";
  const graph::TensorType type{graph::DType::f32, {count}, {1}};
  plan.buffers = {{"x", plan::BufferRole::input, type}, {"y", plan::BufferRole::output, type}, {"w", plan::BufferRole::workspace, type}};
  const plan::Launch launch{{4, 1, 1}, {256, 1, 1}, 0};
  plan.steps = {{plan::StepKind::kernel, "plus_one", {0, 2}, false, launch}, {plan::StepKind::kernel, "square", {2, 1}, false, launch}};
  plan.source = R"(
template <typename T> __device__ T next(T x) { return x + T(1); }
extern "C" __global__ void plus_one(const float* x, float* w) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 1000) w[i] = next(x[i]);
}
extern "C" __global__ void square(const float* w, float* y) {
  __shared__ float tile[256];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < 1000 ? w[i] : 0;
  __syncthreads();
  if (i < 1000) y[i] = tile[threadIdx.x] * tile[threadIdx.x];
}
extern "C" __global__ void turned(const float* x, float* y) {
  extern __shared__ float row[];                     // 60,000 bytes, of which the last 1000 elements are used
  const int i = threadIdx.x;
  row[14000 + i] = x[i];
  __syncthreads();
  y[i] = row[14999 - i];
}
extern "C" __global__ void overrun(const float* w, float* y) { y[1000 + threadIdx.x] = w[0]; }
)";
  return plan;
}

class CudaPlanTest : public cuda::GpuTest {
 protected:
  void SetUp() override {
    cuda::GpuTest::SetUp();
    if (!context_) return;
    folder_ = testing::TempDir() + "kw-cuda-plan-" + std::to_string(getpid());
    build::CudaBuilderOptions options;
    options.folder = folder_;
    options.arch = cuda::facts(0)->arch();
    options.nvrtc_folders = cuda::nvrtc_folders();
    auto builder = build::CudaBuilder::create(options);
    ASSERT_TRUE(builder.ok()) << builder.error().text();
    auto built = (*builder)->build(two_steps(), {});
    ASSERT_TRUE(built.ok() && !built->object.empty()) << (built.ok() ? built->evidence.summary : built.error().text());
    object_ = built->object;
    auto arena = DeviceArena::create(*context_, "plan", {count * 4, count * 4, count * 4});
    ASSERT_TRUE(arena.ok());
    arena_ = std::move(arena).value();
    std::vector<float> x(count);
    for (int i = 0; i < count; ++i) x[static_cast<std::size_t>(i)] = 0.5f * static_cast<float>(i);
    ASSERT_TRUE(arena_->upload(*stream_, 0, x.data()).ok());
    ASSERT_TRUE(arena_->fill(*stream_, 1, 0x7fc00000, 4).ok());   // NaN: what no kernel wrote
    ASSERT_TRUE(arena_->fill(*stream_, 2, 0, 4).ok());
    ASSERT_TRUE(arena_->paint_bands(*stream_).ok());
    ASSERT_TRUE(stream_->synchronize().ok());
  }
  ~CudaPlanTest() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }
  std::vector<float> output() {
    std::vector<float> y(count);
    EXPECT_TRUE(arena_->download(*stream_, 1, y.data()).ok());
    EXPECT_TRUE(stream_->synchronize().ok());
    return y;
  }
  base::ErrorCode refusal(const plan::Plan& plan) {
    auto loaded = CudaPlan::load(*context_, object_, plan);
    EXPECT_FALSE(loaded.ok());
    return loaded.ok() ? base::ErrorCode::internal : loaded.error().code;
  }
  std::string folder_, object_;
  std::optional<DeviceArena> arena_;
};

TEST_F(CudaPlanTest, RunsItsStepsInOrder) {
  auto plan = CudaPlan::load(*context_, object_, two_steps());
  ASSERT_TRUE(plan.ok()) << plan.error().text();
  ASSERT_TRUE(plan->launch(*stream_, arena_->addresses()).ok());
  const auto y = output();
  for (int i = 0; i < count; ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], (0.5f * static_cast<float>(i) + 1) * (0.5f * static_cast<float>(i) + 1)) << i;
  auto damaged = arena_->damaged_band(*stream_);
  ASSERT_TRUE(damaged.ok());
  EXPECT_FALSE(damaged->has_value());
}

TEST_F(CudaPlanTest, LeavesAStepOut) {
  auto plan = CudaPlan::load(*context_, object_, two_steps());
  ASSERT_TRUE(plan.ok());
  ASSERT_TRUE(plan->launch(*stream_, arena_->addresses(), 0).ok());
  for (float value : output()) ASSERT_EQ(value, 0);
}

TEST_F(CudaPlanTest, RunsInAGraph) {
  auto plan = CudaPlan::load(*context_, object_, two_steps());
  ASSERT_TRUE(plan.ok());
  auto graph = cuda::Graph::capture(*stream_, [&] { return plan->launch(*stream_, arena_->addresses()); });
  ASSERT_TRUE(graph.ok()) << graph.error().text();
  ASSERT_TRUE(graph->launch(*stream_).ok());
  EXPECT_EQ(output()[10], 36.0f);
}

TEST_F(CudaPlanTest, SaysWhatItsStepsNeed) {
  auto plan = CudaPlan::load(*context_, object_, two_steps());
  ASSERT_TRUE(plan.ok());
  const auto needs = plan->resources();
  ASSERT_EQ(needs.size(), 2u);
  EXPECT_EQ(needs[1].name, "square");
  EXPECT_GE(needs[1].shared_bytes, 1024);
  EXPECT_GT(needs[0].registers, 0);
  EXPECT_EQ(needs[0].local_bytes, 0);
  EXPECT_EQ(needs[0].grid[0], 4);
  EXPECT_EQ(needs[0].block[0], 256);
}

TEST_F(CudaPlanTest, GivesAStepItsDynamicSharedMemory) {
  plan::Plan plan = two_steps();
  plan.steps = {{plan::StepKind::kernel, "turned", {0, 1}, false, {{1, 1, 1}, {count, 1, 1}, 60000}}};
  auto loaded = CudaPlan::load(*context_, object_, plan);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  EXPECT_GE(loaded->resources()[0].shared_bytes, 60000);
  ASSERT_TRUE(loaded->launch(*stream_, arena_->addresses()).ok());
  const auto y = output();
  for (int i = 0; i < count; ++i) ASSERT_EQ(y[static_cast<std::size_t>(i)], 0.5f * static_cast<float>(count - 1 - i)) << i;
}

TEST_F(CudaPlanTest, AnOverrunShowsInTheBand) {
  plan::Plan plan = two_steps();
  plan.steps = {{plan::StepKind::kernel, "overrun", {2, 1}, false, {{1, 1, 1}, {4, 1, 1}, 0}}};
  auto loaded = CudaPlan::load(*context_, object_, plan);
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  ASSERT_TRUE(loaded->launch(*stream_, arena_->addresses()).ok());
  auto damaged = arena_->damaged_band(*stream_);
  ASSERT_TRUE(damaged.ok() && damaged->has_value());
  EXPECT_EQ((*damaged)->buffer, 1);
  EXPECT_EQ((*damaged)->offset, count * 4);
}

TEST_F(CudaPlanTest, WhatCannotBeLaunchedIsTheCandidatesFault) {
  plan::Plan plan = two_steps();
  plan.steps[0].name = "missing";
  EXPECT_EQ(refusal(plan), base::ErrorCode::unsupported);
  plan = two_steps();
  plan.steps[0].launch.block = {1024, 2, 1};
  EXPECT_EQ(refusal(plan), base::ErrorCode::unsupported);
  plan = two_steps();
  plan.steps[1].launch.shared_bytes = 1 << 20;
  EXPECT_EQ(refusal(plan), base::ErrorCode::unsupported);
  plan = two_steps();
  plan.steps[0].buffers = {0, 9};
  EXPECT_EQ(refusal(plan), base::ErrorCode::unsupported);
  plan = two_steps();
  plan.steps[0].kind = plan::StepKind::aten;
  EXPECT_EQ(refusal(plan), base::ErrorCode::unsupported);
  auto loaded = CudaPlan::load(*context_, object_, two_steps());
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->launch(*stream_, {arena_->data(0)}).error().code, base::ErrorCode::internal);
}

}  // namespace
}  // namespace kw::runtime
