// NVRTC without a GPU: architectures, messages, where it and its builtins come from.

#include <cstdio>
#include <fstream>
#include <thread>

#include <unistd.h>

#include "core/base/clock.h"
#include "tests/unit/cuda/gpu.h"

namespace kw::cuda {
namespace {

constexpr const char* doubling = R"(
extern "C" __global__ void doubling(const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];
}
)";

class NvrtcTest : public testing::Test {
 protected:
  void SetUp() override {
    auto opened = Nvrtc::open(nvrtc_folders());
    if (!opened) GTEST_SKIP() << opened.error().message;
    nvrtc_ = *opened;
  }
  std::shared_ptr<const Nvrtc> nvrtc_;
};

TEST_F(NvrtcTest, CompilesForEveryArchitecture) {
  for (const char* arch : {"sm_80", "sm_90", "sm_100"}) {
    auto compiled = nvrtc_->compile(doubling, "doubling.cu", arch, {"--std=c++17"});
    ASSERT_TRUE(compiled.ok()) << compiled.error().text();
    ASSERT_TRUE(compiled->ok) << arch << compiled->log;
    EXPECT_EQ(compiled->cubin.substr(0, 4), "\x7f" "ELF");
    EXPECT_NE(compiled->cubin.find("doubling"), std::string::npos);
  }
}

TEST_F(NvrtcTest, AnErrorNamesItsLine) {
  auto compiled = nvrtc_->compile("// one\n// two\nextern \"C\" __global__ void k(float* x) { x[0] = missing; }\n", "given.cu", "sm_90", {});
  ASSERT_TRUE(compiled.ok()) << compiled.error().text();
  EXPECT_FALSE(compiled->ok);
  EXPECT_TRUE(compiled->cubin.empty());
  EXPECT_NE(compiled->log.find("given.cu(3): error: identifier \"missing\" is undefined"), std::string::npos) << compiled->log;
}

TEST_F(NvrtcTest, UnknownArchitectureIsAnError) {
  auto compiled = nvrtc_->compile(doubling, "doubling.cu", "sm_17", {});
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, base::ErrorCode::bad_input);
  EXPECT_NE(compiled.error().message.find("sm_17"), std::string::npos);
}

TEST_F(NvrtcTest, StopsWhenAsked) {
  auto compiled = nvrtc_->compile(doubling, "doubling.cu", "sm_90", {}, [] { return true; });
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.error().code, base::ErrorCode::cancelled);
}

TEST_F(NvrtcTest, SeveralThreadsAtOnce) {
  std::vector<std::thread> threads;
  std::vector<int> good(4, 0);
  for (std::size_t t = 0; t < good.size(); ++t)
    threads.emplace_back([&, t] {
      auto compiled = nvrtc_->compile(std::string(doubling) + "// " + std::to_string(t) + "\n", "doubling.cu", "sm_90", {});
      good[t] = compiled.ok() && compiled->ok ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(good, std::vector<int>(4, 1));
}

// The source's depth is the compiler's recursion, and a compiler that runs in this process must not end it.
TEST_F(NvrtcTest, DeepSourcesCostNoProcess) {
  constexpr std::size_t depth = 130000;   // what a source of 256 KiB can hold
  std::string minuses;
  for (std::size_t i = 0; i < depth; ++i) minuses += "- ";
  for (const std::string& value : {std::string(depth, '(') + "x[1]" + std::string(depth, ')'), minuses + "x[1]", std::string(depth, '~')}) {
    auto compiled = nvrtc_->compile("extern \"C\" __global__ void k(float* x) { x[0] = " + value + "; }\n", "deep.cu", "sm_90", {"--modify-stack-limit=false"});
    EXPECT_TRUE(compiled.ok());
  }
}

TEST_F(NvrtcTest, BuiltinsComeFromTheSameFolder) {
  ASSERT_TRUE(nvrtc_->compile(doubling, "doubling.cu", "sm_90", {}).ok());
  std::error_code error;
  const auto folder = std::filesystem::canonical(std::filesystem::path(nvrtc_->path()).parent_path(), error);
  std::ifstream maps("/proc/self/maps");
  int seen = 0;
  for (std::string line; std::getline(maps, line);) {
    const std::size_t at = line.find('/');
    if (at == std::string::npos || line.find("libnvrtc-builtins") == std::string::npos) continue;
    EXPECT_EQ(std::filesystem::path(line.substr(at)).parent_path(), folder);
    ++seen;
  }
  EXPECT_GT(seen, 0);
}

TEST_F(NvrtcTest, TheCallersFolderComesFirst) {
  if (nvrtc_folders().empty() || !std::filesystem::exists(nvrtc_folders().front() + "/libnvrtc.so.13")) GTEST_SKIP() << "no torch wheel with CUDA in .venv";
  EXPECT_EQ(std::filesystem::path(nvrtc_->path()).parent_path(), nvrtc_folders().front());
  EXPECT_EQ(nvrtc_->version().substr(0, 3), "13.");
}

TEST(Nvrtc, TheEnvironmentIsObeyedAlone) {
  setenv("KW_NVRTC", "/nowhere/libnvrtc.so.13", 1);
  auto opened = Nvrtc::open(nvrtc_folders());
  unsetenv("KW_NVRTC");
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, base::ErrorCode::not_found);
  EXPECT_NE(opened.error().context.find("/nowhere/libnvrtc.so.13"), std::string::npos);
}

TEST(Nvrtc, NoTorchInThisProcess) { EXPECT_TRUE(folders_beside_torch().empty()); }

}  // namespace
}  // namespace kw::cuda
