#pragma once
// A small model made by hand, its tasks, and candidates from text: what the tests of verdicts share.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/graph/graph.h"
#include "core/worker/aten/model.h"
#include "core/worker/oracle/evaluator.h"

namespace kw::models {

// The one thread that runs torch here.
timer::ExecutorThread& executor();

// Tasks, each a model of its own:
//   scale      relu(x) * w        x f32[256, 512] in [0, 1), w f32[512]
//   scale-tiny the same with w of 1e-6
//   scale-big  the same with x f32[4096, 2048]
//   softmax    softmax(x, -1)     x f32[256, 512] normal
//   layer-norm layer_norm(x)      x f32[256, 512] normal
//   row-sum    (x * w).sum(-1)    x f32[256, 512]
//   argmax     argmax(x, -1)      x f32[256, 512] normal, several equal values in a row
std::shared_ptr<aten::OpenModel> small_model(const std::string& name);

// The whole model as one task: {id, graph, instance}.
nlohmann::json task_of(const std::string& name, const aten::OpenModel& model);

struct PlanText {
  std::string source;
  std::vector<std::string> steps = {"kernel"};
  std::int64_t workspace = 0;            // floats; the workspace is the last buffer
  int threads = 1;
};
// Every step takes all buffers, but for "decoy", which takes the workspace.
nlohmann::json plan_of(const aten::OpenModel& model, const PlanText& text);

// The same for a GPU: every step a kernel of 512 blocks of 256 threads, the task's elements one a thread.
nlohmann::json cuda_plan_of(const aten::OpenModel& model, const PlanText& text);

// tests/fakes/cheats/NAME.cpp with its shared header put in.
std::string cheat_source(const std::string& name);

// Runs the model "scale": the largest difference from torch's relu(x) * w.
double difference_from_relu_times_w(aten::OpenModel& model);

// The evaluator with the task prepared; kept for the whole program.
oracle::TaskEvaluator& evaluator_for(const std::string& task, oracle::EvaluatorOptions options = {});

// The same on a GPU, and the model there; why not where there is none.
struct OnGpu {
  std::shared_ptr<aten::OpenModel> model;
  std::unique_ptr<oracle::TaskEvaluator> evaluator;
};
base::Result<OnGpu> on_gpu(const std::string& task, oracle::EvaluatorOptions options = {});

// The same on the GPU's own thread, with inputs that begin one element after an aligned address.
double difference_with_shifted_inputs(aten::OpenModel& model);

}  // namespace kw::models
