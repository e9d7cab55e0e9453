#pragma once
// The judge of speed: two sides timed in paired rounds, in random order, until the interval of their ratio is narrow enough.
//
//   round: write inputs, call A, write inputs, call B (order drawn), now and then a null call of each; disturbed rounds are thrown away
//   time of a side = its call - the median of its null calls (the hand-off alone)
//   ratio = baseline / candidate: the speedup. Times in µs.
//
// Measuring thread only; it holds the builds back while it works (its caller does).

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/protocol/records.h"

namespace kw::timer {

// One side of a round. The times are from before the request until the measuring thread is awake again.
class Side {
 public:
  virtual ~Side() = default;
  virtual base::Status get_ready() { return base::done(); }   // before either call, not timed: wakes the pool, frees the last outputs
  virtual base::Result<double> call_us() = 0;
  virtual base::Result<double> null_us() = 0;                 // the same hand-off with no work
};

struct Options {
  double precision = 0.03;       // stop when the half width of the 95 % interval is at most this share of the ratio
  int min_rounds = 10, max_rounds = 400;
  double max_s = 1.0;            // wall time; at least six rounds are made all the same
  // Sooner, after so many rounds, if faster or slower than the baseline is decided and the whole interval lies below this.
  int beaten_rounds = 8;
  double beaten_below = 0.9;
  int warm_up_calls = 2;         // of each side, not counted
  std::uint64_t seed = 0;        // of the order of the sides
  pid_t runner = 0;              // whose switches count too
};

struct Hooks {
  std::function<void(int round)> write_inputs;            // before each timed call; the same values for both sides of a round
  std::function<base::Status(int round)> after_round;     // after both calls, before either side gets ready again: their outputs
                                                          // may be looked at; an Error ends the timing
};

struct Timing {
  std::vector<double> candidate_us, baseline_us;          // kept rounds, null calls taken off
  double candidate_median_us = 0, baseline_median_us = 0;
  double ratio = 0;
  protocol::Interval ratio_ci95, candidate_ci95_us;
  double candidate_null_us = 0, baseline_null_us = 0;     // medians
  int rounds = 0, discarded = 0;
  bool busy = false;                                      // too many rounds were disturbed: no figure can be trusted
  std::vector<protocol::Span> spans;                      // candidate, baseline, flush
};

base::Result<Timing> time_pair(Side& candidate, Side& baseline, const Hooks& hooks, const Options& options, const base::CancelToken& cancel);

}  // namespace kw::timer
