#pragma once
// The judge of speed: a candidate and its baselines timed in paired rounds, in random order, until the interval of the candidate's ratio
// to the strongest of them is narrow enough.
//
//   round: for each side, in an order drawn anew: write inputs, call; now and then a null call of each; disturbed rounds are thrown away
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

// Sleeps until the pool that wrote the inputs does, and the side that answered last: preempted by this thread on its way to sleep, it
// would count as one that waits for a core. A side whose call runs on the cpu begins its get_ready with it.
void settle();

// One side of a round. The times are from before the request until the measuring thread is awake again.
class Side {
 public:
  virtual ~Side() = default;
  // Before either call, not timed: lets other pools fall asleep (settle) and wakes its own, frees the last outputs, flushes caches.
  virtual base::Status get_ready() { return base::done(); }
  virtual base::Result<double> call_us() = 0;
  virtual base::Result<double> null_us() = 0;                 // the same hand-off with no work
};

struct Options {
  double precision = 0.03;       // stop when the half width of the 95 % interval is at most this share of the ratio
  int min_rounds = 10, max_rounds = 400;
  double max_s = 1.0;            // wall time; at least six rounds are made all the same
  double patience_s = 0;         // so long beyond max_s while the interval is wider than the ratio is away from 1
  // Sooner, after so many rounds, if faster or slower than the strongest baseline is decided and the whole interval lies below this.
  int beaten_rounds = 8;
  double beaten_below = 0.9;
  int warm_up_calls = 2;         // of each side, not counted
  std::uint64_t seed = 0;        // of the order of the sides
  pid_t runner = 0;              // whose switches count too
};

struct Hooks {
  std::function<void(int round)> write_inputs;            // before each timed call; the same values for all sides of a round
  std::function<base::Status(int round)> after_round;     // after all calls, before any side gets ready again: their outputs
                                                          // may be looked at; an Error ends the timing
};

struct SideTiming {
  std::vector<double> us;                                 // kept rounds, null calls taken off
  double median_us = 0, null_us = 0;                      // medians
  protocol::Interval ci95_us;
};

struct BaselineTiming : SideTiming {
  double ratio = 0;                                       // baseline / candidate
  protocol::Interval ratio_ci95;
};

struct Timing {
  SideTiming candidate;
  std::vector<BaselineTiming> baselines;                  // in the order given
  std::size_t strongest = 0;                              // the one of the smallest median: it decides when to stop
  const BaselineTiming& against() const { return baselines[strongest]; }
  int rounds = 0, discarded = 0;
  bool busy = false;                                      // too many rounds were disturbed: no figure can be trusted
  std::vector<protocol::Span> spans;                      // candidate, baseline, flush
};

// `baselines`: one at least.
base::Result<Timing> time_rounds(Side& candidate, const std::vector<Side*>& baselines, const Hooks& hooks, const Options& options,
                                 const base::CancelToken& cancel);

}  // namespace kw::timer
