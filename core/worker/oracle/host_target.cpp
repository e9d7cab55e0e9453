#include <fstream>

#include "core/worker/build/builder.h"
#include "core/worker/oracle/runner_candidate.h"
#include "core/worker/oracle/target.h"
#include "core/worker/runtime/loaded_plan.h"
#include "core/worker/runtime/pool.h"

#include <ATen/Parallel.h>

namespace kw::oracle {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "cpu";
}

// The baseline's side of a timed round.
class BaselineSide : public timer::Side {
 public:
  BaselineSide(Baseline& baseline, timer::ExecutorThread& executor) : baseline_(baseline), executor_(executor) {}
  base::Status get_ready() override {
    timer::settle();
    executor_.run([&] {
      baseline_.forget();
      runtime::wake_pool(at::get_num_threads());
    });
    return base::done();
  }
  base::Result<double> call_us() override {
    base::Status status = base::done();
    const double us = executor_.timed_us([&] { status = baseline_.run(); });
    if (!status) return status.error();
    return us;
  }
  base::Result<double> null_us() override {
    return executor_.timed_us([] {});
  }

 private:
  Baseline& baseline_;
  timer::ExecutorThread& executor_;
};

class HostTarget : public Target {
 public:
  HostTarget(std::string runner, timer::ExecutorThread& executor, std::unique_ptr<build::Builder> builder)
      : runner_(std::move(runner)), executor_(executor), builder_(std::move(builder)) {}

  const char* name() const override { return "cpu"; }
  std::string device() const override { return device_; }
  const char* clock() const override { return "call_us"; }
  std::string compiler_version() const override { return builder_->compiler_version(); }
  base::Result<build::BuildResult> build(const plan::Plan& plan, const base::CancelToken& cancel) override { return builder_->build(plan, cancel); }
  base::Result<std::unique_ptr<LiveInputs>> make_inputs(const InputFacts& facts, const InputSet& captured) override { return HostInputs::make(facts, captured); }
  base::Result<Candidate::Made> make_candidate(const PreparedTask& task, const plan::Plan& plan, const std::string& object, double call_timeout_s) override {
    return RunnerCandidate::make(task, plan, object, runner_, call_timeout_s);
  }
  bool on_cuda() const override { return false; }
  base::Result<std::shared_ptr<void>> hold_device(const base::CancelToken&) override { return std::shared_ptr<void>(); }
  base::Result<Run> load(const plan::Plan& plan, const std::string& object) override {
    auto loaded = runtime::LoadedPlan::load(object, plan);
    if (!loaded) return loaded.error();
    return Run([shared = std::make_shared<runtime::LoadedPlan>(std::move(loaded).value())](const std::vector<void*>& addresses) {
      shared->run(addresses.data());
      return base::done();
    });
  }
  std::vector<NamedSide> baselines(const PreparedTask& task) override {
    std::vector<NamedSide> sides;
    sides.push_back({"eager", std::make_unique<BaselineSide>(*task.baseline, executor_)});
    return sides;
  }

 private:
  std::string runner_, device_ = processor();
  timer::ExecutorThread& executor_;
  std::unique_ptr<build::Builder> builder_;
};

}  // namespace

base::Result<std::unique_ptr<Target>> host_target(const EvaluatorOptions& options, timer::ExecutorThread& executor, build::BuildGate& gate) {
  build::BuilderOptions building;
  building.compiler = options.compiler;
  building.folder = options.cache;
  building.parallel = options.parallel_builds;
  auto builder = build::Builder::create(building, gate);
  if (!builder) return builder.error();
  executor.run([] { runtime::start_pool(at::get_num_threads()); });
  return std::unique_ptr<Target>(std::make_unique<HostTarget>(options.runner, executor, std::move(builder).value()));
}

}  // namespace kw::oracle
