#pragma once
// Right or not. Runs a candidate on every input set in its runner process and holds the outputs against the truth; a failure
// is looked at again in a fresh process, so that the verdict names its cause. Measuring thread only.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/base/cancel.h"
#include "core/worker/oracle/candidate.h"

namespace kw::oracle {

class Verifier {
 public:
  // `sets` outlives the verifier; sets[0] is the captured one.
  Verifier(const PreparedTask& task, Candidate& candidate, const std::vector<JudgedSet>& sets, std::uint64_t seed);

  // All sets, in a fresh process: outputs, guard bands, inputs, unwritten elements, determinism, decoy steps.
  base::Result<std::optional<Rejection>> verify(const base::CancelToken& cancel);

  // After timing, in the same process: the captured and one hidden set again.
  base::Result<std::optional<Rejection>> verify_again();

  // Judges the outputs of a timed round, whose inputs are the captured ones rolled by `roll_seed`, against the baseline's.
  base::Result<std::optional<Rejection>> check_timed(std::uint64_t roll_seed);

  // Per output, worst over the sets seen so far.
  const std::vector<protocol::OutputError>& errors() const { return errors_; }
  const std::vector<protocol::Span>& spans() const { return spans_; }

 private:
  using Outcome = base::Result<std::optional<Rejection>>;
  Outcome verify_set(std::size_t s, bool repeat);
  Outcome decoys();
  std::optional<Rejection> run(const JudgedSet& set, Poison poison);
  std::vector<Comparison> compare_all(const JudgedSet& set) const;
  void note_errors(const JudgedSet& set, const std::vector<Comparison>& comparisons);
  Outcome explain(std::size_t s, const std::vector<Comparison>& comparisons);
  Rejection mismatch(const JudgedSet& set, const std::vector<Comparison>& comparisons) const;
  // The same inputs, first thing in a new process: right there means that the candidate remembers.
  base::Result<bool> right_when_fresh(std::size_t s);

  const PreparedTask& task_;
  Candidate& candidate_;
  const std::vector<JudgedSet>& sets_;
  std::uint64_t seed_;
  std::vector<std::uint64_t> fingerprints_;   // of the sets verified, in order
  std::vector<std::uint64_t> timed_fingerprints_;
  std::vector<protocol::OutputError> errors_;
  std::vector<protocol::Span> spans_;
};

}  // namespace kw::oracle
