#pragma once
// One candidate on its way through the judges: its object, its output and workspace buffers, and a runner process on them.
// Measuring thread only. The task and the plan outlive it.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/plan/plan.h"
#include "core/worker/oracle/prepared_task.h"
#include "core/worker/oracle/runner_process.h"

namespace kw::oracle {

enum class Poison : std::uint8_t { a, b };   // two patterns: what still holds both after two runs was never written

class Candidate {
 public:
  struct Made { std::unique_ptr<Candidate> candidate; std::optional<Rejection> rejection; };
  // Checks that the plan fits the task and makes the buffers. No process yet.
  static base::Result<Made> make(const PreparedTask& task, const plan::Plan& plan, std::string object, std::string runner_program, double call_timeout_s);

  // A new process; the old one ends. Buffers are reused.
  base::Result<std::optional<Rejection>> start();

  // Writes the poison into outputs and workspace, paints the guard bands, runs once, looks at the bands.
  std::optional<Rejection> run(Poison poison, int without_step = -1);
  void poison_workspace(Poison poison);

  std::optional<Rejection> check_bands() const;
  std::int64_t unwritten(std::size_t output, Poison poison) const;   // elements that hold the poison
  std::uint64_t fingerprint() const;                                 // of all outputs' elements
  bool all_nan() const;   // every element of every floating output: an overflow, which looks alike everywhere
  const std::byte* output(std::size_t k) const { return outputs_->data(k); }
  const graph::TensorType& output_type(std::size_t k) const { return output_types_[k]; }
  std::size_t outputs() const { return output_types_.size(); }
  std::int64_t workspace_bytes() const;

  RunnerProcess& runner() { return *runner_; }
  double call_timeout_s() const { return call_timeout_s_; }
  const plan::Plan& plan() const { return plan_; }

 private:
  Candidate(const PreparedTask& task, const plan::Plan& plan) : task_(task), plan_(plan) {}
  const PreparedTask& task_;
  const plan::Plan& plan_;
  std::string object_, program_;
  double call_timeout_s_ = 0;
  std::vector<graph::TensorType> output_types_, workspace_types_;
  std::unique_ptr<runtime::Arena> outputs_, workspace_;
  std::unique_ptr<RunnerProcess> runner_;
};

Rejection rejection(protocol::Verdict verdict, std::string summary, std::string kind = {});

}  // namespace kw::oracle
