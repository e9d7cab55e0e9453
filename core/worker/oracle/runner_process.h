#pragma once
// The worker's handle on one runner: starts it on three arenas, asks it to run, and explains its death. One thread at a time.

#include <memory>
#include <optional>
#include <string>

#include "core/base/process.h"
#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/worker/oracle/rejection.h"
#include "core/worker/runtime/arena.h"
#include "core/worker/runtime/control_page.h"
#include "core/worker/timer/paired.h"

namespace kw::oracle {

struct RunnerSpec {
  std::string program;                       // kernelwright-runner
  std::string object;                        // the candidate's .so
  const plan::Plan* plan = nullptr;
  const runtime::Arena* arenas[runtime::arena_count] = {};   // inputs, outputs, workspace; outlive the runner
};

class RunnerProcess {
 public:
  // `rejection` is set, and the pointer null, where the candidate is at fault.
  struct Started { std::unique_ptr<RunnerProcess> runner; std::optional<Rejection> rejection; };
  static base::Result<Started> start(const RunnerSpec& spec, double timeout_s);
  ~RunnerProcess();

  // Runs the candidate once (or a null call). Nothing: it answered. Sets the duration as the measuring thread saw it.
  std::optional<Rejection> call(runtime::Command command, int argument, double timeout_s, double* duration_us = nullptr);

  // The step that rewrote its argument array in the last run, -1.
  int rewritten_step() const { return page_->rewritten_step; }
  pid_t pid() const { return child_.pid(); }

 private:
  RunnerProcess() = default;
  Rejection explain_death();
  std::optional<Rejection> explain_kill();   // if the runner was killed
  Rejection explain_crash() const;
  Rejection explain_fault(const runtime::Crash& crash) const;
  std::optional<Rejection> explain_start(double timeout_s);
  std::string position(std::uint64_t instruction) const;
  std::string words();

  RunnerSpec spec_;
  long memory_kills_before_ = 0;
  base::ChildProcess child_;
  runtime::ControlPage* page_ = nullptr;
  int page_fd_ = -1;
};

// The candidate's side of a timed round. The runner's rejection, if a call brings one, is kept here.
class RunnerSide : public timer::Side {
 public:
  RunnerSide(RunnerProcess& runner, double timeout_s) : runner_(runner), timeout_s_(timeout_s) {}
  base::Status get_ready() override;
  base::Result<double> call_us() override { return call(runtime::Command::run); }
  base::Result<double> null_us() override { return call(runtime::Command::null_call); }
  const std::optional<Rejection>& rejection() const { return rejection_; }

 private:
  base::Result<double> call(runtime::Command command);
  RunnerProcess& runner_;
  double timeout_s_;
  std::optional<Rejection> rejection_;
};

}  // namespace kw::oracle
