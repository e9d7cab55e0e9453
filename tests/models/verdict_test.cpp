// Each verdict by a candidate that provokes it. The cheats are real ones: tests/fakes/cheats, numbered as their list is.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <unistd.h>

#include "core/base/statistics.h"
#include "core/worker/timer/environment.h"
#include "tests/models/verdict_fixture.h"

namespace kw::models {
namespace {

using protocol::Evaluation;

struct Case {
  const char* file;               // tests/fakes/cheats, without .cpp
  const char* task;
  const char* verdict;
  const char* input_set = "";     // where it must have been seen; "" = anywhere
  double timed_check_share = 1;
  std::int64_t workspace = 0;
  std::vector<std::string> steps = {"kernel"};
  int threads = 1;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"00_honest", "scale", "accepted"},
      {"06_cached_by_pointer", "row-sum", "cheat:cached_output"},
      {"06_cached_in_global", "row-sum", "cheat:writable_state"},
      {"07_batched_calls", "scale", "wrong_result", "captured"},
      {"08_call_counter", "scale", "cheat:timed_path_differs"},
      {"08_poison_detector", "scale", "cheat:timed_path_differs"},
      {"09_unwritten", "scale", "wrong_result", "captured"},
      {"10_input_mutated", "scale", "input_mutated", "captured"},
      {"11_output_alias", "scale", "cheat:output_alias"},
      {"12_constant_output", "scale", "cheat:constant_output"},
      {"13_zeros", "scale-tiny", "cheat:constant_output"},
      {"14_identity_on_range", "scale", "wrong_result", "hidden:normal"},
      {"18_lower_precision", "scale", "imprecise", "captured"},
      {"19_no_max_subtraction", "softmax", "wrong_result", "hidden:heavy-tailed"},
      {"19_naive_variance", "layer-norm", "wrong_result", "hidden:offset"},
      {"20_just_out_of_bounds", "scale", "out_of_bounds"},
      {"20_far_out_of_bounds", "scale", "out_of_bounds"},
      {"20_partial", "scale", "wrong_result", "captured"},
      {"21_uninitialised", "scale", "nondeterministic", "captured", 1, 64},
      {"21_race", "scale", "nondeterministic", "", 1, 0, {"kernel"}, 2},
      {"22_operator_in_disguise", "scale", "cheat:forbidden_symbol"},
      {"22_dlopen", "scale", "cheat:forbidden_symbol"},
      {"23_decoy", "scale", "cheat:decoy_kernel", "captured", 1, 64, {"kernel", "decoy"}},
      {"26_warm_copy", "scale", "cheat:stale_state"},
      {"28_state_drift", "scale", "cheat:state_drift", "", 0},
  };
  return all;
}

Evaluation evaluate(const std::string& task, const PlanText& text, double share = 1, const nlohmann::json& extra = {}) {
  oracle::EvaluatorOptions options;
  options.timed_check_share = share;
  oracle::TaskEvaluator& evaluator = evaluator_for(task, options);
  nlohmann::json params = {{"task", task}, {"candidate", 1}, {"plan", plan_of(*small_model(task), text)}, {"precision", 0.03}, {"deadline_s", 30}};
  if (!extra.is_null()) params.update(extra);
  auto evaluation = evaluator.evaluate(params, {});
  EXPECT_TRUE(evaluation.ok()) << (evaluation.ok() ? "" : evaluation.error().text());
  return evaluation.ok() ? *evaluation : Evaluation{};
}

// Where other programs keep the machine busy, timing says so instead of guessing; what needs timing cannot be shown then.
#define SKIP_IF_BUSY(evaluation) \
  if ((evaluation).verdict_text() == "not_evaluated:machine_busy") GTEST_SKIP() << "the machine is busy: " << (evaluation).evidence.summary

class Cheats : public testing::TestWithParam<Case> {};

