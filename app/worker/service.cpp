#include "app/worker/service.h"

#include <unistd.h>

#include <optional>

#include "core/graph/task.h"
#include "core/worker/build/builder.h"
#include "core/worker/build/cuda_builder.h"
#include "core/worker/device/ceilings.h"
#include "core/worker/device/cpu_info.h"
#include "core/worker/oracle/gpu.h"
#include "core/worker/profile/profile.h"
#include "core/worker/timer/environment.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <torch/version.h>

namespace kw::worker {

using base::Error;
using base::ErrorCode;
using protocol::Answer;
using protocol::json;

namespace {

constexpr int parallel_builds = 2;
constexpr int lost_gpu = 3;                                  // exit status
constexpr int evaluations_in_flight = parallel_builds + 1;   // one is measured while others are built

Error no_model() { return {ErrorCode::internal, "no model is open in this worker", ""}; }

// What torch or JSON throws ends here.
Answer guarded(const std::function<Answer()>& work) {
  try {
    return work();
  } catch (const json::exception& e) {
    return Error{ErrorCode::internal, std::string("a request with a missing or wrong field: ") + e.what(), ""};
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::io, "out of memory in the worker", ""};
  } catch (const std::exception& e) {
    return Error{ErrorCode::internal, std::string(e.what()).substr(0, 500), ""};
  }
}

}  // namespace

JobQueue::JobQueue(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
}

