// Verdicts of cuda candidates, each by one that provokes it. Skipped with the driver's one sentence where there is no GPU. What costs the
// process its GPU runs in a process of its own: this program again, with the hidden test of that name.

#include <unistd.h>

#include <cstdio>
#include <set>

#include <gtest/gtest.h>

#include "core/base/process.h"
#include "core/worker/device/torch_cuda.h"
#include "core/worker/oracle/gpu.h"
#include "verdict_fixture.h"

namespace kw::models {
namespace {

using protocol::Evaluation;

// y = relu(x) * w on [256, 512], one element a thread: i is its place.
std::string scale_kernel(const std::string& body, const std::string& before = {}) {
  return before + "__device__ float relu(float v) { return v < 0 ? 0 : v; }\n" + "extern \"C\" __global__ void kernel(const float* x, const float* w, float* y) {\n  const int i = blockIdx.x * 256 + threadIdx.x;\n  " + body + "\n}\n";
}
constexpr const char* honest = "y[i] = relu(x[i]) * w[i % 512];";

class GpuVerdict : public testing::Test {
 protected:
  void SetUp() override {
    auto made = on_gpu("scale");
    if (!made) GTEST_SKIP() << made.error().message;
    bench_ = std::move(made).value();
  }

  Evaluation evaluate(const std::string& source) {
    auto evaluation = bench_.evaluator->evaluate(
        {{"task", "scale"}, {"candidate", 1}, {"plan", cuda_plan_of(*bench_.model, {source})}, {"precision", 0.03}, {"deadline_s", 30}}, {});
    EXPECT_TRUE(evaluation.ok()) << (evaluation.ok() ? "" : evaluation.error().text());
    return evaluation.ok() ? *evaluation : Evaluation{};
  }

  void expect_verdict(const std::string& source, const std::string& verdict) {
    const Evaluation evaluation = evaluate(source);
    EXPECT_EQ(evaluation.verdict_text(), verdict) << evaluation.evidence.summary << "\n" << evaluation.evidence.detail;
  }

  void run_alone() {
    const testing::TestInfo* test = testing::UnitTest::GetInstance()->current_test_info();
    base::SpawnOptions options;
    options.argv = {"/proc/self/exe", "--gtest_also_run_disabled_tests", std::string("--gtest_filter=GpuVerdict.DISABLED_") + test->name()};
    auto ran = base::run_captured(options, 200);
    ASSERT_TRUE(ran.ok()) << ran.error().text();
    EXPECT_NE(ran->out.find("[  PASSED  ] 1 test"), std::string::npos) << ran->out << ran->err;
  }

  OnGpu bench_;
};

TEST_F(GpuVerdict, Honest) {
  const Evaluation evaluation = evaluate(scale_kernel(honest));
  ASSERT_EQ(evaluation.verdict_text(), "accepted") << evaluation.evidence.summary;
  ASSERT_TRUE(evaluation.measurement.has_value());
  EXPECT_EQ(evaluation.measurement->clock, "device_us");
  EXPECT_GT(evaluation.measurement->ratio, 1);      // eager needs two kernels
  EXPECT_NE(evaluation.evidence.detail.find("registers"), std::string::npos);
  ASSERT_EQ(evaluation.measurement->weaker.size(), 1u);
  const std::set<std::string> baselines = {evaluation.measurement->baseline, evaluation.measurement->weaker[0].name};
  EXPECT_EQ(baselines, (std::set<std::string>{"eager", "eager in a CUDA graph"}));
  EXPECT_GE(evaluation.measurement->weaker[0].median_us, evaluation.measurement->baseline_median_us);
}

TEST_F(GpuVerdict, TheWholeModelIsTimedInEveryWay) {
  const nlohmann::json winner = {{"task", "scale"}, {"plan", cuda_plan_of(*bench_.model, {scale_kernel(honest)})},
                                 {"instances", {task_of("scale", *bench_.model)["instance"]}}};
  auto whole = bench_.evaluator->end_to_end({{"winners", {winner}}, {"rounds", 10}}, {});
  ASSERT_TRUE(whole.ok()) << whole.error().text();
  EXPECT_TRUE(whole->within_tolerance);
  std::vector<std::string> names;
  for (const protocol::EndToEndWay& way : whole->ways) {
    names.push_back(way.name);
    EXPECT_GT(way.before_us, 0);
    EXPECT_GT(way.after_us, 0);
    EXPECT_LE(way.speedup_ci95.low, way.speedup_ci95.high);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"TF32", "CUDA graph", "TF32 in a CUDA graph"})) << whole->note;
}

