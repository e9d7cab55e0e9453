#include "tests/models/verdict_fixture.h"

#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "core/worker/aten/convert.h"
#include "core/worker/oracle/gpu.h"
#include "core/base/paths.h"
#include "core/plan/plan.h"

namespace kw::models {
namespace {

using graph::Argument;
using graph::Graph;
using graph::Node;
using graph::ValueId;

[[noreturn]] void stop(const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  std::exit(1);
}

ValueId add_value(Graph& graph, const std::string& name, graph::DType dtype, std::vector<std::int64_t> sizes, graph::Origin origin) {
  graph::Value value;
  value.name = name;
  value.origin = origin;
  value.type = {dtype, sizes, graph::contiguous_strides(sizes)};
  graph.values.push_back(value);
  const auto id = static_cast<ValueId>(graph.values.size()) - 1;
  if (origin == graph::Origin::input) graph.inputs.push_back(id);
  return id;
}

ValueId call(Graph& graph, const std::string& op, std::vector<Argument> arguments, graph::DType dtype, std::vector<std::int64_t> sizes) {
  const ValueId out = add_value(graph, "n" + std::to_string(graph.nodes.size()), dtype, std::move(sizes), graph::Origin::node);
  Node node;
  node.op = op;
  node.arguments = std::move(arguments);
  node.outputs = {out};
  graph.nodes.push_back(std::move(node));
  return out;
}

Argument value(const std::string& name, ValueId id) { return {name, false, graph::ValueRef{id}}; }
Argument ints(const std::string& name, std::vector<std::int64_t> list) {
  std::vector<graph::IntOrValue> items;
  for (auto i : list) items.push_back({i, graph::no_value});
  return {name, false, items};
}

struct Built { Graph graph; aten::Tensors inputs; };

Built build_scale(std::int64_t rows, std::int64_t cols, double weight) {
  Built built;
  Graph& g = built.graph;
  const ValueId x = add_value(g, "x", graph::DType::f32, {rows, cols}, graph::Origin::input);
  const ValueId w = add_value(g, "w", graph::DType::f32, {cols}, graph::Origin::input);
  const ValueId r = call(g, "aten.relu.default", {value("self", x)}, graph::DType::f32, {rows, cols});
  const ValueId y = call(g, "aten.mul.Tensor", {value("self", r), value("other", w)}, graph::DType::f32, {rows, cols});
  g.outputs.push_back({y});
  built.inputs = {at::rand({rows, cols}), at::rand({cols}) * weight};
  return built;
}

Built build_one(const std::string& op, std::vector<Argument> extra, graph::DType dtype, std::vector<std::int64_t> sizes) {
  Built built;
  Graph& g = built.graph;
  const ValueId x = add_value(g, "x", graph::DType::f32, {256, 512}, graph::Origin::input);
  std::vector<Argument> arguments = {value(op == "aten.layer_norm.default" ? "input" : "self", x)};
  arguments.insert(arguments.end(), extra.begin(), extra.end());
  g.outputs.push_back({call(g, op, arguments, dtype, std::move(sizes))});
  built.inputs = {at::randn({256, 512})};
  return built;
}

Built build_row_sum() {
  Built built;
  Graph& g = built.graph;
  const ValueId x = add_value(g, "x", graph::DType::f32, {256, 512}, graph::Origin::input);
  const ValueId w = add_value(g, "w", graph::DType::f32, {512}, graph::Origin::input);
  const ValueId p = call(g, "aten.mul.Tensor", {value("self", x), value("other", w)}, graph::DType::f32, {256, 512});
  const ValueId y = call(g, "aten.sum.dim_IntList", {value("self", p), ints("dim", {-1})}, graph::DType::f32, {256});
  g.outputs.push_back({y});
  built.inputs = {at::randn({256, 512}), at::rand({512})};
  return built;
}

Built build(const std::string& name) {
  at::manual_seed(7);
  if (name == "scale") return build_scale(256, 512, 1);
  if (name == "scale-tiny") return build_scale(256, 512, 1e-6);
  if (name == "scale-big") return build_scale(4096, 2048, 1);
  if (name == "softmax") return build_one("aten.softmax.int", {{"dim", false, std::int64_t{-1}}}, graph::DType::f32, {256, 512});
  if (name == "layer-norm")
    return build_one("aten.layer_norm.default", {ints("normalized_shape", {512}), {"weight", false, graph::None{}}, {"bias", false, graph::None{}}, {"eps", false, 1e-5}},
                     graph::DType::f32, {256, 512});
  if (name == "argmax") {
    Built built = build_one("aten.argmax.default", {{"dim", false, std::int64_t{-1}}}, graph::DType::i64, {256});
    built.inputs[0] = built.inputs[0].clamp(-1, 1);   // many equal maxima: any of them is right
    return built;
  }
  if (name == "row-sum") return build_row_sum();
  stop("no task " + name);
}

}  // namespace

timer::ExecutorThread& executor() {
  static timer::ExecutorThread thread;
  return thread;
}

std::shared_ptr<aten::OpenModel> small_model(const std::string& name) {
  Built built;
  executor().run([&] { built = build(name); });
  auto model = std::make_shared<aten::OpenModel>();
  model->graph = built.graph;
  model->inputs = built.inputs;
  auto eager = aten::Executable::bind(model->graph, {});
  if (!eager) stop(eager.error().text());
  model->eager = std::move(eager).value();
  return model;
}

nlohmann::json task_of(const std::string& name, const aten::OpenModel& model) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < model.graph.nodes.size(); ++i) nodes.push_back(static_cast<int>(i));
  std::vector<ValueId> outputs;
  for (const auto& output : model.graph.outputs) outputs.push_back(output.value);
  return {{"id", name}, {"graph", graph::to_json(model.graph)}, {"instance", {{"nodes", nodes}, {"inputs", model.graph.inputs}, {"outputs", outputs}}}};
}

