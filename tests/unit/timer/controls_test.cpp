// The controls that prove the timer, on real clocks and small: the full table is tests/bench/timer_controls. A busy machine makes
// no statement: then the test is skipped, never passed by luck.

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/clock.h"
#include "core/worker/timer/executor_thread.h"
#include "core/worker/timer/paired.h"

namespace kw::timer {
namespace {

void spin_us(double us) {
  for (const double end = base::now_s() + us * 1e-6; base::now_s() < end;) {}
}

class WorkSide : public Side {
 public:
  WorkSide(ExecutorThread& executor, double us) : executor_(executor), us_(us) {}
  base::Status get_ready() override {
    settle();
    return base::done();
  }
  base::Result<double> call_us() override {
    return executor_.timed_us([us = us_] { spin_us(us); });
  }
  base::Result<double> null_us() override {
    return executor_.timed_us([] {});
  }

 private:
  ExecutorThread& executor_;
  double us_;
};

class Controls : public testing::Test {
 protected:
  // Work of so many µs on either side.
  Timing time(double candidate_us, double baseline_us) {
    WorkSide candidate(executor_, candidate_us), baseline(executor_, baseline_us);
    Hooks hooks;
    hooks.write_inputs = [](int) {};
    Options options;
    options.min_rounds = 20;
    options.precision = 0.02;
    auto timing = time_rounds(candidate, {&baseline}, hooks, options, {});
    EXPECT_TRUE(timing.ok());
    return timing.ok() ? *timing : Timing{};
  }
  ExecutorThread executor_;
};

#define SKIP_IF_UNSURE(t) \
  if ((t).busy || ((t).against().ratio_ci95.high - (t).against().ratio_ci95.low) > 0.1 * (t).against().ratio) GTEST_SKIP() << "the machine is busy: " << (t).discarded << " rounds thrown away"

TEST_F(Controls, SameWorkReadsOne) {
  const Timing t = time(500, 500);
  SKIP_IF_UNSURE(t);
  EXPECT_NEAR(t.against().ratio, 1, 0.03);
}

TEST_F(Controls, TwiceTheWorkReadsAHalf) {
  const Timing t = time(1000, 500);
  SKIP_IF_UNSURE(t);
  EXPECT_NEAR(t.against().ratio, 0.5, 0.02);
}

TEST_F(Controls, SwappedSlotsGiveTheReciprocal) {
  const Timing one = time(300, 400), other = time(400, 300);
  SKIP_IF_UNSURE(one);
  SKIP_IF_UNSURE(other);
  EXPECT_NEAR(one.against().ratio * other.against().ratio, 1, 0.05);
  EXPECT_NEAR(one.against().ratio, 4.0 / 3, 0.05);
}

TEST_F(Controls, DelayIsReadBack) {
  const Timing t = time(130, 100);
  SKIP_IF_UNSURE(t);
  EXPECT_NEAR(t.candidate.median_us - t.against().median_us, 30, 8);
  EXPECT_NEAR(t.candidate.median_us, 130, 12);   // the hand-off is taken off
}

}  // namespace
}  // namespace kw::timer