TEST_F(GpuVerdict, AfreshBringsTheKernelsOfBothSides) {
  auto evaluation = bench_.evaluator->evaluate({{"task", "scale"}, {"candidate", 1}, {"plan", cuda_plan_of(*bench_.model, {scale_kernel(honest)})},
                                                {"precision", 0.03}, {"deadline_s", 30}, {"afresh", true}}, {});
  ASSERT_TRUE(evaluation.ok()) << evaluation.error().text();
  ASSERT_EQ(evaluation->verdict_text(), "accepted") << evaluation->evidence.summary;
  std::map<std::string, std::vector<protocol::TimelineEvent>> tracks;
  for (const protocol::TimelineEvent& event : evaluation->timeline) tracks[event.track].push_back(event);
  ASSERT_EQ(tracks["candidate"].size(), 1u) << evaluation->evidence.detail;
  EXPECT_EQ(tracks["candidate"][0].name, "kernel");
  EXPECT_EQ(tracks["candidate"][0].grid, (std::array<int, 3>{512, 1, 1}));
  EXPECT_EQ(tracks["candidate"][0].start_us, 0);
  EXPECT_GT(tracks["candidate"][0].duration_us, 0);
  EXPECT_EQ(tracks["eager"].size(), 2u);            // relu and mul
  EXPECT_EQ(evaluation->timeline.size(), 3u);       // and nothing of our own
}

TEST_F(GpuVerdict, BuildError) { expect_verdict(scale_kernel("y[i] = nowhere;"), "build_error"); }
TEST_F(GpuVerdict, WrongResult) { expect_verdict(scale_kernel("y[i] = x[i] + w[i % 512];"), "wrong_result"); }
TEST_F(GpuVerdict, Imprecise) { expect_verdict(scale_kernel("y[i] = relu(x[i]) * w[i % 512] * 1.001f;"), "imprecise"); }
TEST_F(GpuVerdict, Unwritten) { expect_verdict(scale_kernel(std::string("if (i % 512 != 77) ") + honest), "wrong_result"); }
TEST_F(GpuVerdict, OnePastTheOutput) { expect_verdict(scale_kernel(std::string(honest) + " if (i == 0) y[256 * 512] = 1;"), "out_of_bounds"); }
TEST_F(GpuVerdict, OneBeforeTheOutput) { expect_verdict(scale_kernel(std::string(honest) + " if (i == 0) y[-1] = 1;"), "out_of_bounds"); }
// Its trace in the bands of the inputs, which stay, is not the next one's.
TEST_F(GpuVerdict, OnePastAnInput) {
  expect_verdict(scale_kernel(std::string(honest) + " if (i == 0) ((float*)w)[512] = 1;"), "out_of_bounds");
  expect_verdict(scale_kernel(honest), "accepted");
}
TEST_F(GpuVerdict, InputMutated) { expect_verdict(scale_kernel(std::string(honest) + " if (i == 5) ((float*)x)[i] += 1;"), "input_mutated"); }
TEST_F(GpuVerdict, WritableState) {
  expect_verdict(scale_kernel(std::string(honest) + " calls = i;", "__device__ int calls;\n"), "cheat:writable_state");
}

