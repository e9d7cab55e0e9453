// NVRTC behind the builder: the cache, the words of a failure, what stops it.

#include <algorithm>
#include <fstream>
#include <thread>

#include "tests/unit/build/cuda_candidates.h"

namespace kw::build {
namespace {

using CudaBuilderTest = CudaCandidatesTest;

TEST_F(CudaBuilderTest, BuildsOnceAndKeeps) {
  const BuildResult first = build(one_kernel(in_kernel("b[t] = 2 * a[t];")));
  ASSERT_FALSE(first.object.empty()) << first.evidence.summary << first.evidence.detail;
  EXPECT_EQ(std::filesystem::path(first.object).extension(), ".cubin");
  ASSERT_EQ(first.spans.size(), 1u);
  EXPECT_EQ(first.spans[0].what, "compile");
  EXPECT_GE(first.spans[0].end_s, first.spans[0].start_s);
  EXPECT_FALSE(first.from_cache);
  const BuildResult second = build(one_kernel(in_kernel("b[t] = 2 * a[t];")));
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.object, first.object);
  EXPECT_TRUE(second.spans.empty());
  EXPECT_NE(build(one_kernel(in_kernel("b[t] = 3 * a[t];"))).object, first.object);
  builder_ = make("sm_80");
  const BuildResult other = build(one_kernel(in_kernel("b[t] = 2 * a[t];")));
  EXPECT_FALSE(other.from_cache);
  EXPECT_NE(other.object, first.object);
}

TEST_F(CudaBuilderTest, TwoThreadsBuildItOnce) {
  std::vector<BuildResult> results(4);
  std::vector<std::thread> threads;
  for (BuildResult& result : results)
    threads.emplace_back([&] { result = *builder_->build(one_kernel(in_kernel("b[t] = sinf(a[t]) * expf(a[t + 1]);")), {}); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::count_if(results.begin(), results.end(), [](const BuildResult& r) { return r.from_cache; }), 3);
  for (const BuildResult& result : results) EXPECT_EQ(result.object, results[0].object);
}

TEST_F(CudaBuilderTest, CompilersWordsAreTheEvidence) {
  EXPECT_EQ(verdict("// the first line\n" + in_kernel("float unused = 1;\n b[t] = undeclared;")), "build_error");
  EXPECT_NE(last_.evidence.summary.find("candidate.cu(4): error: identifier \"undeclared\" is undefined"), std::string::npos) << last_.evidence.summary;
  EXPECT_NE(last_.evidence.detail.find("1 error detected"), std::string::npos) << last_.evidence.detail;
  EXPECT_EQ(last_.spans.size(), 1u);
  EXPECT_EQ(verdict(in_kernel("b[t] = nobody(a[t]);", "extern \"C\" __device__ float nobody(float);")), "build_error");
  EXPECT_NE(last_.evidence.summary.find("Unresolved extern function 'nobody'"), std::string::npos) << last_.evidence.summary;
  EXPECT_EQ(verdict(in_kernel("asm volatile(\"no_such_instruction;\");")), "build_error");
}

TEST_F(CudaBuilderTest, AStepNeedsItsKernel) {
  plan::Plan plan = one_kernel(in_kernel("b[t] = a[t];", "__device__ __noinline__ float helper(float x) { return x; }"));
  EXPECT_EQ(verdict(plan), "accepted");
  for (const char* name : {"missing", "helper"}) {
    plan.steps[0].name = name;
    EXPECT_EQ(verdict(plan), "build_error");
    EXPECT_NE(last_.evidence.summary.find(std::string("'") + name + "'"), std::string::npos) << last_.evidence.summary;
  }
  EXPECT_EQ(verdict("__global__ void k(float* a, float* b) { b[0] = a[0]; }\n"), "build_error");   // a mangled name
}

TEST_F(CudaBuilderTest, AKernelTakesOnePointerABuffer) {
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    builder_ = make(arch);
    EXPECT_EQ(verdict("extern \"C\" __global__ void k(const double* a, short* b) { b[0] = (short)a[0]; }\n"), "accepted");
    for (const char* wrong : {"float* a", "float* a, float* b, float* c", "float* a, int n", "float* a, float4 b", ""}) {
      EXPECT_EQ(verdict("extern \"C\" __global__ void k(" + std::string(wrong) + ") {}\n"), "build_error") << arch << wrong;
      EXPECT_NE(last_.evidence.summary.find("must take 2 pointers"), std::string::npos) << last_.evidence.summary;
    }
  }
}

TEST_F(CudaBuilderTest, CancelledBuildEnds) {
  base::CancelToken cancel;
  cancel.cancel();
  auto result = builder_->build(one_kernel(in_kernel("b[t] = a[t];")), cancel);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, base::ErrorCode::cancelled);
}

TEST_F(CudaBuilderTest, TooLongIsABuildError) {
  CudaBuilderOptions options;
  options.folder = folder_;
  options.arch = "sm_90";
  options.time_limit_s = 0;
  options.nvrtc_folders = cuda::nvrtc_folders();
  auto made = CudaBuilder::create(options);
  ASSERT_TRUE(made.ok());
  builder_ = std::move(made).value();
  EXPECT_EQ(verdict(in_kernel("b[t] = a[t];")), "build_error");
  EXPECT_NE(last_.evidence.summary.find("longer than 0 s"), std::string::npos) << last_.evidence.summary;
  EXPECT_EQ(verdict(in_kernel("b[t] = a[t];") + std::string(300 << 10, ' ')), "build_error");
  EXPECT_NE(last_.evidence.summary.find("256 KiB"), std::string::npos) << last_.evidence.summary;
}

TEST_F(CudaBuilderTest, ABrokenCubinInTheCacheIsSaid) {
  const BuildResult first = build(one_kernel(in_kernel("b[t] = a[t];")));
  std::ofstream(first.object) << "not a cubin";
  auto again = builder_->build(one_kernel(in_kernel("b[t] = a[t];")), {});
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().context, first.object);
}

TEST_F(CudaBuilderTest, UnknownArchitectureIsSaid) {
  CudaBuilderOptions options;
  options.folder = folder_;
  options.arch = "sm_17";
  options.nvrtc_folders = cuda::nvrtc_folders();
  auto made = CudaBuilder::create(options);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("sm_17"), std::string::npos);
}

}  // namespace
}  // namespace kw::build
