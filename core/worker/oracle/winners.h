#pragma once
// Winners in the model: each plan's object loaded into this process by the executor that verified it, its outputs
// allocated as eager would, its workspace made once and used by all its instances. Executor thread only, but for `load`.

#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/graph/task.h"
#include "core/plan/plan.h"
#include "core/worker/aten/executable.h"
#include "core/worker/oracle/target.h"

namespace kw::oracle {

struct Winner {
  std::string task;
  plan::Plan plan;
  std::vector<graph::Instance> instances;
  Target::Run run;
  bool on_cuda = false;
  std::shared_ptr<aten::Tensors> workspace;
};

// `winners`: [{task, plan, instances: [{nodes, inputs, outputs}]}]. Builds (or finds) and loads every object.
base::Result<std::vector<Winner>> load_winners(const nlohmann::json& winners, Target& target, timer::ExecutorThread& executor, const base::CancelToken& cancel);

// What Executable::substitute takes, for the winners whose task is not in `without`.
std::vector<aten::Substitution> substitutions(const std::vector<Winner>& winners, const std::vector<std::string>& without);

}  // namespace kw::oracle
