#include "core/worker/timer/paired.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>
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
constexpr std::chrono::duration<double, std::micro> settle_time(1.2 * pool_spin_us);
constexpr int often_rounds = 64, seldom = 8;
constexpr int null_rounds = 12, null_every = 4;   // null calls: in each of the first rounds, then seldom
constexpr double resolution_us = 0.05;   // what is left of a call after its null call is at least this
constexpr double busy_factor = 2;        // wait for quiet rounds at most so many times max_s

struct Raw { std::vector<double> call_us, null_us; };

void summarise(const Raw& raw, SideTiming& side) {
  side.null_us = base::median(raw.null_us);
  side.us.clear();
  for (double us : raw.call_us) side.us.push_back(std::max(us - side.null_us, resolution_us));
  side.median_us = base::median(side.us);
}

class Rounds {
 public:
  Rounds(Side& candidate, const std::vector<Side*>& baselines, const Hooks& hooks, const Options& options)
      : sides_{&candidate}, hooks_(hooks), options_(options), random_(options.seed), load_(options.runner) {
    sides_.insert(sides_.end(), baselines.begin(), baselines.end());
    raw_.resize(sides_.size());
    timing_.baselines.resize(baselines.size());
  }

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
  base::Status round(int number, bool counted) {
    const std::int64_t stolen_before = stolen_ticks();
    bool noisy = false;
    std::vector<std::size_t> order(sides_.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::shuffle(order.begin(), order.end(), random_);
    std::vector<double> call_us(sides_.size()), null_us(sides_.size());
    for (const std::size_t side : order) {
      const double flush_s = base::now_s();
      hooks_.write_inputs(number);
      if (auto status = sides_[side]->get_ready(); !status) return status;
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
    // A null call stands for the hand-off of a real one only if both begin alike.
    for (std::size_t turn = 0; with_null && turn < order.size(); ++turn) {
      Side& side = *sides_[order[turn]];
      if (auto status = side.get_ready(); !status) return status;
      auto null = side.null_us();
      if (!null) return null.error();
      null_us[order[turn]] = *null;
    }
    if (!counted) return base::done();
    if (noisy || stolen_ticks() > stolen_before) {
      ++timing_.discarded;
      return base::done();
    }
    for (std::size_t side = 0; side < sides_.size(); ++side) {
      raw_[side].call_us.push_back(call_us[side]);
      if (with_null) raw_[side].null_us.push_back(null_us[side]);
    }
    ++timing_.rounds;
    return base::done();
  }

  void compare(BaselineTiming& baseline) const {
    const auto ratio = base::ratio_interval(baseline.us, timing_.candidate.us);
    baseline.ratio = ratio.ratio;
    baseline.ratio_ci95 = {ratio.low, ratio.high};
  }

  // The interval costs time that grows with the square of the rounds: between rounds only the strongest baseline's is needed.
  void summarise_sides() {
    if (timing_.rounds == 0) return;
    summarise(raw_[0], timing_.candidate);
    for (std::size_t b = 0; b < timing_.baselines.size(); ++b) {
      summarise(raw_[b + 1], timing_.baselines[b]);
      if (timing_.baselines[b].median_us < timing_.against().median_us) timing_.strongest = b;
    }
    compare(timing_.baselines[timing_.strongest]);
  }

  static void add_interval(SideTiming& side) {
    const auto alone = base::ratio_interval(side.us, std::vector<double>(side.us.size(), 1.0));
    side.ci95_us = {alone.low, alone.high};
  }

  Timing result() {
    summarise_sides();
    if (timing_.rounds > 0) {
      add_interval(timing_.candidate);
      for (BaselineTiming& baseline : timing_.baselines) {
        add_interval(baseline);
        compare(baseline);
      }
    }
    return std::move(timing_);
  }

  bool narrow_enough() const {
    const BaselineTiming& b = timing_.against();
    return (b.ratio_ci95.high - b.ratio_ci95.low) / 2 <= options_.precision * b.ratio;
  }

  bool worth_patience() const {
    const BaselineTiming& b = timing_.against();
    return b.ratio_ci95.high - b.ratio_ci95.low >= std::abs(b.ratio - 1);
  }

  bool beaten() const {
    const protocol::Interval& ci = timing_.against().ratio_ci95;
    return ci.high < options_.beaten_below && (ci.low > 1 || ci.high < 1);
  }

  bool finished(double elapsed_s) {
    // Of many rounds, few more do not change it.
    if (timing_.rounds <= often_rounds || timing_.rounds % seldom == 0) summarise_sides();
    if (timing_.rounds >= options_.min_rounds && narrow_enough()) return true;
    if (timing_.rounds >= options_.beaten_rounds && beaten()) return true;
    if (timing_.rounds >= options_.max_rounds) return true;
    if (elapsed_s < options_.max_s) return false;
    if (elapsed_s < options_.max_s + options_.patience_s && worth_patience()) return false;
    if (timing_.rounds >= options_.min_rounds) return true;
    if (timing_.rounds >= least_rounds && timing_.discarded <= timing_.rounds) return true;   // few because each is long
    if (elapsed_s < options_.max_s * busy_factor + options_.patience_s) return false;
    timing_.busy = timing_.discarded > timing_.rounds;
    return timing_.busy || timing_.rounds >= least_rounds;
  }

  std::vector<Side*> sides_;             // the candidate first
  const Hooks& hooks_;
  const Options& options_;
  std::mt19937_64 random_;
  LoadReader load_;
  std::vector<Raw> raw_;
  Timing timing_;
};

}  // namespace

void settle() { std::this_thread::sleep_for(settle_time); }

base::Result<Timing> time_rounds(Side& candidate, const std::vector<Side*>& baselines, const Hooks& hooks, const Options& options,
                                 const base::CancelToken& cancel) {
  const runtime::BatchScheduling quiet;
  const runtime::OnFirstCore pinned;
  return Rounds(candidate, baselines, hooks, options).measure(cancel);
}

}  // namespace kw::timer
