// The rounds' arithmetic on sides whose times are known: no clock decides here.

#include <cmath>
#include <random>
#include <utility>

#include <gtest/gtest.h>

#include "core/base/clock.h"
#include "core/worker/timer/paired.h"

namespace kw::timer {
namespace {

// A side that answers what it is told, with noise.
class ScriptedSide : public Side {
 public:
  ScriptedSide(double call_us, double null_us, double noise, std::uint64_t seed) : call_us_(call_us), null_us_(null_us), noise_(noise), engine_(seed) {}
  base::Result<double> call_us() override {
    if (++calls == fail_at) return base::Error{base::ErrorCode::lost, "died", ""};
    return call_us_ * (1 + noise_ * gauss_(engine_)) + null_us_;
  }
  base::Result<double> null_us() override { return null_us_; }
  int calls = 0, fail_at = -1;

 private:
  double call_us_, null_us_, noise_;
  std::mt19937_64 engine_;
  std::normal_distribution<double> gauss_;
};

Hooks quiet() {
  Hooks hooks;
  hooks.write_inputs = [](int) {};
  return hooks;
}

TEST(TimeRounds, RatioIsBaselineOverCandidateWithNullCallsTakenOff) {
  ScriptedSide candidate(100, 15, 0.02, 1), baseline(200, 40, 0.02, 2);
  auto timing = time_rounds(candidate, {&baseline}, quiet(), {}, {});
  ASSERT_TRUE(timing.ok());
  if (timing->busy) GTEST_SKIP() << "the machine is busy";
  EXPECT_NEAR(timing->against().ratio, 2, 0.08);
  EXPECT_LT(timing->against().ratio_ci95.low, 2);
  EXPECT_GT(timing->against().ratio_ci95.high, 1.9);
  EXPECT_NEAR(timing->candidate.median_us, 100, 4);
  EXPECT_EQ(timing->candidate.null_us, 15);
  EXPECT_GE(timing->rounds, 10);
  EXPECT_EQ(static_cast<int>(timing->candidate.us.size()), timing->rounds);
}

TEST(TimeRounds, SwappedSidesGiveTheReciprocal) {
  ScriptedSide a(100, 0, 0, 1), b(250, 0, 0, 2), c(100, 0, 0, 1), d(250, 0, 0, 2);
  auto one = time_rounds(a, {&b}, quiet(), {}, {}), other = time_rounds(d, {&c}, quiet(), {}, {});
  ASSERT_TRUE(one.ok() && other.ok());
  if (one->busy || other->busy) GTEST_SKIP() << "the machine is busy";
  EXPECT_DOUBLE_EQ(one->against().ratio, 2.5);
  EXPECT_DOUBLE_EQ(other->against().ratio, 0.4);
}

TEST(TimeRounds, HopelessCandidatesStopEarly) {
  ScriptedSide candidate(1000, 0, 0.3, 1), baseline(100, 0, 0.3, 2);
  auto timing = time_rounds(candidate, {&baseline}, quiet(), {}, {});
  ASSERT_TRUE(timing.ok());
  if (timing->busy) GTEST_SKIP() << "the machine is busy";
  EXPECT_LT(timing->rounds, 10);
}

TEST(TimeRounds, NoiseAsksForMoreRounds) {
  ScriptedSide calm(100, 0, 0.005, 1), calm_baseline(110, 0, 0.005, 2), noisy(100, 0, 0.1, 3), noisy_baseline(110, 0, 0.1, 4);
  auto few = time_rounds(calm, {&calm_baseline}, quiet(), {}, {}), many = time_rounds(noisy, {&noisy_baseline}, quiet(), {}, {});
  ASSERT_TRUE(few.ok() && many.ok());
  if (few->busy || many->busy) GTEST_SKIP() << "the machine is busy";
  EXPECT_GT(many->rounds, 2 * few->rounds);
}

TEST(TimeRounds, PatienceLastsUntilTheGainIsWiderThanItsInterval) {
  Options hasty, patient;
  hasty.precision = patient.precision = 0.001;
  hasty.max_s = patient.max_s = 0;
  patient.patience_s = 60;
  ScriptedSide candidate(100, 0, 0.05, 1), baseline(105, 0, 0.05, 2), again(100, 0, 0.05, 1), its_baseline(105, 0, 0.05, 2);
  auto few = time_rounds(candidate, {&baseline}, quiet(), hasty, {}), many = time_rounds(again, {&its_baseline}, quiet(), patient, {});
  ASSERT_TRUE(few.ok() && many.ok());
  if (few->busy || many->busy) GTEST_SKIP() << "the machine is busy";
  EXPECT_LE(few->rounds, hasty.min_rounds);
  const auto& ci = many->against().ratio_ci95;
  EXPECT_LT(ci.high - ci.low, std::abs(many->against().ratio - 1));
  EXPECT_LT(many->rounds, patient.max_rounds);
}

TEST(TimeRounds, AllSidesOfARoundGetTheSameInputsInRandomOrder) {
  std::vector<int> writes;
  std::vector<char> order;
  class Recorder : public Side {
   public:
    Recorder(std::vector<char>& order, char name) : order_(order), name_(name) {}
    base::Result<double> call_us() override {
      order_.push_back(name_);
      return 100.0;
    }
    base::Result<double> null_us() override { return 0.0; }

   private:
    std::vector<char>& order_;
    char name_;
  } a(order, 'a'), b(order, 'b');
  Hooks hooks;
  hooks.write_inputs = [&](int round) { writes.push_back(round); };
  Options options;
  options.min_rounds = 40;
  options.seed = 11;
  ASSERT_TRUE(time_rounds(a, {&b}, hooks, options, {}).ok());
  ASSERT_EQ(writes.size(), order.size());
  int a_first = 0;
  for (std::size_t i = 0; i + 1 < order.size(); i += 2) {
    EXPECT_EQ(writes[i], writes[i + 1]);
    EXPECT_NE(order[i], order[i + 1]);
    a_first += order[i] == 'a' ? 1 : 0;
  }
  EXPECT_GT(a_first, 8);
  EXPECT_LT(a_first, static_cast<int>(order.size()) / 2 - 8);
}

// What is taken off a call stands for its hand-off only if both begin in the same state.
TEST(TimeRounds, EveryCallAndEveryNullCallBeginsReady) {
  class Strict : public Side {
   public:
    base::Status get_ready() override {
      ready_s_ = base::now_s();
      ready_ = true;
      return base::done();
    }
    base::Result<double> call_us() override { return used(100); }
    base::Result<double> null_us() override {
      ++nulls;
      return used(10);
    }
    int unready = 0, nulls = 0;

   private:
    double used(double us) {
      if (!std::exchange(ready_, false) || base::now_s() - ready_s_ > 0.1) ++unready;
      return us;
    }
    bool ready_ = false;
    double ready_s_ = 0;
  } a, b;
  ASSERT_TRUE(time_rounds(a, {&b}, quiet(), {}, {}).ok());
  EXPECT_GE(a.nulls, 10);
  EXPECT_EQ(a.unready + b.unready, 0);
}

TEST(TimeRounds, TheStrongestBaselineDecidesAndAllAreReported) {
  ScriptedSide candidate(100, 5, 0.01, 1), slow(300, 5, 0.01, 2), strong(150, 5, 0.01, 3), medium(200, 5, 0.01, 4);
  auto timing = time_rounds(candidate, {&slow, &strong, &medium}, quiet(), {}, {});
  ASSERT_TRUE(timing.ok());
  if (timing->busy) GTEST_SKIP() << "the machine is busy";
  ASSERT_EQ(timing->baselines.size(), 3u);
  EXPECT_EQ(timing->strongest, 1u);
  const double expected[] = {3, 1.5, 2};
  for (std::size_t b = 0; b < 3; ++b) {
    EXPECT_NEAR(timing->baselines[b].ratio, expected[b], 0.1) << b;
    EXPECT_EQ(timing->baselines[b].us.size(), timing->candidate.us.size()) << b;
    EXPECT_LT(timing->baselines[b].ratio_ci95.low, expected[b]) << b;
  }
}

TEST(TimeRounds, ErrorsAndCancellationEndIt) {
  ScriptedSide candidate(100, 0, 0, 1), baseline(100, 0, 0, 2);
  candidate.fail_at = 5;
  auto died = time_rounds(candidate, {&baseline}, quiet(), {}, {});
  ASSERT_FALSE(died.ok());
  EXPECT_EQ(died.error().message, "died");
  base::CancelToken cancel;
  cancel.cancel();
  ScriptedSide other(100, 0, 0, 1);
  auto stopped = time_rounds(other, {&baseline}, quiet(), {}, cancel);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code, base::ErrorCode::cancelled);
  Hooks hooks = quiet();
  hooks.after_round = [](int) { return base::Status(base::Error{base::ErrorCode::internal, "wrong output", ""}); };
  auto wrong = time_rounds(other, {&baseline}, hooks, {}, {});
  ASSERT_FALSE(wrong.ok());
  EXPECT_EQ(wrong.error().message, "wrong output");
}

}  // namespace
}  // namespace kw::timer
