#pragma once
// A cpu candidate: its object in a runner process, its outputs and workspace in memory shared with it.

#include "core/worker/oracle/candidate.h"
#include "core/worker/oracle/runner_process.h"

namespace kw::oracle {

class RunnerCandidate : public Candidate {
 public:
  // Checks that the plan fits the task and makes the buffers. No process yet.
  static base::Result<Made> make(const PreparedTask& task, const plan::Plan& plan, std::string object, std::string runner_program, double call_timeout_s);

  base::Result<std::optional<Rejection>> start() override;   // a new process; the old one ends
  std::optional<Rejection> run(Poison poison, int without_step) override;
  void poison_workspace(Poison poison) override;
  std::optional<Rejection> check_bands() override;
  const std::byte* output(std::size_t k) const override { return outputs_->data(k); }
  timer::Side& side() override;
  const std::optional<Rejection>& side_rejection() const override { return side_->rejection(); }
  pid_t process() const override { return runner_->pid(); }

 private:
  RunnerCandidate(const PreparedTask& task, const plan::Plan& plan, double call_timeout_s) : Candidate(task, plan, call_timeout_s) {}
  const runtime::Arena& inputs() const { return static_cast<const HostInputs&>(*task_.live).arena(); }

  std::string object_, program_;
  std::unique_ptr<runtime::Arena> outputs_, workspace_;
  std::unique_ptr<RunnerProcess> runner_;
  std::optional<RunnerSide> side_;
};

}  // namespace kw::oracle
