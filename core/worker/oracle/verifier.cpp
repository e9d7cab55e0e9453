#include "core/worker/oracle/verifier.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "core/base/clock.h"
#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using protocol::Verdict;

// Wrong, but of the right size: a precision that was traded away. Beyond it the result is simply another one.
constexpr double imprecise_up_to = 0.05, imprecise_tolerances = 16;
constexpr std::size_t worst_kept = 8;

bool all_within(const std::vector<Comparison>& comparisons) {
  return std::all_of(comparisons.begin(), comparisons.end(), [](const Comparison& c) { return c.within; });
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

bool same_truth(const JudgedSet& a, const JudgedSet& b) {
  for (std::size_t k = 0; k < a.outputs.size(); ++k)
    if (a.outputs[k].values != b.outputs[k].values || a.outputs[k].exact != b.outputs[k].exact) return false;
  return true;
}

// From its making to its end, outputs are compared with the truth and hashed.
class Judging {
 public:
  explicit Judging(std::vector<protocol::Span>& spans) : spans_(spans), start_s_(base::now_s()) {}
  ~Judging() { spans_.push_back({"reference", start_s_, base::now_s()}); }
  Judging(const Judging&) = delete;
  Judging& operator=(const Judging&) = delete;

 private:
  std::vector<protocol::Span>& spans_;
  double start_s_;
};

Rejection with_set(Rejection found, const JudgedSet& set) {
  found.evidence.input_set = set.inputs.name;
  return found;
}

}  // namespace

Verifier::Verifier(const PreparedTask& task, Candidate& candidate, const std::vector<JudgedSet>& sets, std::uint64_t seed)
    : task_(task), candidate_(candidate), sets_(sets), seed_(seed), errors_(task.sets[0].outputs.size()) {}

std::optional<Rejection> Verifier::run(const JudgedSet& set, Poison poison) {
  const double write_s = base::now_s();
  task_.write_inputs(set);
  const double start_s = base::now_s();
  auto died = candidate_.run(poison);
  spans_.push_back({"flush", write_s, start_s});
  spans_.push_back({"candidate", start_s, base::now_s()});
  if (died) return with_set(std::move(*died), set);
  return std::nullopt;
}

std::vector<Comparison> Verifier::compare_all(const JudgedSet& set) const {
  std::vector<Comparison> comparisons;
  for (std::size_t k = 0; k < set.outputs.size(); ++k)
    comparisons.push_back(candidate_.compare_with(set, k));
  return comparisons;
}

void Verifier::note_errors(const JudgedSet& set, const std::vector<Comparison>& comparisons) {
  for (std::size_t k = 0; k < comparisons.size(); ++k) {
    const OutputTruth& truth = set.outputs[k];
    protocol::OutputError& worst = errors_[k];
    worst.left_out += truth.left_out_count;
    // The set on which the candidate comes nearest to its tolerance is the one that is shown.
    const double share = truth.tolerance_max > 0 ? comparisons[k].max / truth.tolerance_max : comparisons[k].max;
    const double shown = worst.tolerance_max > 0 ? worst.max / worst.tolerance_max : -1;
    if (share < shown) continue;
    worst.max = comparisons[k].max;
    worst.rms = comparisons[k].rms;
    worst.eager_max = truth.eager_max;
    worst.eager_rms = truth.eager_rms;
    worst.tolerance_max = truth.tolerance_max;
    worst.tolerance_rms = truth.tolerance_rms;
  }
}

Verifier::Outcome Verifier::verify(const base::CancelToken& cancel) {
  const double start_s = base::now_s();
  if (auto started = candidate_.start(); !started || *started) return started;
  spans_.push_back({"candidate", start_s, base::now_s()});   // loading it is its own time
  const std::size_t repeated = sets_.size() > 2 ? 2 + seed_ % (sets_.size() - 2) : 0;
  for (std::size_t s = 0; s < sets_.size(); ++s) {
    if (cancel.cancelled()) return base::Error{base::ErrorCode::cancelled, "The evaluation was cancelled.", ""};
    if (auto found = verify_set(s, s == 0 || s == repeated); !found || *found) return found;
  }
  return decoys();
}

Verifier::Outcome Verifier::verify_set(std::size_t s, bool repeat) {
  const JudgedSet& set = sets_[s];
  if (auto died = run(set, Poison::a)) return died;
  const Judging judging(spans_);
  for (std::size_t i = 0; i < set.inputs.storages.size() && repeat; ++i) {
    if (!task_.inputs_hold(i, set))
      return std::optional(with_set(rejection(Verdict::input_mutated, "The values of input " + std::to_string(i) + " changed during the call."), set));
  }
  const auto comparisons = compare_all(set);
  note_errors(set, comparisons);
  if (!all_within(comparisons)) return explain(s, comparisons);
  const std::uint64_t first = candidate_.fingerprint();
  fingerprints_.push_back(first);
  if (!repeat) return std::optional<Rejection>();
  if (auto died = run(set, Poison::b)) return died;
  if (candidate_.fingerprint() == first) return std::optional<Rejection>();
  const auto again = compare_all(set);
  if (!all_within(again)) return explain(s, again);
  return std::optional(with_set(rejection(Verdict::nondeterministic, "Two runs on the same inputs gave different bits."), set));
}