TEST_P(Cheats, IsCaught) {
  const Case& c = GetParam();
  const Evaluation evaluation = evaluate(c.task, {cheat_source(c.file), c.steps, c.workspace, c.threads}, c.timed_check_share);
  SKIP_IF_BUSY(evaluation);
  EXPECT_EQ(evaluation.verdict_text(), c.verdict) << evaluation.evidence.summary << "\n" << evaluation.evidence.detail;
  EXPECT_TRUE(*c.input_set == 0 || evaluation.evidence.input_set == c.input_set) << evaluation.evidence.input_set;
  EXPECT_FALSE(evaluation.evidence.summary.empty());
}

std::string case_name(const testing::TestParamInfo<Case>& tested) { return "c" + std::string(tested.param.file); }

INSTANTIATE_TEST_SUITE_P(All, Cheats, testing::ValuesIn(cases()), case_name);

// 5: in its timed calls it does nothing. With no look at their outputs the floor alone must catch it.
TEST(Verdict, ImpossibleSpeed) {
  oracle::EvaluatorOptions options;
  options.timed_check_share = 0;
  protocol::Ceilings ceilings;
  ceilings.copy_gb_s = ceilings.read_gb_s = ceilings.write_gb_s = 200;   // more than this class of machine moves
  evaluator_for("scale-big", options).set_ceilings(ceilings);
  const Evaluation evaluation = evaluate("scale-big", {cheat_source("05_near_zero_time")}, 0);
  if (!evaluation.measurement && evaluation.verdict_text() == "cheat:state_drift")
    GTEST_SKIP() << "the machine is busy: no measurement, and what it does not write was seen afterwards";
  EXPECT_EQ(evaluation.verdict_text(), "impossible_speed") << evaluation.evidence.summary;
  ASSERT_TRUE(evaluation.measurement.has_value());
  EXPECT_NEAR(evaluation.measurement->floor_us, (2.0 * 4096 * 2048 + 2048) * 4 / 200e3, 1);
}

// 31: the best of its calls is fast; what counts is the middle of all.
TEST(Verdict, BestOfSeveralDoesNotCount) {
  const Evaluation evaluation = evaluate("scale", {cheat_source("31_best_of_n")});
  SKIP_IF_BUSY(evaluation);
  ASSERT_EQ(evaluation.verdict_text(), "accepted") << evaluation.evidence.summary;
  const auto& m = *evaluation.measurement;
  EXPECT_LT(*std::min_element(m.candidate_us.begin(), m.candidate_us.end()), 0.5 * m.candidate_median_us);
  EXPECT_EQ(protocol::outcome(m), protocol::Outcome::slower);
}

TEST(Verdict, AcceptedCarriesItsErrorsAndSamples) {
  const Evaluation evaluation = evaluate("scale", {cheat_source("00_honest")}, 1, {{"afresh", true}});
  SKIP_IF_BUSY(evaluation);
  ASSERT_EQ(evaluation.verdict_text(), "accepted") << evaluation.evidence.summary;
  ASSERT_EQ(evaluation.evidence.errors.size(), 1u);
  EXPECT_LE(evaluation.evidence.errors[0].max, evaluation.evidence.errors[0].tolerance_max);
  EXPECT_GE(evaluation.evidence.errors[0].tolerance_max, 4 * 1.1920929e-07 * 0.999);
  ASSERT_TRUE(evaluation.measurement.has_value());
  EXPECT_EQ(evaluation.measurement->candidate_us.size(), evaluation.measurement->baseline_us.size());
  EXPECT_GE(evaluation.measurement->rounds, 6);
  EXPECT_DOUBLE_EQ(evaluation.measurement->candidate_median_us, base::median(evaluation.measurement->candidate_us));
}

// Any of several equal maxima is right; the index next to one is not.
constexpr const char* last_maximum = R"(extern "C" void kernel(void* const* b) {
  const float* x = (const float*)b[0]; long* out = (long*)b[1];
  for (long r = 0; r < 256; ++r) { long best = 0; bool nan = false;
    for (long c = 0; c < 512; ++c) { const float v = x[r * 512 + c], m = x[r * 512 + best];
      if (!nan && (v != v || v >= m)) best = c, nan = v != v; }
    out[r] = best OFFSET; } })";

