// The executor on an object that the test compiles with the system's compiler.

#include <cstdlib>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/process.h"
#include "core/worker/runtime/loaded_plan.h"

namespace kw::runtime {
namespace {

std::string build(const std::string& name, const std::string& source) {
  const std::string stem = testing::TempDir() + "kw-loaded-" + std::to_string(getpid()) + "-" + name;
  std::ofstream(stem + ".cpp") << source;
  base::SpawnOptions options;
  options.argv = {"g++", "-shared", "-fPIC", "-O1", stem + ".cpp", "-o", stem + ".so"};
  auto built = base::run_captured(options, 60);
  EXPECT_TRUE(built.ok() && built->status.code == 0);
  return stem + ".so";
}

plan::Plan two_steps() {
  plan::Plan plan;
  plan.target = "cpu";
  const graph::TensorType type{graph::DType::f32, {4}, {1}};
  plan.buffers = {{"x", plan::BufferRole::input, type}, {"y", plan::BufferRole::output, type}, {"t", plan::BufferRole::workspace, type}};
  plan::Step first, second;
  first.name = "twice", first.buffers = {0, 2};
  second.name = "plus_one", second.buffers = {2, 1};
  plan.steps = {first, second};
  return plan;
}

constexpr const char* source = R"(
extern "C" void twice(void* const* b) { for (int i = 0; i < 4; ++i) ((float*)b[1])[i] = 2 * ((float*)b[0])[i]; }
extern "C" void plus_one(void* const* b) { for (int i = 0; i < 4; ++i) ((float*)b[1])[i] = 1 + ((float*)b[0])[i]; }
extern "C" void swaps(void* const* b) { ((void**)b)[1] = b[0]; }
)";

TEST(LoadedPlan, RunsItsStepsInOrder) {
  auto loaded = LoadedPlan::load(build("steps", source), two_steps());
  ASSERT_TRUE(loaded.ok()) << loaded.error().text();
  float x[4] = {1, 2, 3, 4}, y[4] = {}, t[4] = {};
  void* buffers[3] = {x, y, t};
  loaded->run(buffers);
  EXPECT_EQ(y[0], 3);
  EXPECT_EQ(y[3], 9);
  t[3] = 100;
  EXPECT_FALSE(loaded->run_checked(buffers, 0).has_value());   // without the first step the second sees what is there
  EXPECT_EQ(y[3], 101);
}

TEST(LoadedPlan, SaysWhichStepRewroteItsArguments) {
  plan::Plan plan = two_steps();
  plan.steps[1].name = "swaps";
  auto loaded = LoadedPlan::load(build("swaps", source), plan);
  ASSERT_TRUE(loaded.ok());
  float x[4] = {}, y[4] = {}, t[4] = {};
  void* buffers[3] = {x, y, t};
  EXPECT_EQ(loaded->run_checked(buffers), 1);
  EXPECT_EQ(buffers[1], y);
}

TEST(LoadedPlan, ErrorsNameWhatIsMissing) {
  const std::string object = build("missing", source);
  plan::Plan plan = two_steps();
  plan.steps[1].name = "absent";
  auto loaded = LoadedPlan::load(object, plan);
  ASSERT_FALSE(loaded.ok());
  EXPECT_NE(loaded.error().message.find("absent"), std::string::npos);
  EXPECT_FALSE(LoadedPlan::load(object + ".not", two_steps()).ok());
  plan = two_steps();
  plan.steps[0].buffers = {0, 9};
  EXPECT_FALSE(LoadedPlan::load(object, plan).ok());
}

}  // namespace
}  // namespace kw::runtime