nlohmann::json plan_of(const aten::OpenModel& model, const PlanText& text) {
  plan::Plan plan;
  plan.target = "cpu";
  plan.threads = text.threads;
  plan.source = text.source;
  for (ValueId id : model.graph.inputs)
    plan.buffers.push_back({model.graph.values[static_cast<std::size_t>(id)].name, plan::BufferRole::input, model.graph.values[static_cast<std::size_t>(id)].type});
  for (const auto& output : model.graph.outputs)
    plan.buffers.push_back({"out", plan::BufferRole::output, model.graph.values[static_cast<std::size_t>(output.value)].type});
  if (text.workspace > 0) plan.buffers.push_back({"workspace", plan::BufferRole::workspace, {graph::DType::f32, {text.workspace}, {1}}});
  std::vector<int> all;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) all.push_back(static_cast<int>(i));
  for (const std::string& step : text.steps) {
    plan::Step s;
    s.name = step;
    s.buffers = step == "decoy" ? std::vector<int>{all.back()} : all;
    plan.steps.push_back(s);
  }
  return plan::to_json(plan);
}

std::string cheat_source(const std::string& name) {
  const char* root = std::getenv("KW_SOURCE_DIR");
  const std::string folder = std::string(root != nullptr ? root : ".") + "/tests/fakes/cheats/";
  auto source = base::read_file(folder + name + ".cpp"), shared = base::read_file(folder + "remembered.h");
  if (!source || !shared) stop("no cheat " + name + "; run through ctest");
  const std::string include = "#include \"remembered.h\"\n";
  std::string header = *shared;
  header.erase(0, header.find('\n') + 1);   // the pragma
  if (const auto at = source->find(include); at != std::string::npos) source->replace(at, include.size(), header);
  return *source;
}

double difference_from_relu_times_w(aten::OpenModel& model) {
  auto outputs = model.eager->run(model.inputs);
  if (!outputs) stop(outputs.error().text());
  return ((*outputs)[0] - at::relu(model.inputs[0]) * model.inputs[1]).abs().max().item<double>();
}

double difference_with_shifted_inputs(aten::OpenModel& model) {
  double difference = 0;
  executor().run([&] {
    const c10::InferenceMode inference;
    for (at::Tensor& input : model.inputs) {
      const at::Tensor from = input.contiguous().flatten();
      input = at::empty({from.numel() + 1}, from.options()).slice(0, 1).copy_(from).view(input.sizes());
    }
    difference = difference_from_relu_times_w(model);
  });
  return difference;
}

oracle::TaskEvaluator& evaluator_for(const std::string& task, oracle::EvaluatorOptions options) {
  struct Kept { std::shared_ptr<aten::OpenModel> model; std::unique_ptr<oracle::TaskEvaluator> evaluator; };
  static std::map<std::string, Kept> kept;
  const std::string key = task + "/" + std::to_string(options.timed_check_share);
  if (const auto found = kept.find(key); found != kept.end()) return *found->second.evaluator;
  if (options.cache.empty()) options.cache = "/tmp/kw-verdict-objects-" + std::to_string(getuid());
  Kept entry{small_model(task), nullptr};
  auto evaluator = oracle::TaskEvaluator::create(*entry.model, executor(), options);
  if (!evaluator) stop(evaluator.error().text());
  entry.evaluator = std::move(evaluator).value();
  auto prepared = entry.evaluator->prepare({{"task", task_of(task, *entry.model)}}, {});
  if (!prepared) stop(prepared.error().text());
  return *kept.emplace(key, std::move(entry)).first->second.evaluator;
}

nlohmann::json cuda_plan_of(const aten::OpenModel& model, const PlanText& text) {
  nlohmann::json plan = plan_of(model, text);
  plan["target"] = "cuda";
  for (auto& step : plan["steps"]) step["launch"] = {{"grid", {512, 1, 1}}, {"block", {256, 1, 1}}, {"shared_bytes", 0}};
  return plan;
}

base::Result<OnGpu> on_gpu(const std::string& task, oracle::EvaluatorOptions options) {
  base::Result<std::shared_ptr<oracle::Gpu>> gpu = base::Error{};
  executor().run([&] { gpu = oracle::Gpu::open(); });
  if (!gpu) return gpu.error();
  OnGpu made{small_model(task), nullptr};
  executor().run([&] {
    for (at::Tensor& input : made.model->inputs) input = aten::placed(input, true);
    made.model->on_cuda = true;
    auto eager = aten::Executable::bind(made.model->graph, {}, {.on_cuda = true});
    if (!eager) stop(eager.error().text());
    made.model->eager = std::move(eager).value();
  });
  if (options.cache.empty()) options.cache = "/tmp/kw-verdict-cubins-" + std::to_string(getuid());
  auto evaluator = oracle::TaskEvaluator::create(*made.model, executor(), options, *gpu);
  if (!evaluator) return evaluator.error();
  made.evaluator = std::move(evaluator).value();
  auto prepared = made.evaluator->prepare({{"task", task_of(task, *made.model)}}, {});
  if (!prepared) return prepared.error();
  return made;
}

}  // namespace kw::models
