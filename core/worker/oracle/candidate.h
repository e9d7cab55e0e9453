#pragma once
// One candidate on its way through the judges: its plan on the task's live inputs and on buffers of its own. How it runs is the
// target's (runner_candidate.h, device_candidate.h); what its outputs are is asked here. Measuring thread only. The task and the plan
// outlive it.

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/worker/oracle/prepared_task.h"
#include "core/worker/oracle/rejection.h"

namespace kw::oracle {

enum class Poison : std::uint8_t { a, b };   // two patterns: what still holds both after two runs was never written

std::uint64_t poison_pattern(graph::DType dtype, Poison poison);   // the low bytes are an element
std::optional<Rejection> misfit(const PreparedTask& task, const plan::Plan& plan);   // the plan's buffers are not the task's

class Candidate {
 public:
  struct Made { std::unique_ptr<Candidate> candidate; std::optional<Rejection> rejection; };
  virtual ~Candidate() = default;

  // As if nothing had run before. Buffers are reused.
  virtual base::Result<std::optional<Rejection>> start() = 0;
  // Writes the poison into outputs and workspace, paints the guard bands, runs once, looks at the bands.
  virtual std::optional<Rejection> run(Poison poison, int without_step = -1) = 0;
  virtual void poison_workspace(Poison poison) = 0;
  virtual std::optional<Rejection> check_bands() = 0;
  virtual const std::byte* output(std::size_t k) const = 0;          // on the host: what the last call wrote, timed or not

  // Where outputs are held against what they should be.
  virtual Comparison compare_with(const JudgedSet& set, std::size_t k) const;
  virtual bool agrees_with_baseline(std::size_t k, const OutputTruth& like) const;   // agrees(), with the baseline's last run
  virtual std::uint64_t fingerprint() const;                         // of all outputs' elements

  // A timed call, and why it failed if it did.
  virtual timer::Side& side() = 0;
  virtual const std::optional<Rejection>& side_rejection() const = 0;
  virtual std::string resources() const { return {}; }               // what each kernel takes of the device, for people
  virtual pid_t process() const { return 0; }                        // whose disturbances count

  std::int64_t unwritten(std::size_t output, Poison poison) const;   // elements that hold the poison
  bool all_nan() const;   // every element of every floating output: an overflow, which looks alike everywhere
  const graph::TensorType& output_type(std::size_t k) const { return output_types_[k]; }
  std::size_t outputs() const { return output_types_.size(); }
  const plan::Plan& plan() const { return plan_; }

 protected:
  Candidate(const PreparedTask& task, const plan::Plan& plan, double call_timeout_s);
  std::vector<std::size_t> output_bytes() const, workspace_bytes() const;   // one a buffer
  // Which buffer of the plan a damaged band belongs to, as a verdict.
  Rejection out_of_bounds(plan::BufferRole role, int nth, std::int64_t offset, std::size_t bytes) const;

  const PreparedTask& task_;
  const plan::Plan& plan_;
  double call_timeout_s_ = 0;
  std::vector<graph::TensorType> output_types_, workspace_types_;
};

}  // namespace kw::oracle
