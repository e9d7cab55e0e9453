#pragma once
// Where candidates run: the processor, through runner processes, or the GPU. Everything that differs between the two stands behind
// this; what is asked of a candidate, and what is answered, does not. Made on the executor thread.

#include <functional>
#include <memory>
#include <string>

#include "core/worker/build/build_result.h"
#include "core/worker/build/gate.h"
#include "core/worker/oracle/candidate.h"
#include "core/worker/oracle/evaluator.h"

namespace kw::oracle {

class Gpu;

class Target {
 public:
  virtual ~Target() = default;
  virtual const char* name() const = 0;              // of the plans that it takes
  virtual std::string device() const = 0;
  virtual const char* clock() const = 0;             // what a measurement's times are
  virtual std::string compiler_version() const = 0;
  virtual base::Result<build::BuildResult> build(const plan::Plan& plan, const base::CancelToken& cancel) = 0;   // any thread, several at once
  virtual base::Result<std::unique_ptr<LiveInputs>> make_inputs(const InputFacts& facts, const InputSet& captured) = 0;   // executor thread
  virtual base::Result<Candidate::Made> make_candidate(const PreparedTask& task, const plan::Plan& plan, const std::string& object, double call_timeout_s) = 0;
  virtual std::vector<NamedSide> baselines(const PreparedTask& task) = 0;   // executor thread; eager first
  virtual bool on_cuda() const = 0;
  // The plan's executor, for the whole model: the one that verified it. Executor thread, as are its calls; the addresses are those of
  // the plan's buffers.
  using Run = std::function<base::Status(const std::vector<void*>& addresses)>;
  virtual base::Result<Run> load(const plan::Plan& plan, const std::string& object) = 0;
  // Held while something is timed: nobody else's measurement runs on the device. May wait; `busy` names who does not let go.
  virtual base::Result<std::shared_ptr<void>> hold_device(const base::CancelToken& cancel) = 0;
  virtual bool lost() const { return false; }        // nothing can be evaluated any more: the process must end
};

base::Result<std::unique_ptr<Target>> host_target(const EvaluatorOptions& options, timer::ExecutorThread& executor, build::BuildGate& gate);
base::Result<std::unique_ptr<Target>> device_target(const EvaluatorOptions& options, timer::ExecutorThread& executor, std::shared_ptr<Gpu> gpu);

}  // namespace kw::oracle