Verifier::Outcome Verifier::explain(std::size_t s, const std::vector<Comparison>& comparisons) {
  const JudgedSet& set = sets_[s];
  const std::uint64_t first = candidate_.fingerprint();
  std::vector<std::int64_t> poisoned;
  for (std::size_t k = 0; k < candidate_.outputs(); ++k) poisoned.push_back(candidate_.unwritten(k, Poison::a));
  if (auto died = run(set, Poison::b)) return died;
  for (std::size_t k = 0; k < candidate_.outputs(); ++k) {
    // A NaN with our payload comes from nowhere else; an integer might, so it must hold both patterns.
    const bool floating = graph::is_floating(candidate_.output_type(k).dtype);
    const std::int64_t unwritten = floating ? poisoned[k] : std::min(poisoned[k], candidate_.unwritten(k, Poison::b));
    if (unwritten == 0) continue;
    Rejection found = mismatch(set, comparisons);
    found.verdict = Verdict::wrong_result;
    found.evidence.summary = "The candidate left " + std::to_string(unwritten) + " of " + std::to_string(set.outputs[k].type.elements()) +
                             " elements of output " + std::to_string(k) + " unwritten.";
    return std::optional(std::move(found));
  }
  const bool repeats = candidate_.fingerprint() == first, overflowed = candidate_.all_nan();
  // An answer that another question got already: hard-coded, or remembered.
  for (std::size_t other = 0; other < sets_.size() && !overflowed; ++other) {
    if (other == s || same_truth(sets_[other], set)) continue;
    const bool seen = other < fingerprints_.size();
    if (!seen && other != s + 1) continue;
    if (!seen)
      if (auto died = run(sets_[other], Poison::a)) return died;
    if ((seen ? fingerprints_[other] : candidate_.fingerprint()) != first) continue;
    auto fresh = right_when_fresh(s);
    if (!fresh) return fresh.error();
    Rejection found = mismatch(set, comparisons);
    found.verdict = Verdict::cheat;
    found.kind = *fresh ? "cached_output" : "constant_output";
    found.evidence.summary = *fresh ? "The candidate returned the outputs of an earlier call for new inputs; in a new process it computes them."
                                    : "The outputs do not respond to the inputs: '" + set.inputs.name + "' got the bits of '" + sets_[other].inputs.name + "'.";
    return std::optional(std::move(found));
  }
  if (!repeats) {
    Rejection found = mismatch(set, comparisons);
    found.verdict = Verdict::nondeterministic;
    found.evidence.summary = "Two runs on the same inputs gave different bits, and not both are right.";
    return std::optional(std::move(found));
  }
  Rejection found = mismatch(set, comparisons);
  if (s == 0) return std::optional(std::move(found));
  auto fresh = right_when_fresh(s);
  if (!fresh) return fresh.error();
  if (*fresh) {
    found.verdict = Verdict::cheat;
    found.kind = "stale_state";
    found.evidence.summary = "Wrong after other calls, right for the same inputs in a new process: something of an earlier call is used again.";
  }
  return std::optional(std::move(found));
}

Rejection Verifier::mismatch(const JudgedSet& set, const std::vector<Comparison>& comparisons) const {
  std::size_t worst = 0;
  double max = -1;
  bool imprecise = true;
  Rejection found;
  for (std::size_t k = 0; k < comparisons.size(); ++k) {
    const Comparison& c = comparisons[k];
    if (c.within) continue;
    if (c.max > max) max = c.max, worst = k;
    const bool floating = !set.outputs[k].values.empty();
    imprecise = imprecise && floating && c.max <= std::max(imprecise_up_to, imprecise_tolerances * set.outputs[k].tolerance_max);
    found.evidence.worst.insert(found.evidence.worst.end(), c.worst.begin(), c.worst.end());
  }
  if (found.evidence.worst.size() > worst_kept) found.evidence.worst.resize(worst_kept);
  found.verdict = imprecise ? Verdict::imprecise : Verdict::wrong_result;
  const OutputTruth& truth = set.outputs[worst];
  const Comparison& c = comparisons[worst];
  found.evidence.summary = "Output " + std::to_string(worst) + ": error " + number_text(c.max) + " (RMS " + number_text(c.rms) + "), tolerance " +
                           number_text(truth.tolerance_max) + " (" + number_text(truth.tolerance_rms) + "); " + std::to_string(c.wrong) + " of " +
                           std::to_string(truth.type.elements()) + " elements are beyond it.";
  found.evidence.input_set = set.inputs.name;
  return found;
}