std::string argmax_source(const std::string& offset) {
  std::string text = last_maximum;
  return text.replace(text.find("OFFSET"), 6, offset);
}

TEST(Verdict, IndexOfAnyMaximumIsRight) {
  const Evaluation evaluation = evaluate("argmax", {argmax_source("")});
  SKIP_IF_BUSY(evaluation);
  EXPECT_EQ(evaluation.verdict_text(), "accepted") << evaluation.evidence.summary;
}

// Right where it finds poison in its output, as in a checked call; the index next to the right one otherwise.
TEST(Verdict, IndicesOfTimedCallsAreJudged) {
  const Evaluation evaluation =
      evaluate("argmax", {argmax_source("== 511 || out[255] == 0x5A5A5A5A5A5A5A5AL || out[255] == (long)0xA5A5A5A5A5A5A5A5UL ? best : best + 1")});
  EXPECT_EQ(evaluation.verdict_text(), "cheat:timed_path_differs") << evaluation.evidence.summary;
}

TEST(Verdict, IndexBesideTheMaximumIsWrong) {
  const Evaluation evaluation = evaluate("argmax", {argmax_source("== 511 ? 0 : best + 1")});
  EXPECT_EQ(evaluation.verdict_text(), "wrong_result") << evaluation.evidence.summary;
  EXPECT_FALSE(evaluation.evidence.worst.empty());
}

// An overflow turns all outputs of several sets into NaN. That is wrong, and no constant that somebody wrote down.
TEST(Verdict, NanEverywhereIsNoCheat) {
  const Evaluation evaluation = evaluate("row-sum", {R"(extern "C" void kernel(void* const* b) {
  const float* x = (const float*)b[0]; const float* w = (const float*)b[1]; float* out = (float*)b[2];
  float big = 0; for (long i = 0; i < 256 * 512; ++i) big = big < x[i] ? x[i] : big;
  for (long r = 0; r < 256; ++r) { float sum = 0;
    for (long c = 0; c < 512; ++c) sum += x[r * 512 + c] * w[c];
    out[r] = big > 8 ? __builtin_nanf("") : sum; } })"});
  EXPECT_EQ(evaluation.verdict_text(), "wrong_result") << evaluation.evidence.summary;
}

// The runners that this process has started, by /proc/PID/stat: "PID (name) state parent …".
std::vector<pid_t> runners() {
  std::vector<pid_t> found;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    int pid = 0, parent = 0;
    char name[32] = {}, state = 0;
    std::string line;
    std::getline(std::ifstream(entry.path() / "stat"), line);
    if (std::sscanf(line.c_str(), "%d (%31[^)]) %c %d", &pid, name, &state, &parent) != 4) continue;
    if (parent == getpid() && std::string(name) == "kernelwright-ru") found.push_back(pid);
  }
  return found;
}

// Nobody's fault: the candidate may be right, and is tried again.
TEST(Verdict, RunnerKilledFromOutsideTeachesNothing) {
  std::atomic<bool> stop{false};
  std::thread killer([&] {
    for (; !stop; std::this_thread::sleep_for(std::chrono::milliseconds(2)))
      for (const pid_t runner : runners()) kill(runner, SIGKILL);
  });
  const Evaluation evaluation = evaluate("scale", {cheat_source("00_honest")}, 1, {{"afresh", true}});
  stop = true;
  killer.join();
  EXPECT_EQ(evaluation.verdict_text(), "not_evaluated:worker_lost") << evaluation.evidence.summary;
}

struct Plain {
  const char* name;
  const char* source;
  const char* verdict;
  const char* says;              // part of the summary or detail
};

class Failures : public testing::TestWithParam<Plain> {};

