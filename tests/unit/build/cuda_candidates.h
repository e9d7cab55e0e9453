#pragma once
// A CudaBuilder in a folder of its own and plans of one kernel k(float* a, float* b). Skipped where there is no NVRTC.

#include <filesystem>
#include <memory>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/worker/build/cuda_builder.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::build {

inline std::string in_kernel(const std::string& body, const std::string& before = "") {
  return before + "\nextern \"C\" __global__ void k(float* a, float* b) { const int t = threadIdx.x; (void)t; " + body + " }\n";
}

inline plan::Plan one_kernel(const std::string& source) {
  plan::Plan plan;
  plan.target = "cuda";
  const graph::TensorType type{graph::DType::f32, {32}, {1}};
  plan.buffers = {{"a", plan::BufferRole::input, type}, {"b", plan::BufferRole::output, type}};
  plan.steps = {{plan::StepKind::kernel, "k", {0, 1}, false, {{1, 1, 1}, {32, 1, 1}, 0}}};
  plan.source = source;
  return plan;
}

class CudaCandidatesTest : public testing::Test {
 protected:
  void SetUp() override {
    if (auto nvrtc = cuda::Nvrtc::open(cuda::nvrtc_folders()); !nvrtc) GTEST_SKIP() << nvrtc.error().message;
    folder_ = testing::TempDir() + "kw-cuda-" + std::to_string(getpid()) + "-" + testing::UnitTest::GetInstance()->current_test_info()->name();
    builder_ = make("sm_90");
  }
  ~CudaCandidatesTest() override {
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  std::unique_ptr<CudaBuilder> make(const std::string& arch) {
    CudaBuilderOptions options;
    options.folder = folder_;
    options.arch = arch;
    options.nvrtc_folders = cuda::nvrtc_folders();
    auto made = CudaBuilder::create(options);
    EXPECT_TRUE(made.ok()) << made.error().text();
    return made.ok() ? std::move(made).value() : nullptr;
  }

  BuildResult build(const plan::Plan& plan) {
    auto result = builder_->build(plan, {});
    EXPECT_TRUE(result.ok()) << result.error().text();
    return result.ok() ? *result : BuildResult{};
  }

  // "accepted", "build_error", "cheat:writable_state", …
  std::string verdict(const plan::Plan& plan) {
    last_ = build(plan);
    EXPECT_EQ(last_.object.empty(), last_.verdict != protocol::Verdict::accepted);
    return std::string(protocol::name(last_.verdict)) + (last_.kind.empty() ? "" : ":" + last_.kind);
  }
  std::string verdict(const std::string& source) { return verdict(one_kernel(source)); }

  std::string folder_;
  std::unique_ptr<CudaBuilder> builder_;
  BuildResult last_;
};

}  // namespace kw::build
