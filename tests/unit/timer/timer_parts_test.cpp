// The hand-off, the settings, and what counts as a disturbed round.

#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/worker/timer/disturbance.h"
#include "core/worker/timer/environment.h"
#include "core/worker/timer/executor_thread.h"

namespace kw::timer {
namespace {

void spin_us(double us) {
  for (const double end = base::now_s() + us * 1e-6; base::now_s() < end;) {}
}

TEST(ExecutorThread, RunsOnOneThreadThatIsNotTheCallers) {
  ExecutorThread executor;
  std::vector<std::thread::id> ids;
  for (int i = 0; i < 3; ++i) executor.run([&] { ids.push_back(std::this_thread::get_id()); });
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_NE(ids[0], std::this_thread::get_id());
}

TEST(ExecutorThread, CallersFromManyThreadsTakeTurns) {
  ExecutorThread executor;
  int sum = 0;   // guarded by the turns
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) executor.run([&] { ++sum; });
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 400);
}

TEST(ExecutorThread, TimedCallHoldsTheWorkAndLittleElse) {
  ExecutorThread executor;
  std::vector<double> samples;
  for (int i = 0; i < 30; ++i) samples.push_back(executor.timed_us([] { spin_us(2000); }));
  const double us = base::median(samples);
  EXPECT_GE(us, 2000);
  EXPECT_LT(us, 6000);   // a loaded machine may take its share
}

TEST(Disturbance, LongCallsMayMeetMoreSwitches) {
  EXPECT_FALSE(disturbed({10, 1}, {10, 1}, 0.001));
  EXPECT_FALSE(disturbed({10, 1}, {11, 1}, 0.001));
  EXPECT_TRUE(disturbed({10, 1}, {12, 1}, 0.001));
  EXPECT_FALSE(disturbed({10, 1}, {16, 1}, 0.025));
  EXPECT_TRUE(disturbed({10, 1}, {18, 1}, 0.025));
}

TEST(Disturbance, WaitingForACoreCounts) {
  EXPECT_FALSE(disturbed({10, 1}, {10, 1.00003}, 0.0001));   // its own wake-ups
  EXPECT_TRUE(disturbed({10, 1}, {10, 1.0001}, 0.001));
  EXPECT_FALSE(disturbed({10, 1}, {10, 1.0001}, 0.01));
  EXPECT_TRUE(disturbed({10, 1}, {10, 1.001}, 0.01));
}

TEST(Disturbance, StolenTimeNeverGoesBack) {
  const std::int64_t before = stolen_ticks();
  EXPECT_GE(before, 0);
  EXPECT_GE(stolen_ticks(), before);
}

TEST(Disturbance, CountsSwitchesThatOthersForce) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(static_cast<unsigned>(sched_getcpu()), &one);
  const LoadReader load(0);
  const Load before = load.read();
  std::atomic<bool> stop{false};
  std::thread rival([&] {
    sched_setaffinity(0, sizeof one, &one);
    while (!stop) {}
  });
  cpu_set_t all;
  sched_getaffinity(0, sizeof all, &all);
  sched_setaffinity(0, sizeof one, &one);
  spin_us(200000);
  stop = true;
  rival.join();
  sched_setaffinity(0, sizeof all, &all);
  const Load after = load.read();
  EXPECT_GT(after.switches, before.switches);
  EXPECT_GT(after.waited_s - before.waited_s, 0.05);   // two shared one core for 0.2 s: each waited for about half of it
}

// An idle pool is asleep when the timer says so: its threads used no processor time after the spin.
TEST(Environment, SpinIsAsLongAsSaid) {
  const std::string turns = openmp_settings()[0].value;
  double best = 1e9;
  for (int repeat = 0; repeat < 10; ++repeat) {
    const double start_s = base::now_s();
    for (long i = 0; i < std::stol(turns); ++i) __builtin_ia32_pause();
    best = std::min(best, (base::now_s() - start_s) * 1e6);
  }
  EXPECT_GT(best, pool_spin_us / 2);
  EXPECT_LT(best, pool_spin_us * 2);
}

}  // namespace
}  // namespace kw::timer