// Its kernel moves 16 bytes at once; unaligned, that costs the process its GPU.
TEST_F(GpuVerdict, AWinnerTakesAnInputThatBeginsAnywhere) {
  const nlohmann::json winner = {{"task", "scale"},
                                 {"plan", cuda_plan_of(*bench_.model, {scale_kernel("if (i >= 256 * 512 / 4) return; const float4 a = ((const float4*)x)[i], b = ((const float4*)w)[i % 128];"
                                                                                    " ((float4*)y)[i] = make_float4(relu(a.x) * b.x, relu(a.y) * b.y, relu(a.z) * b.z, relu(a.w) * b.w);")})},
                                 {"instances", {task_of("scale", *bench_.model)["instance"]}}};
  ASSERT_TRUE(bench_.evaluator->install(nlohmann::json::array({winner})).ok());
  EXPECT_EQ(difference_with_shifted_inputs(*bench_.model), 0);
}

// Elements go through shared memory to another warp of the block, and nobody waits.
TEST_F(GpuVerdict, RaceOnSharedMemory) {
  const Evaluation evaluation = evaluate(scale_kernel(
      "__shared__ volatile float s[256]; const int t = threadIdx.x; for (int k = 0; k < (t / 32) * (int)(clock64() % 7) ; ++k) __nanosleep(50);"
      " s[t] = relu(x[i]) * w[i % 512]; const float other = s[255 - t]; y[blockIdx.x * 256 + 255 - t] = other;"));
  EXPECT_TRUE(evaluation.verdict_text() == "nondeterministic" || evaluation.verdict_text() == "wrong_result") << evaluation.verdict_text();
}

// Two launches that agree until they are timed: the poison in the output tells a checked call from a timed one.
TEST_F(GpuVerdict, TimedPathDiffers) {
  expect_verdict(scale_kernel("const unsigned was = __float_as_uint(y[i]); y[i] = was == 0x7FC0DEADu || was == 0xFFC0BEEFu ? relu(x[i]) * w[i % 512] : 0.0f;"),
                 "cheat:timed_path_differs");
}

TEST_F(GpuVerdict, DISABLED_IllegalAddress) {
  expect_verdict(scale_kernel("*(volatile float*)(16 + 4 * i) = 1;"), "crash");
  EXPECT_TRUE(bench_.evaluator->lost());
}
TEST_F(GpuVerdict, DISABLED_EndlessLoop) {
  expect_verdict(scale_kernel("while (*(volatile const float*)&x[0] < 1e30f) {} y[i] = 0;"), "timeout");
  EXPECT_TRUE(bench_.evaluator->lost());
  std::printf("[  PASSED  ] 1 test: the kernel still runs, and only the end of the process stops it\n");
  std::fflush(stdout);
  _exit(testing::Test::HasFailure() ? 1 : 0);
}
TEST_F(GpuVerdict, IllegalAddress) { run_alone(); }
TEST_F(GpuVerdict, EndlessLoop) { run_alone(); }

// Work that waits for the GPU cannot be captured; what comes after it goes on, on the stream that it had.
TEST(GpuGraph, WhatCannotBeCapturedIsSaidAndCostsNothing) {
  executor().run([] {
    auto gpu = oracle::Gpu::open();
    if (!gpu) GTEST_SKIP() << gpu.error().message;
    const cuda::Stream* before = &(*gpu)->stream();
    const auto waits = [] {
      device::synchronize();
      return base::done();
    };
    const auto throws = []() -> base::Status { throw std::runtime_error("an operator's own words"); };
    for (const std::function<base::Status()>& work : {std::function<base::Status()>(waits), std::function<base::Status()>(throws)}) {
      auto graph = (*gpu)->graph(work);
      ASSERT_FALSE(graph.ok());
      EXPECT_FALSE(graph.error().message.empty());
      EXPECT_EQ(&(*gpu)->stream(), before);
    }
    auto possible = (*gpu)->graph([&] { return (*gpu)->flush_cache(); });
    ASSERT_TRUE(possible.ok()) << possible.error().text();
    auto us = (*gpu)->timed_us([&] { return possible->launches.launch((*gpu)->stream()); }, 10);
    ASSERT_TRUE(us.ok() && us->has_value());
    EXPECT_GT(**us, 0);
  });
}

}  // namespace
}  // namespace kw::models