base::Result<bool> Verifier::right_when_fresh(std::size_t s) {
  auto started = candidate_.start();
  if (!started) return started.error();
  if (*started || run(sets_[s], Poison::a)) return false;
  return all_within(compare_all(sets_[s]));
}

// A step that can be left out without changing a bit does no work. In a process of its own: a step whose predecessor is
// missing may well crash on the poison it reads, which is no fault of the candidate.
Verifier::Outcome Verifier::decoys() {
  const std::size_t steps = candidate_.plan().steps.size();
  if (steps < 2) return std::optional<Rejection>();
  std::optional<Rejection> found;
  for (std::size_t i = 0; i < steps && !found; ++i) {
    if (auto started = candidate_.start(); !started || *started) return started;
    task_.write_inputs(sets_[0]);
    const auto died = candidate_.run(Poison::a, static_cast<int>(i));
    if (!died && candidate_.fingerprint() == fingerprints_[0])
      found = with_set(rejection(Verdict::cheat, "Step '" + candidate_.plan().steps[i].name + "' does no work: without it the outputs are the same.", "decoy_kernel"), sets_[0]);
  }
  if (found) return found;
  return candidate_.start();
}

Verifier::Outcome Verifier::verify_again() {
  for (const std::size_t s : {std::size_t{0}, 1 + seed_ % (sets_.size() - 1)}) {
    if (auto died = run(sets_[s], Poison::b)) return died;
    const Judging judging(spans_);
    const auto comparisons = compare_all(sets_[s]);
    if (all_within(comparisons) && candidate_.fingerprint() == fingerprints_[s]) continue;
    Rejection found = mismatch(sets_[s], comparisons);
    auto fresh = right_when_fresh(s);
    if (!fresh) return fresh.error();
    if (*fresh) {
      found.verdict = Verdict::cheat;
      found.kind = "state_drift";
      found.evidence.summary = "After the timed calls the candidate computes something else than before them.";
    } else if (all_within(comparisons)) {
      found.verdict = Verdict::nondeterministic;
      found.evidence.summary = "The outputs after timing differ in bits from those before it.";
    }
    return std::optional(std::move(found));
  }
  return std::optional<Rejection>();
}

Verifier::Outcome Verifier::check_timed(std::uint64_t roll_seed) {
  if (auto damage = candidate_.check_bands()) return damage;
  const std::size_t outputs = sets_[1].outputs.size();
  if (task_.baseline->outputs() != outputs) return base::Error{base::ErrorCode::internal, "The baseline's outputs are gone before they were compared.", "verifier"};
  std::vector<OutputTruth> truth;   // for indices
  if (std::any_of(sets_[1].outputs.begin(), sets_[1].outputs.end(), [](const OutputTruth& output) { return output.index.has_value(); })) {
    auto judged = task_.rolled_truth(roll_seed);
    if (!judged) return judged.error();
    truth = std::move(judged).value();
  }
  const auto right = [&] {
    for (std::size_t k = 0; k < outputs; ++k) {
      const OutputTruth& like = sets_[1].outputs[k];
      const bool same = like.index ? compare(truth[k], candidate_.output_type(k), candidate_.output(k), static_cast<int>(k)).within
                                   : candidate_.agrees_with_baseline(k, like);
      if (!same) return false;
    }
    return true;
  };
  const std::uint64_t print = candidate_.fingerprint();
  const auto seen = [print](const std::vector<std::uint64_t>& prints) { return std::find(prints.begin(), prints.end(), print) != prints.end(); };
  if (right()) {
    timed_fingerprints_.push_back(print);
    return std::optional<Rejection>();
  }
  const bool stale = seen(timed_fingerprints_) || seen(fingerprints_);
  auto started = candidate_.start();
  if (!started || *started) return started;
  task_.write_rolled(roll_seed);
  auto died = candidate_.run(Poison::a);
  Rejection found = rejection(Verdict::wrong_result, "On rolled captured inputs the candidate and eager disagree.");
  if (!died && right()) {
    found.verdict = Verdict::cheat;
    found.kind = stale ? "cached_output" : "timed_path_differs";
    found.evidence.summary = stale ? "A timed call returned the outputs of an earlier call for new inputs."
                                   : "The outputs of a timed call are wrong; for the same inputs in a new process they are right.";
  }
  found.evidence.input_set = "captured:rolled";
  return std::optional(std::move(found));
}

}  // namespace kw::oracle
