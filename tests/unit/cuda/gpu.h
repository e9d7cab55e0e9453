#pragma once
// Tests on a GPU: skipped with the driver's one sentence where there is none. NVRTC comes from the source tree's .venv, or from where
// the product itself looks.

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/worker/cuda/context.h"
#include "core/worker/cuda/facts.h"
#include "core/worker/cuda/module.h"
#include "core/worker/cuda/nvrtc.h"

namespace kw::cuda {

inline std::vector<std::string> nvrtc_folders() {
  std::vector<std::string> folders;
  const char* source = std::getenv("KW_SOURCE_DIR");
  std::error_code error;
  for (const auto& python : std::filesystem::directory_iterator(std::string(source != nullptr ? source : ".") + "/.venv/lib", error))
    folders.push_back(python.path().string() + "/site-packages/nvidia/cu13/lib");
  return folders;
}

class GpuTest : public testing::Test {
 protected:
  void SetUp() override {
    auto context = Context::retain(0);
    if (!context) GTEST_SKIP() << context.error().message;
    context_ = *context;
    auto stream = Stream::create(*context_);
    ASSERT_TRUE(stream.ok()) << stream.error().text();
    stream_ = std::move(stream).value();
  }

  std::string compile(const std::string& source, const std::string& arch = facts(0)->arch()) {
    auto nvrtc = Nvrtc::open(nvrtc_folders());
    if (!nvrtc) {
      ADD_FAILURE() << nvrtc.error().text();
      return "";
    }
    auto compiled = (*nvrtc)->compile(source, "test.cu", arch, {"--std=c++17"});
    EXPECT_TRUE(compiled.ok() && compiled->ok) << (compiled.ok() ? compiled->log : compiled.error().text());
    return compiled.ok() ? compiled->cubin : "";
  }

  // A kernel of a source of its own; the test fails without it.
  std::optional<Function> kernel(const std::string& source, const std::string& name) {
    auto module = Module::from_image(*context_, compile(source));
    if (!module) {
      ADD_FAILURE() << module.error().text();
      return std::nullopt;
    }
    auto function = module->function(name);
    if (!function) {
      ADD_FAILURE() << function.error().text();
      return std::nullopt;
    }
    return *function;
  }

  std::optional<Context> context_;
  std::optional<Stream> stream_;
};

}  // namespace kw::cuda
