#pragma once
// What the worker's methods prepare, evaluate and end_to_end call: builds, verifies, times and verifies again.
//
//   evaluate:  build (several at once) -> [ runner process: verify -> time -> verify again ] (one at a time, builds stopped while timing)
//
// Any thread may call; everything that runs torch runs on the worker's one ExecutorThread, so the thread that reads the wire
// is never in the way. Model and executor outlive the evaluator.

#include <memory>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/protocol/records.h"
#include "core/worker/aten/model.h"
#include "core/worker/timer/executor_thread.h"

namespace kw::oracle {

struct EvaluatorOptions {
  std::string runner;                  // path of kernelwright-runner; "" = beside the running program
  std::string cache;                   // folder for objects; "" = "objects" in the cache folder
  std::string compiler = "g++";
  int threads = 0;                     // the model's; 0 = all cores
  std::uint64_t seed = 0;              // of hidden inputs
  int parallel_builds = 2;
  double timed_check_share = 0.34;     // of the timed calls whose outputs are looked at, drawn unpredictably
  double timing_cap_s = 1.0;           // of one paired measurement
};

class Gpu;

class TaskEvaluator {
 public:
  // On the cpu, or on the GPU where the model is.
  static base::Result<std::unique_ptr<TaskEvaluator>> create(aten::OpenModel& model, timer::ExecutorThread& executor,
                                                               EvaluatorOptions options, std::shared_ptr<Gpu> gpu = nullptr);
  ~TaskEvaluator();

  // Params and results are those of core/protocol/worker_api.md.
  base::Result<nlohmann::json> prepare(const nlohmann::json& params, const base::CancelToken& cancel);
  base::Result<protocol::Evaluation> evaluate(const nlohmann::json& params, const base::CancelToken& cancel);
  base::Result<protocol::EndToEnd> end_to_end(const nlohmann::json& params, const base::CancelToken& cancel);

  // Puts winners into the model's eager executable for a following `run`; an empty list takes them out.
  base::Status install(const nlohmann::json& winners);

  // Measured ceilings, for floor_us and impossible_speed; without them there is no floor.
  void set_ceilings(const protocol::Ceilings& ceilings);

  std::string compiler_version() const;
  bool lost() const;                     // a candidate took the GPU from this process: it must end

 private:
  struct Impl;
  explicit TaskEvaluator(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kw::oracle