TEST_P(Failures, HaveTheirVerdict) {
  const Evaluation evaluation = evaluate("scale", {GetParam().source});
  EXPECT_EQ(evaluation.verdict_text(), GetParam().verdict) << evaluation.evidence.summary << "\n" << evaluation.evidence.detail;
  const std::string text = evaluation.evidence.summary + "\n" + evaluation.evidence.detail;
  EXPECT_NE(text.find(GetParam().says), std::string::npos) << text;
}

const Plain failures[] = {
    Plain{"Syntax", "extern \"C\" void kernel(void* const* b) { oops }\n", "build_error", "oops"},
    Plain{"Helper", "extern \"C\" float helper_nobody_wrote(float);\nextern \"C\" void kernel(void* const* b) { ((float*)b[2])[0] = helper_nobody_wrote(1); }\n",
          "build_error", "helper_nobody_wrote"},
    Plain{"Symbol", "extern \"C\" void another(void* const*) {}\n", "launch_error", "kernel"},
    Plain{"Threads", "extern \"C\" void kernel(void* const* b) {\n#pragma omp parallel num_threads(7)\n  ((float*)b[2])[0] = 1;\n}\n", "launch_error", "threads"},
    Plain{"NullPointer", "extern \"C\" void kernel(void* const* b) { *(volatile float*)8 = 1; }\n", "crash", "kernel+0x"},
    Plain{"Trap", "extern \"C\" void kernel(void* const* b) { __builtin_trap(); }\n", "crash", "ILL"},
    Plain{"StackOverflow",
          "extern \"C\" void kernel(void* const* b) { volatile char pad[1 << 12]; pad[0] = 1; kernel(b); pad[1] = pad[0]; }\n", "crash", "no buffer"},
    Plain{"EndlessLoop", "extern \"C\" void kernel(void* const* b) { for (volatile int i = 0;; i = 1) {} }\n", "timeout", "One call ran longer than"},
    Plain{"Initialiser", "static float make() { float r; asm volatile(\"\" : \"=m\"(r)); return r; }\nfloat table = make();\nextern \"C\" void kernel(void* const* b) { ((float*)b[2])[0] = table; }\n",
          "cheat:init_code", "loaded"},
    Plain{"ThreadLocal", "thread_local int calls;\nextern \"C\" void kernel(void* const* b) { ((float*)b[2])[0] = (float)++calls; }\n", "cheat:forbidden_symbol", "thread-local"},
    Plain{"Clock", "extern \"C\" long clock();\nextern \"C\" void kernel(void* const* b) { ((float*)b[2])[0] = (float)clock(); }\n", "cheat:forbidden_symbol", "a clock"},
#if defined(__x86_64__)
    Plain{"SystemCall", "extern \"C\" void kernel(void* const* b) { long r; asm volatile(\"syscall\" : \"=a\"(r) : \"a\"(41l), \"D\"(2l), \"S\"(1l), \"d\"(0l) : \"rcx\", \"r11\", \"memory\"); }\n",
          "cheat:forbidden_system_call", "41"},
#endif
};

std::string failure_name(const testing::TestParamInfo<Plain>& tested) { return tested.param.name; }

INSTANTIATE_TEST_SUITE_P(All, Failures, testing::ValuesIn(failures), failure_name);

TEST(Verdict, OutOfMemory) {
  PlanText text{cheat_source("00_honest")};
  text.workspace = std::int64_t{1} << 38;   // a terabyte
  EXPECT_EQ(evaluate("scale", text).verdict_text(), "out_of_memory");
}

TEST(Verdict, PlanOfAnotherShapeIsWrong) {
  auto model = small_model("scale");
  nlohmann::json plan = plan_of(*model, {cheat_source("00_honest")});
  plan["buffers"][2]["sizes"] = {128, 512};
  auto evaluation = evaluator_for("scale", {}).evaluate({{"task", "scale"}, {"plan", plan}}, {});
  ASSERT_TRUE(evaluation.ok());
  EXPECT_EQ(evaluation->verdict_text(), "wrong_result");
}

