// The compiler under limits, the cache, the rules of an object, and the gate.

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <thread>

#include <gtest/gtest.h>

#include "core/base/clock.h"
#include "core/base/process.h"
#include "core/worker/build/builder.h"

namespace kw::build {
namespace {

class BuilderTest : public testing::Test {
 protected:
  BuilderTest() : folder_(testing::TempDir() + "kw-builder-" + std::to_string(getpid()) + "-" +
                          testing::UnitTest::GetInstance()->current_test_info()->name()) {
    BuilderOptions options;
    options.folder = folder_;
    auto made = Builder::create(options, gate_);
    EXPECT_TRUE(made.ok()) << made.error().text();
    builder_ = std::move(made).value();
  }
  ~BuilderTest() override { std::filesystem::remove_all(folder_); }

  BuildResult build(const std::string& source) {
    plan::Plan plan;
    plan.source = source;
    auto result = builder_->build(plan, {});
    EXPECT_TRUE(result.ok()) << result.error().text();
    return result.ok() ? *result : BuildResult{};
  }

  std::string verdict(const std::string& source) {
    const BuildResult result = build(source);
    return std::string(protocol::name(result.verdict)) + (result.kind.empty() ? "" : ":" + result.kind);
  }

  std::string folder_;
  BuildGate gate_;
  std::unique_ptr<Builder> builder_;
};

constexpr const char* honest = R"(
extern "C" void kernel(void* const* b) {
  const float* x = (const float*)b[0]; float* y = (float*)b[1];
#pragma omp parallel for num_threads(2)
  for (long i = 0; i < 1000; ++i) y[i] = __builtin_sqrtf(x[i]) * 2;
}
)";

TEST_F(BuilderTest, BuildsOnceAndKeeps) {
  const BuildResult first = build(honest);
  ASSERT_FALSE(first.object.empty()) << first.evidence.summary << first.evidence.detail;
  EXPECT_EQ(first.spans.size(), 1u);
  EXPECT_FALSE(first.from_cache);
  const BuildResult second = build(honest);
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(second.object, first.object);
  EXPECT_TRUE(second.spans.empty());
  EXPECT_NE(build(std::string(honest) + "// another\n").object, first.object);
}

TEST_F(BuilderTest, CompilersWordsAreTheEvidence) {
  const BuildResult result = build("extern \"C\" void kernel(void* const*) { undeclared = 1; }\n");
  EXPECT_EQ(result.verdict, protocol::Verdict::build_error);
  EXPECT_NE(result.evidence.summary.find("undeclared"), std::string::npos) << result.evidence.summary;
  EXPECT_TRUE(result.object.empty());
}

TEST_F(BuilderTest, RulesOfAnObject) {
  const std::string open = "extern \"C\" void kernel(void* const* b) {", close = "}\n";
  EXPECT_EQ(verdict("extern \"C\" float tanhf(float);\n" + open + "((float*)b[0])[0] = tanhf(((float*)b[0])[1]);" + close), "accepted");
  EXPECT_EQ(verdict("const float table[4] = {1, 2, 3, 4};\n" + open + "((float*)b[0])[0] = table[((int*)b[1])[0]];" + close), "accepted");
  EXPECT_EQ(verdict("extern \"C\" void* malloc(unsigned long);\n" + open + "*(void**)b[0] = malloc(8);" + close), "cheat:forbidden_symbol");
  EXPECT_EQ(verdict("extern \"C\" int puts(const char*);\n" + open + "puts(\"\");" + close), "cheat:forbidden_symbol");
  EXPECT_EQ(verdict("extern \"C\" double omp_get_wtime();\n" + open + "*(double*)b[0] = omp_get_wtime();" + close), "cheat:forbidden_symbol");
  EXPECT_EQ(verdict("extern \"C\" int pthread_create(void*, void*, void* (*)(void*), void*);\n" + open + "pthread_create(b[0], 0, 0, 0);" + close), "cheat:forbidden_symbol");
  EXPECT_EQ(verdict("static int calls;\n" + open + "((int*)b[0])[0] = ++calls;" + close), "cheat:writable_state");
  EXPECT_EQ(verdict("int calls = 3;\n" + open + "((int*)b[0])[0] = ++calls;" + close), "cheat:writable_state");
  EXPECT_EQ(verdict("__attribute__((constructor)) void early() {}\n" + open + close), "cheat:init_code");
  EXPECT_EQ(verdict("extern \"C\" { void one() {} void (*pick())() { return one; } void two() __attribute__((ifunc(\"pick\"))); }\n" + open + "two();" + close),
            "cheat:indirect_function");
  EXPECT_EQ(verdict("extern \"C\" void nobody_has_this();\n" + open + "nobody_has_this();" + close), "build_error");
}

TEST_F(BuilderTest, CancelledBuildEnds) {
  base::CancelToken cancel;
  cancel.cancel();
  plan::Plan plan;
  plan.source = honest;
  auto result = builder_->build(plan, cancel);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, base::ErrorCode::cancelled);
}

TEST_F(BuilderTest, MissingCompilerIsSaid) {
  BuilderOptions options;
  options.folder = folder_;
  options.compiler = "no-such-compiler";
  auto made = Builder::create(options, gate_);
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message.find("no-such-compiler"), std::string::npos);
}

// A stopped process shows "T" in its status; the third field of /proc/PID/stat.
char state_of(pid_t pid) {
  char state = '?';
  if (std::FILE* file = std::fopen(("/proc/" + std::to_string(pid) + "/stat").c_str(), "r")) {
    if (std::fscanf(file, "%*d %*s %c", &state) != 1) state = '?';
    std::fclose(file);
  }
  return state;
}

bool becomes(pid_t pid, char state) {
  for (int i = 0; i < 200; ++i, usleep(5000))
    if (state_of(pid) == state) return true;
  return false;
}

TEST(BuildGate, StopsAndResumesACompilersGroup) {
  BuildGate gate;
  base::SpawnOptions options;
  options.argv = {"sleep", "60"};
  auto child = base::ChildProcess::spawn(options);
  ASSERT_TRUE(child.ok());
  {
    const BuildGate::Registration registration(gate, child->pid());
    {
      const BuildGate::Suspension outer(gate);
      EXPECT_TRUE(becomes(child->pid(), 'T'));
      { const BuildGate::Suspension inner(gate); }
      EXPECT_EQ(state_of(child->pid()), 'T');   // suspensions nest
    }
    EXPECT_TRUE(becomes(child->pid(), 'S'));
  }
  EXPECT_GT(gate.suspended_s(), 0);
}

TEST(BuildGate, NewBuildsWait) {
  BuildGate gate;
  std::atomic<bool> started{false};
  std::thread builder;
  {
    const BuildGate::Suspension quiet(gate);
    builder = std::thread([&] {
      gate.wait_until_open();
      started = true;
    });
    usleep(50000);
    EXPECT_FALSE(started);
  }
  builder.join();
  EXPECT_TRUE(started);
}

}  // namespace
}  // namespace kw::build
