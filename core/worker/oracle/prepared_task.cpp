#include "core/worker/oracle/prepared_task.h"

#include <algorithm>
#include <cstring>
#include <future>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/worker/aten/convert.h"
#include "core/worker/device/torch_cuda.h"
#include "core/worker/oracle/element.h"
#include "core/worker/oracle/tensors.h"
#include "core/worker/oracle/truth.h"
#include "core/worker/runtime/pool.h"

namespace kw::oracle {
namespace {

using nlohmann::json;

constexpr std::int64_t memory_budget = std::int64_t{512} << 20;   // bytes of all sets of one task, inputs and truth
constexpr std::size_t fewest_sets = 3;
constexpr int baseline_runs = 5;

std::int64_t span_bytes(const std::vector<graph::TensorType>& types) {
  std::int64_t sum = 0;
  for (const auto& type : types) sum += static_cast<std::int64_t>(storage_bytes(type));
  return sum;
}

struct Captured { InputFacts facts; InputSet set; };

base::Result<Captured> capture(const graph::Graph& task, const graph::Instance& instance, aten::OpenModel& model) {
  if (instance.nodes.empty() || instance.inputs.size() != task.inputs.size())
    return base::bad_input("A task's instance does not fit its graph.", "prepare");
  auto tensors = model.eager->capture(model.inputs, instance.inputs, instance.nodes.back());
  if (!tensors) return tensors.error();
  Captured captured;
  captured.set.name = "captured";
  captured.facts.domains = input_domains(task);
  for (std::size_t i = 0; i < tensors->size(); ++i) {
    const at::Tensor tensor = aten::placed((*tensors)[i], false);
    auto type = aten::tensor_type(tensor);
    if (!type) return type.error();
    if (is_complex(type->dtype)) return base::Error{base::ErrorCode::unsupported, "A task with complex inputs cannot be judged.", "prepare"};
    Storage storage(storage_bytes(*type));
    if (!storage.empty()) std::memcpy(storage.data(), tensor.const_data_ptr(), storage.size());
    captured.facts.types.push_back(*type);
    captured.set.storages.push_back(std::move(storage));
  }
  return captured;
}

// The inputs of every set, as many as fit the budget; truth is not there yet.
std::vector<InputSet> draw_sets(const InputFacts& facts, const InputSet& captured, std::int64_t bytes_a_set, std::uint64_t seed) {
  const std::size_t wanted = hidden_distributions().size() + 2;
  const auto fitting = static_cast<std::size_t>(memory_budget / std::max<std::int64_t>(bytes_a_set, 1));
  const std::size_t count = std::clamp(fitting, fewest_sets, wanted);
  std::vector<InputSet> sets{captured, rolled(facts, captured, seed + 1)};
  std::vector<std::future<InputSet>> drawn;          // side by side: each has numbers of its own
  for (std::size_t d = 0; d + sets.size() < count; ++d)
    drawn.push_back(std::async(std::launch::async, [&facts, &captured, seed, d] {
      runtime::pin_to(runtime::cores());             // the calling thread's one core would be inherited
      return draw(d, facts, captured, seed);
    }));
  for (auto& set : drawn) sets.push_back(set.get());
  return sets;
}

base::Result<std::vector<JudgedSet>> judge_sets(std::vector<InputSet> inputs, const InputFacts& facts, TruthMaker& truth, const base::CancelToken& cancel) {
  std::vector<JudgedSet> sets;
  for (InputSet& set : inputs) {
    if (cancel.cancelled()) return base::Error{base::ErrorCode::cancelled, "Preparing the task was cancelled.", ""};
    auto outputs = truth.judge(facts, set);
    if (!outputs) return outputs.error();
    sets.push_back({std::move(set), std::move(outputs).value(), nullptr});
  }
  return sets;
}

// Truth that no input reaches: nothing can be learned from a candidate's outputs.
bool constant(const std::vector<JudgedSet>& sets) {
  for (const JudgedSet& set : sets)
    for (std::size_t k = 0; k < set.outputs.size(); ++k)
      if (set.outputs[k].values != sets[0].outputs[k].values || set.outputs[k].exact != sets[0].outputs[k].exact) return false;
  return true;
}

base::Status fill(PreparedTask& task, const Captured& captured, std::uint64_t seed, const MakeInputs& make_inputs, const base::CancelToken& cancel) {
  auto live = make_inputs(task.facts, captured.set);
  if (!live) return live.error();
  task.live = std::move(live).value();
  auto truth = TruthMaker::make(task.graph, task.live->on_cuda());
  if (!truth) return truth.error();
  task.truth = *truth;
  std::int64_t output_elements = 0;
  for (const graph::Output& output : task.graph.outputs) {
    if (output.value < 0) return base::bad_input("A task's output is no tensor.", "prepare");
    output_elements += task.graph.values[static_cast<std::size_t>(output.value)].type.elements();
  }
  const std::int64_t bytes = span_bytes(task.facts.types) + output_elements * static_cast<std::int64_t>(sizeof(double));
  auto sets = judge_sets(draw_sets(task.facts, captured.set, bytes, seed), task.facts, *task.truth, cancel);
  if (!sets) return sets.error();
  task.sets = std::move(sets).value();
  for (JudgedSet& set : task.sets) task.live->keep(set);
  task.constant_truth = constant(task.sets);

  auto baseline = Baseline::make(task.graph, task.facts, *task.live);
  if (!baseline) return baseline.error();
  task.baseline = std::move(baseline).value();
  task.live->write(task.sets[0]);
  std::vector<double> samples;
  for (int i = 0; i <= baseline_runs; ++i) {
    const double start_s = base::now_s();
    if (auto status = task.baseline->run(); !status) return status;
    if (task.live->on_cuda()) device::synchronize();
    if (i > 0) samples.push_back((base::now_s() - start_s) * 1e6);   // the first run warms up
  }
  task.baseline->forget();
  task.baseline_us = base::median(samples);
  return base::done();
}

}  // namespace

struct Baseline::Impl {
  std::unique_ptr<aten::Executable> eager;
  aten::Tensors inputs, outputs;
};

Baseline::Baseline(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Baseline::~Baseline() = default;

base::Result<std::unique_ptr<Baseline>> Baseline::make(const graph::Graph& task, const InputFacts& facts, const LiveInputs& live) {
  auto eager = aten::Executable::bind(task, {}, {.on_cuda = live.on_cuda()});
  if (!eager) return eager.error();
  auto impl = std::make_unique<Impl>();
  impl->eager = std::move(eager).value();
  try {
    const c10::InferenceMode inference;
    for (std::size_t i = 0; i < facts.types.size(); ++i) impl->inputs.push_back(view_of(facts.types[i], live.address(i), live.on_cuda()));
  } catch (const std::exception& error) {
    return base::Error{base::ErrorCode::internal, aten::first_line(error), "baseline"};
  }
  return std::unique_ptr<Baseline>(new Baseline(std::move(impl)));
}

base::Status Baseline::run() {
  auto outputs = impl_->eager->run(impl_->inputs);
  if (!outputs) return outputs.error();
  impl_->outputs = std::move(outputs).value();
  return base::done();
}

void Baseline::forget() { impl_->outputs.clear(); }

std::size_t Baseline::outputs() const { return impl_->outputs.size(); }

const std::byte* Baseline::output(std::size_t k) {
  const c10::InferenceMode inference;
  at::Tensor& output = impl_->outputs[k];
  output = aten::placed(output.contiguous(), false);
  return static_cast<const std::byte*>(output.const_data_ptr());
}

std::optional<Baseline::Place> Baseline::place(std::size_t k) const {
  const auto type = aten::tensor_type(impl_->outputs[k]);
  if (!type) return std::nullopt;
  return Place{*type, impl_->outputs[k].const_data_ptr()};
}

std::int64_t PreparedTask::input_bytes() const { return span_bytes(facts.types); }

std::int64_t PreparedTask::output_bytes() const {
  std::int64_t sum = 0;
  for (const OutputTruth& output : sets[0].outputs) sum += static_cast<std::int64_t>(storage_bytes(output.type));
  return sum;
}

void PreparedTask::write_inputs(const JudgedSet& set) const {
  executor->run([&] { live->write(set); });
}

void PreparedTask::write_rolled(std::uint64_t seed) const {
  executor->run([&] { live->write_rolled(seed); });
}

bool PreparedTask::inputs_hold(std::size_t input, const JudgedSet& set) const {
  bool same = false;
  executor->run([&] { same = live->holds(input, set); });
  return same;
}

base::Result<std::vector<OutputTruth>> PreparedTask::rolled_truth(std::uint64_t seed) const {
  base::Result<std::vector<OutputTruth>> outputs = std::vector<OutputTruth>{};
  executor->run([&] { outputs = truth->judge(facts, rolled(facts, sets[0].inputs, seed)); });
  return outputs;
}

std::vector<protocol::OutputError> PreparedTask::eager_errors() const {
  std::vector<protocol::OutputError> errors(sets[0].outputs.size());
  for (const JudgedSet& set : sets)
    for (std::size_t k = 0; k < errors.size(); ++k) {
      const OutputTruth& output = set.outputs[k];
      protocol::OutputError& worst = errors[k];
      worst.eager_max = std::max(worst.eager_max, output.eager_max);
      worst.eager_rms = std::max(worst.eager_rms, output.eager_rms);
      worst.tolerance_max = std::max(worst.tolerance_max, output.tolerance_max);
      worst.tolerance_rms = std::max(worst.tolerance_rms, output.tolerance_rms);
      worst.left_out += output.left_out_count;
    }
  return errors;
}

base::Result<graph::Instance> instance_from_json(const json& j) {
  try {
    return graph::Instance{j.at("nodes").get<std::vector<int>>(), j.at("inputs").get<std::vector<graph::ValueId>>(),
                           j.at("outputs").get<std::vector<graph::ValueId>>()};
  } catch (const json::exception& error) {
    return base::bad_input(std::string("An instance needs nodes, inputs and outputs: ") + error.what(), "instance");
  }
}

base::Result<std::shared_ptr<PreparedTask>> prepare_task(const json& j, aten::OpenModel& model, timer::ExecutorThread& executor, std::uint64_t seed,
                                                         const MakeInputs& make_inputs, const base::CancelToken& cancel) {
  if (!j.is_object() || !j.contains("id") || !j["id"].is_string() || !j.contains("graph") || !j.contains("instance"))
    return base::bad_input("A task needs id, graph and instance.", "prepare");
  auto task_graph = graph::graph_from_json(j["graph"]);
  if (!task_graph) return task_graph.error();
  auto instance = instance_from_json(j["instance"]);
  if (!instance) return instance.error();
  auto task = std::make_shared<PreparedTask>();
  task->id = j["id"];
  task->executor = &executor;
  task->graph = std::move(task_graph).value();
  const double start_s = base::now_s();
  base::Status status = base::done();
  executor.run([&] {
    auto captured = capture(task->graph, *instance, model);
    if (!captured) {
      status = captured.error();
      return;
    }
    task->facts = captured->facts;
    status = fill(*task, *captured, seed, make_inputs, cancel);
  });
  if (!status) return status.error();
  task->spans.push_back({"reference", start_s, base::now_s()});
  return task;
}

base::Result<std::vector<JudgedSet>> fresh_sets(const PreparedTask& task, timer::ExecutorThread& executor, std::uint64_t seed,
                                                const base::CancelToken& cancel) {
  const std::int64_t bytes = task.input_bytes() + 2 * task.output_bytes();
  base::Result<std::vector<JudgedSet>> sets = std::vector<JudgedSet>{};
  executor.run([&] {
    sets = judge_sets(draw_sets(task.facts, task.sets[0].inputs, bytes, seed), task.facts, *task.truth, cancel);
    if (sets)
      for (JudgedSet& set : *sets) task.live->keep(set);
  });
  return sets;
}

}  // namespace kw::oracle