JobQueue::~JobQueue() {
  {
    base::Lock lock(mutex_);
    stopping_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  for (std::thread& t : threads_) t.join();
}

void JobQueue::push(std::function<void()> job) {
  base::Lock lock(mutex_);
  if (!stopping_) waiting_.push_back(std::move(job));
  changed_.notify_one();
}

void JobQueue::loop() {
  while (true) {
    std::function<void()> job;
    {
      base::Lock lock(mutex_);
      while (waiting_.empty() && !stopping_) changed_.wait(mutex_);
      if (stopping_) return;
      job = std::move(waiting_.front());
      waiting_.erase(waiting_.begin());
    }
    job();
  }
}

Service::Service() : turns_(1), evaluations_(evaluations_in_flight) {}
Service::~Service() = default;

void Service::stop() {
  base::Lock lock(mutex_);
  for (auto& [id, token] : running_) token.cancel();
}

protocol::Handlers Service::handlers() {
  struct Row { const char* name; Method method; bool beside; };   // beside: side by side with others
  static constexpr Row rows[] = {
      {"hello", &Service::hello, false},     {"open", &Service::open, false},         {"profile", &Service::profile, false},
      {"run", &Service::run, false},         {"prepare", &Service::prepare, false},   {"evaluate", &Service::evaluate, true},
      {"end_to_end", &Service::end_to_end, false},
  };
  protocol::Handlers h;
  for (const Row& row : rows)
    h.requests[row.name] = [this, row](std::int64_t id, const json& params, protocol::Reply reply) {
      serve(row.beside ? evaluations_ : turns_, row.method, id, params, std::move(reply));
    };
  h.notifications["cancel"] = [this](const json& params) {
    base::Lock lock(mutex_);
    if (auto found = running_.find(params.value("id", std::int64_t{0})); found != running_.end()) found->second.cancel();
  };
  h.closed = [this](const Error&) { stop(); };
  return h;
}

void Service::serve(JobQueue& queue, Method method, std::int64_t id, const json& params, protocol::Reply reply) {
  base::CancelToken token;
  {
    base::Lock lock(mutex_);
    running_.emplace(id, token);
  }
  queue.push([this, method, id, params, reply, token] {
    reply(guarded([&] { return (this->*method)(params, token); }));
    if (evaluator_ && evaluator_->lost()) _exit(lost_gpu);   // the answer is on its way; only a new process has a GPU again
    base::Lock lock(mutex_);
    running_.erase(id);
  });
}

protocol::Environment Service::environment() const {
  protocol::Environment e = device::cpu_environment(threads_);
  if (gpu_) {
    const cuda::DeviceFacts& facts = gpu_->facts();
    e.target = "cuda";
    e.device = facts.name;
    e.multiprocessors = facts.multiprocessors;
    e.shared_bytes = facts.shared_per_block;
    e.driver_version = facts.driver_version;
    e.gpu_uuid = facts.uuid;
    e.l2_bytes = facts.l2_bytes;
  }
  e.torch = TORCH_VERSION;
  for (const std::string& flag : gpu_ ? build::cuda_options() : build::compile_flags()) e.flags += (e.flags.empty() ? "" : " ") + flag;
  if (evaluator_) e.compiler = evaluator_->compiler_version();
  return e;
}

Answer Service::hello(const json& params, const base::CancelToken&) {
  if (params.value("protocol", 0) != protocol::protocol_version)
    return Error{ErrorCode::unsupported, "the engine speaks protocol " + params.value("protocol", json(0)).dump() + ", this worker " +
                 std::to_string(protocol::protocol_version) + "; install both from one build", ""};
  return json{{"protocol", protocol::protocol_version}, {"environment", environment()}};
}

Answer Service::open(const json& params, const base::CancelToken&) {
  aten::OpenOptions options;
  options.path = params.at("path");
  options.python = params.value("python", "");
  options.inputs = params.value("inputs", "");
  options.input_set = params.value("input_set", "");
  options.threads = params.value("threads", 0);
  options.seed = params.value("seed", std::uint64_t{0});
  options.cache = params.value("cache", "");
  evaluator_.reset();
  oracle::EvaluatorOptions judging;
  judging.seed = options.seed;
  judging.parallel_builds = parallel_builds;
  const std::string target = params.value("target", "cpu");
  std::string no_gpu;                    // why `auto` is the cpu
  const Answer opening = on_executor([&]() -> Answer {
    if (target != "cpu" && !gpu_) {
      auto gpu = oracle::Gpu::open();
      if (gpu) gpu_ = std::move(gpu).value();
      else if (target == "cuda") return gpu.error();
      else no_gpu = gpu.error().message;
    }
    options.on_cuda = target != "cpu" && gpu_ != nullptr;
    auto opened = aten::open_model(options);   // sets the number of threads, an OpenMP setting of the calling thread
    if (!opened) return opened.error();
    model_ = std::move(opened).value();
    judging.threads = threads_ = at::get_num_threads();
    return json();
  });
  if (!opening) return opening;
  auto evaluator = oracle::TaskEvaluator::create(*model_, executor_, judging, options.on_cuda ? gpu_ : nullptr);
  if (!evaluator) return evaluator.error();
  evaluator_ = std::move(evaluator).value();
  return on_executor([&]() -> Answer {
    auto ceilings = device::ceilings(environment());
    if (!ceilings) return ceilings.error();
    ceilings_ = *ceilings;
    evaluator_->set_ceilings(ceilings_);
    auto notes = model_->graph.notes;      // the graph is the same wherever it runs
    if (!no_gpu.empty()) notes.push_back("works on the cpu: " + no_gpu);
    return json{{"graph", graph::to_json(model_->graph)}, {"notes", notes}, {"sha256", model_->sha256}, {"kind", model_->kind},
                {"environment", environment()}};
  });
}

Answer Service::on_executor(const std::function<Answer()>& work) {
  Answer answer = no_model();
  executor_.run([&] { answer = guarded(work); });
  return answer;
}

Answer Service::profile(const json& params, const base::CancelToken& cancel) {
  if (!evaluator_) return no_model();
  return on_executor([&]() -> Answer {
    auto p = profile::profile(*model_, ceilings_, params.value("runs", 10), cancel);
    if (!p) return p.error();
    return json(*p);
  });
}

Answer Service::run(const json& params, const base::CancelToken&) {
  if (!evaluator_) return no_model();
  if (base::Status installed = evaluator_->install(params.value("winners", json::array())); !installed) return installed.error();
  Answer answer = on_executor([&]() -> Answer {
    auto outputs = model_->eager->run(model_->inputs);
    if (!outputs) return outputs.error();
    if (const std::string out = params.value("out", ""); !out.empty())
      if (base::Status saved = aten::save_outputs(out, *outputs); !saved) return saved.error();
    json types = json::array();
    for (const at::Tensor& t : *outputs) types.push_back(t.defined() ? t.toString() + " " + std::string(c10::str(t.sizes())) : "None");
    return json{{"outputs", types}};
  });
  if (base::Status removed = evaluator_->install(json::array()); !removed) return removed.error();
  return answer;
}

Answer Service::prepare(const json& params, const base::CancelToken& cancel) {
  return evaluator_ ? evaluator_->prepare(params, cancel) : Answer(no_model());
}

Answer Service::evaluate(const json& params, const base::CancelToken& cancel) {
  if (!evaluator_) return no_model();
  auto evaluation = evaluator_->evaluate(params, cancel);
  if (!evaluation) return evaluation.error();
  return json(*evaluation);
}

Answer Service::end_to_end(const json& params, const base::CancelToken& cancel) {
  if (!evaluator_) return no_model();
  auto result = evaluator_->end_to_end(params, cancel);
  if (!result) return result.error();
  return json(*result);
}

}  // namespace kw::worker
