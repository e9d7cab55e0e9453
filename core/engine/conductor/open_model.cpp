#include "core/engine/conductor/open_model.h"

#include <sched.h>

#include <algorithm>
#include <filesystem>

#include "core/base/hash.h"
#include "core/base/paths.h"
#include "core/graph/task.h"
#include "core/kernel/recipe/recipe.h"

namespace kw::conductor {
namespace {

namespace fs = std::filesystem;

base::Result<std::string> checked_path(const ModelOptions& options) {
  std::error_code ignored;
  if (!fs::is_regular_file(options.path, ignored)) return base::bad_input("there is no such model file.", options.path);
  const std::string kind = fs::path(options.path).extension();
  if (kind != ".py" && !options.input_set.empty()) return base::bad_input("only a .py model names input sets; use --inputs FILE.", options.path);
  if (kind != ".py" && kind != ".pt2")
    return base::bad_input("a model is a .py file or a .pt2 archive of torch.export (TorchScript .pt cannot be opened yet).", options.path);
  return fs::absolute(options.path).string();
}

// What the graph computes, wherever its file lies: a model that was moved is still the same model.
std::string hash_of(nlohmann::json graph) {
  for (auto& node : graph["nodes"]) node.erase("file");
  return base::sha256_hex(graph.dump());
}

}  // namespace

int default_threads() {
  cpu_set_t cores;
  if (sched_getaffinity(0, sizeof(cores), &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

base::Result<std::unique_ptr<OpenModel>> OpenModel::open(const ModelOptions& options, const Watch& watch, const base::CancelToken& cancel) {
  auto path = checked_path(options);
  if (!path) return path.error();
  std::unique_ptr<OpenModel> model(new OpenModel);
  model->options_ = options;
  model->options_.path = *path;
  if (!options.inputs.empty()) model->options_.inputs = fs::absolute(options.inputs).string();
  if (options.threads <= 0) model->options_.threads = default_threads();
  auto hash = base::sha256_file(*path);
  if (!hash) return hash.error();
  auto worker = WorkerClient::start({options.worker, watch.progress});
  if (!worker) return worker.error();
  model->worker_ = std::move(*worker);
  if (watch.progress) watch.progress(-1, "opening " + options.path);
  auto opened = model->ask_open(cancel);
  if (!opened) return opened.error();
  try {
    auto graph = graph::graph_from_json(opened->at("graph"));
    if (!graph) return graph.error();
    model->graph_ = graph::functionalize(*graph);
    model->notes_ = opened->value("notes", std::vector<std::string>{});
    model->info_.kind = opened->at("kind").get<std::string>();
    model->info_.python = options.python;
    if (const auto found = opened->find("environment"); found != opened->end())
      model->worker_->set_environment(found->get<protocol::Environment>());
    model->options_.target = model->worker_->environment().target;
  } catch (const nlohmann::json::exception& e) {
    return base::Error{base::ErrorCode::lost, std::string("the worker's answer to `open` makes no sense: ") + e.what(), options.path};
  }
  model->graph_json_ = graph::to_json(model->graph_);
  auto& info = model->info_;
  info.path = *path;
  info.sha256 = *hash;
  info.graph_hash = hash_of(model->graph_json_);
  info.generator = std::string(kernel::generator_version);
  info.target = model->options_.target;
  info.inputs = model->options_.inputs;
  info.input_set = model->options_.input_set;
  info.threads = model->options_.threads;
  info.seed = options.seed;
  return model;
}

base::Result<nlohmann::json> OpenModel::ask_open(const base::CancelToken& cancel) {
  auto cache = base::cache_dir();
  if (!cache) return cache.error();
  return worker_->call("open", {{"path", options_.path}, {"python", options_.python}, {"inputs", options_.inputs}, {"input_set", options_.input_set}, {"threads", options_.threads},
                                {"seed", options_.seed}, {"cache", *cache}, {"target", options_.target}},
                       &cancel);
}

base::Status OpenModel::reopen() {
  auto opened = ask_open(base::CancelToken());
  if (!opened) return opened.error();
  return base::done();
}

base::Result<protocol::Profile> OpenModel::profile(int runs, const base::CancelToken& cancel) {
  auto answer = worker_->call("profile", {{"runs", runs}}, &cancel);
  if (!answer) return answer.error();
  try {
    return answer->get<protocol::Profile>();
  } catch (const nlohmann::json::exception& e) {
    return base::Error{base::ErrorCode::lost, std::string("the worker's profile makes no sense: ") + e.what(), options_.path};
  }
}

}  // namespace kw::conductor
