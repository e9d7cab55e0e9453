#include "core/worker/timer/paired.h"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/worker/runtime/batch_scheduling.h"
#include "core/worker/runtime/pool.h"
#include "core/worker/timer/disturbance.h"
#include "core/worker/timer/environment.h"

namespace kw::timer {
namespace {

constexpr int least_rounds = 6;          // fewer have no interval
// Then the pool that wrote the inputs sleeps, and so does the side that answered last: preempted by this thread on its way to
// sleep, it would count as one that waits for a core.
constexpr std::chrono::duration<double, std::micro> settle(1.2 * pool_spin_us);
constexpr int often_rounds = 64, seldom = 8;
constexpr int null_rounds = 12, null_every = 4;   // null calls: in each of the first rounds, then seldom
constexpr double resolution_us = 0.05;   // what is left of a call after its null call is at least this
constexpr double busy_factor = 2;        // wait for quiet rounds at most so many times max_s

struct Raw { std::vector<double> call_us, null_us; };

std::vector<double> without_null(const Raw& raw, double null_us) {
  std::vector<double> result;
  for (double us : raw.call_us) result.push_back(std::max(us - null_us, resolution_us));
  return result;
}

class Pair {
 public:
  Pair(Side& candidate, Side& baseline, const Hooks& hooks, const Options& options)
      : sides_{&candidate, &baseline}, hooks_(hooks), options_(options), order_(options.seed), load_(options.runner) {}

  base::Result<Timing> measure(const base::CancelToken& cancel) {
    for (int i = 0; i < options_.warm_up_calls; ++i)
      if (auto status = round(-1 - i, false); !status) return status.error();
    const double start_s = base::now_s();
    for (int attempt = 0;; ++attempt) {
      if (cancel.cancelled()) return base::Error{base::ErrorCode::cancelled, "Timing was cancelled.", ""};
      if (auto status = round(attempt, true); !status) return status.error();
      if (finished(base::now_s() - start_s)) return result();
    }
  }

 private:
  // A null call stands for the hand-off of a real one only if both begin alike.
  static base::Status settle_down(Side& side) {
    std::this_thread::sleep_for(settle);
    return side.get_ready();
  }

  base::Status round(int number, bool counted) {
    const std::int64_t stolen_before = stolen_ticks();
    bool noisy = false;
    double call_us[2] = {}, null_us[2] = {};
    const int first = static_cast<int>(order_() & 1);
    for (int turn = 0; turn < 2; ++turn) {
      const int side = turn == 0 ? first : 1 - first;
      const double flush_s = base::now_s();
      hooks_.write_inputs(number);
      if (auto status = settle_down(*sides_[side]); !status) return status;
      const Load before = load_.read();
      const double call_s = base::now_s();
      auto call = sides_[side]->call_us();
      if (!call) return call.error();
      const double end_s = base::now_s();
      call_us[side] = *call;
      noisy = disturbed(before, load_.read(), *call * 1e-6) || noisy;
      timing_.spans.push_back({"flush", flush_s, call_s});
      timing_.spans.push_back({side == 0 ? "candidate" : "baseline", call_s, end_s});
    }
    if (auto status = hooks_.after_round ? hooks_.after_round(number) : base::done(); !status) return status;
    const bool with_null = timing_.rounds < null_rounds || timing_.rounds % null_every == 0;
    for (int turn = 0; with_null && turn < 2; ++turn) {
      const int side = turn == 0 ? first : 1 - first;
      if (auto status = settle_down(*sides_[side]); !status) return status;
      auto null = sides_[side]->null_us();
      if (!null) return null.error();
      null_us[side] = *null;
    }
    if (!counted) return base::done();
    if (noisy || stolen_ticks() > stolen_before) {
      ++timing_.discarded;
      return base::done();
    }
    for (int side = 0; side < 2; ++side) {
      raw_[side].call_us.push_back(call_us[side]);
      if (with_null) raw_[side].null_us.push_back(null_us[side]);
    }
    ++timing_.rounds;
    return base::done();
  }

  void summarise() {
    if (timing_.rounds == 0) return;
    timing_.candidate_null_us = base::median(raw_[0].null_us);
    timing_.baseline_null_us = base::median(raw_[1].null_us);
    timing_.candidate_us = without_null(raw_[0], timing_.candidate_null_us);
    timing_.baseline_us = without_null(raw_[1], timing_.baseline_null_us);
    const auto ratio = base::ratio_interval(timing_.baseline_us, timing_.candidate_us);
    timing_.ratio = ratio.ratio;
    timing_.ratio_ci95 = {ratio.low, ratio.high};
  }

  Timing result() {
    summarise();
    if (timing_.rounds > 0) {
      timing_.candidate_median_us = base::median(timing_.candidate_us);
      timing_.baseline_median_us = base::median(timing_.baseline_us);
      const auto alone = base::ratio_interval(timing_.candidate_us, std::vector<double>(timing_.candidate_us.size(), 1.0));
      timing_.candidate_ci95_us = {alone.low, alone.high};
    }
    return std::move(timing_);
  }

  bool narrow_enough() const { return (timing_.ratio_ci95.high - timing_.ratio_ci95.low) / 2 <= options_.precision * timing_.ratio; }

  bool beaten() const {
    const protocol::Interval& ci = timing_.ratio_ci95;
    return ci.high < options_.beaten_below && (ci.low > 1 || ci.high < 1);
  }

  bool finished(double elapsed_s) {
    // The interval costs time that grows with the square of the rounds: of many, few more do not change it.
    if (timing_.rounds <= often_rounds || timing_.rounds % seldom == 0) summarise();
    if (timing_.rounds >= options_.min_rounds && narrow_enough()) return true;
    if (timing_.rounds >= options_.beaten_rounds && beaten()) return true;
    if (timing_.rounds >= options_.max_rounds) return true;
    if (elapsed_s < options_.max_s) return false;
    if (timing_.rounds >= options_.min_rounds) return true;
    if (timing_.rounds >= least_rounds && timing_.discarded <= timing_.rounds) return true;   // few because each is long
    if (elapsed_s < options_.max_s * busy_factor) return false;
    timing_.busy = timing_.discarded > timing_.rounds;
    return timing_.busy || timing_.rounds >= least_rounds;
  }

  Side* sides_[2];
  const Hooks& hooks_;
  const Options& options_;
  std::mt19937_64 order_;
  LoadReader load_;
  Raw raw_[2];
  Timing timing_;
};

}  // namespace

base::Result<Timing> time_pair(Side& candidate, Side& baseline, const Hooks& hooks, const Options& options, const base::CancelToken& cancel) {
  const runtime::BatchScheduling quiet;
  const runtime::OnFirstCore pinned;
  return Pair(candidate, baseline, hooks, options).measure(cancel);
}

}  // namespace kw::timer