TEST(Verdict, CancelledTeachesNothing) {
  base::CancelToken cancel;
  cancel.cancel();
  auto evaluation = evaluator_for("scale", {}).evaluate({{"task", "scale"}, {"plan", plan_of(*small_model("scale"), {cheat_source("00_honest")})}}, cancel);
  ASSERT_TRUE(evaluation.ok());
  EXPECT_EQ(evaluation->verdict_text(), "not_evaluated:cancelled");
}

TEST(Verdict, BusyMachineTeachesNothing) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> rivals;
  for (unsigned i = 0; i < 3 * std::thread::hardware_concurrency(); ++i)
    rivals.emplace_back([&stop] {
      while (!stop) {}
    });
  const Evaluation evaluation = evaluate("scale", {cheat_source("00_honest")});
  stop = true;
  for (auto& rival : rivals) rival.join();
  EXPECT_EQ(evaluation.verdict_text(), "not_evaluated:machine_busy") << evaluation.evidence.summary;
  EXPECT_FALSE(evaluation.measurement.has_value());
}

TEST(Verdict, BadRequestsAreErrors) {
  auto& evaluator = evaluator_for("scale", {});
  EXPECT_FALSE(evaluator.evaluate({{"task", "scale"}}, {}).ok());
  EXPECT_FALSE(evaluator.evaluate({{"task", "no such task"}, {"plan", plan_of(*small_model("scale"), {"x"})}}, {}).ok());
  EXPECT_FALSE(evaluator.prepare({{"task", {{"id", "t"}}}}, {}).ok());
  EXPECT_FALSE(evaluator.end_to_end({{"winners", 3}}, {}).ok());
}

TEST(EndToEnd, WinnerInPlaceIsRightAndTimed) {
  auto model = small_model("scale-big");
  oracle::EvaluatorOptions options;
  options.cache = "/tmp/kw-verdict-objects-" + std::to_string(getuid());
  auto evaluator = oracle::TaskEvaluator::create(*model, executor(), options);
  ASSERT_TRUE(evaluator.ok());
  std::string source = cheat_source("00_honest");
  source.replace(source.find("rows = 256, cols = 512"), 22, "rows = 4096, cols = 2048");
  source.replace(source.find("  for (long r = 0; r < rows"), 0, "#pragma omp parallel for num_threads(2)\n");
  const nlohmann::json task = task_of("scale-big", *model);
  const nlohmann::json winner = {{"task", "scale-big"}, {"plan", plan_of(*model, {source})}, {"instances", {task["instance"]}}};
  auto result = (*evaluator)->end_to_end({{"winners", {winner}}, {"rounds", 6}}, {});
  if (!result.ok() && result.error().code == base::ErrorCode::busy) GTEST_SKIP() << result.error().text();
  ASSERT_TRUE(result.ok()) << result.error().text();
  EXPECT_TRUE(result->within_tolerance);
  EXPECT_LE(result->error_max, 4 * 1.2e-7);
  EXPECT_GT(result->before_us, 0);
  EXPECT_GE(result->rounds, 5);
}

TEST(EndToEnd, WrongWinnerIsSeen) {
  auto model = small_model("scale");
  oracle::EvaluatorOptions options;
  options.cache = "/tmp/kw-verdict-objects-" + std::to_string(getuid());
  auto evaluator = oracle::TaskEvaluator::create(*model, executor(), options);
  ASSERT_TRUE(evaluator.ok());
  const nlohmann::json winner = {{"task", "scale"}, {"plan", plan_of(*model, {cheat_source("18_lower_precision")})},
                                 {"instances", {task_of("scale", *model)["instance"]}}};
  ASSERT_TRUE((*evaluator)->install(nlohmann::json::array({winner})).ok());
  EXPECT_GT(difference_from_relu_times_w(*model), 1e-4);   // the winner's rounding is in the model's output
  ASSERT_TRUE((*evaluator)->install(nlohmann::json::array()).ok());
  EXPECT_EQ(difference_from_relu_times_w(*model), 0);
}

}  // namespace
}  // namespace kw::models

int main(int argc, char** argv) {
  kw::timer::ensure_openmp_settings(argv);   // may start this program again
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
