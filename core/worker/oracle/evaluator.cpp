#include "core/worker/oracle/evaluator.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <random>
#include <thread>

#include "core/base/clock.h"
#include "core/base/paths.h"
#include "core/worker/oracle/end_to_end.h"
#include "core/worker/oracle/floor.h"
#include "core/worker/oracle/gpu.h"
#include "core/worker/oracle/target.h"
#include "core/worker/oracle/traced.h"
#include "core/worker/oracle/verifier.h"
#include "core/worker/oracle/winners.h"
#include "core/worker/timer/environment.h"

namespace kw::oracle {
namespace {

using nlohmann::json;
using protocol::Evaluation;
using protocol::Verdict;

constexpr double impossible_share = 0.8;
constexpr double beaten_share = 0.95;    // of the best known ratio: below it a candidate is not the best, whatever more rounds say
constexpr double least_call_timeout_s = 1, call_timeout_baselines = 100;

struct Request {
  std::string task;
  plan::Plan plan;
  double precision = 0.03, deadline_s = 60, best_ratio = 0;
  bool afresh = false;
};

base::Result<Request> request_from(const json& params) {
  try {
    Request request;
    const json& task = params.at("task");
    request.task = task.is_object() ? task.at("id").get<std::string>() : task.get<std::string>();
    request.precision = params.value("precision", request.precision);
    request.deadline_s = params.value("deadline_s", request.deadline_s);
    request.afresh = params.value("afresh", false);
    if (!request.afresh) request.best_ratio = params.value("best_ratio", 0.0);
    auto plan = plan::plan_from_json(params.at("plan"));
    if (!plan) return plan.error();
    request.plan = std::move(plan).value();
    if (!(request.precision > 0) || !(request.deadline_s > 0)) return base::bad_input("precision and deadline_s are positive numbers.", "evaluate");
    return request;
  } catch (const json::exception& error) {
    return base::bad_input(std::string("Not an evaluate request: ") + error.what(), "evaluate");
  }
}

void append(std::vector<protocol::Span>& to, const std::vector<protocol::Span>& from) { to.insert(to.end(), from.begin(), from.end()); }

Evaluation rejected(Rejection rejection) {
  Evaluation evaluation;
  evaluation.verdict = rejection.verdict;
  evaluation.kind = std::move(rejection.kind);
  evaluation.evidence = std::move(rejection.evidence);
  return evaluation;
}

Evaluation not_evaluated(const std::string& kind, const std::string& summary) {
  Evaluation evaluation;
  evaluation.verdict = Verdict::not_evaluated;
  evaluation.kind = kind;
  evaluation.evidence.summary = summary;
  return evaluation;
}

protocol::Measurement measurement_of(const timer::Timing& timing, const std::vector<NamedSide>& names) {
  const timer::BaselineTiming& strongest = timing.against();
  protocol::Measurement measurement;
  measurement.baseline = names[timing.strongest].name;
  measurement.candidate_us = timing.candidate.us;
  measurement.baseline_us = strongest.us;
  measurement.candidate_median_us = timing.candidate.median_us;
  measurement.baseline_median_us = strongest.median_us;
  measurement.ratio = strongest.ratio;
  measurement.ratio_ci95 = strongest.ratio_ci95;
  measurement.rounds = timing.rounds;
  measurement.discarded = timing.discarded;
  for (std::size_t b = 0; b < timing.baselines.size(); ++b)
    if (b != timing.strongest) measurement.weaker.push_back({names[b].name, timing.baselines[b].median_us, timing.baselines[b].ratio, timing.baselines[b].ratio_ci95});
  return measurement;
}

}  // namespace

struct TaskEvaluator::Impl {
  Impl(aten::OpenModel& open, timer::ExecutorThread& torch_thread, EvaluatorOptions chosen)
      : model(open), options(std::move(chosen)), executor(torch_thread) {}

  base::Result<std::shared_ptr<PreparedTask>> find(const std::string& id) {
    std::lock_guard lock(tasks_mutex);
    const auto found = tasks.find(id);
    if (found == tasks.end()) return base::Error{base::ErrorCode::not_found, "The task '" + id + "' is not prepared.", "evaluate"};
    return found->second;
  }

  double floor_of(const PreparedTask& task) {
    std::lock_guard lock(tasks_mutex);
    const std::int64_t input = task.input_bytes(), output = task.output_bytes();
    return floor_us(compulsory_bytes(task.graph, input, output), input + output, ceilings);
  }

  base::Result<Evaluation> measure(const Request& request, const std::shared_ptr<PreparedTask>& task, const std::string& object, const base::CancelToken& cancel);
  base::Result<std::optional<Rejection>> time(const Request& request, const PreparedTask& task, Candidate& candidate, Verifier& verifier,
                                              Evaluation& evaluation, const base::CancelToken& cancel);

  aten::OpenModel& model;
  EvaluatorOptions options;
  build::BuildGate gate;
  std::unique_ptr<Target> target;
  std::shared_ptr<Gpu> gpu;              // null on the cpu
  timer::ExecutorThread& executor;
  std::mutex measuring;                  // one measurement at a time
  std::mutex tasks_mutex;
  std::map<std::string, std::shared_ptr<PreparedTask>> tasks;
  protocol::Ceilings ceilings;
  std::random_device entropy;            // what a candidate must not foresee
};

base::Result<std::optional<Rejection>> TaskEvaluator::Impl::time(const Request& request, const PreparedTask& task, Candidate& candidate,
                                                                 Verifier& verifier, Evaluation& evaluation, const base::CancelToken& cancel) {
  const std::uint64_t seed = (std::uint64_t{entropy()} << 32) | entropy();
  std::mt19937_64 chance(seed ^ 0xC0FFEE);
  const auto roll_seed = [seed](int round) { return seed + 0x9E3779B97F4A7C15ULL * static_cast<std::uint64_t>(round + 1000); };
  std::optional<Rejection> found;
  timer::Hooks hooks;
  hooks.write_inputs = [&](int round) {
    candidate.poison_workspace(round % 2 == 0 ? Poison::a : Poison::b);   // nothing of an earlier call is kept there
    task.write_rolled(roll_seed(round));
  };
  hooks.after_round = [&](int round) -> base::Status {
    if (std::uniform_real_distribution<>()(chance) >= options.timed_check_share) return base::done();
    const double start_s = base::now_s();
    auto checked = verifier.check_timed(roll_seed(round));
    evaluation.spans.push_back({"reference", start_s, base::now_s()});
    if (!checked) return checked.error();
    found = std::move(*checked);
    return found ? base::Status(base::Error{base::ErrorCode::cancelled, "A timed call was wrong.", ""}) : base::done();
  };
  timer::Options timing_options;
  timing_options.precision = request.precision;
  timing_options.max_s = options.timing_cap_s;
  timing_options.beaten_below = std::max(timing_options.beaten_below, beaten_share * request.best_ratio);
  timing_options.seed = seed;
  timing_options.runner = candidate.process();
  const build::BuildGate::Suspension quiet(gate);
  const auto held = target->hold_device(cancel);
  if (!held && held.error().code == base::ErrorCode::busy) {
    evaluation.verdict = Verdict::not_evaluated;
    evaluation.kind = "machine_busy";
    evaluation.evidence.summary = held.error().message;
    return std::optional<Rejection>();
  }
  if (!held) return held.error();
  std::vector<timer::Side*> baselines;
  for (const NamedSide& baseline : task.baselines) baselines.push_back(baseline.side.get());
  auto timing = timer::time_rounds(candidate.side(), baselines, hooks, timing_options, cancel);
  executor.run([&] { task.baseline->forget(); });
  if (found) return found;
  if (!timing) {
    if (candidate.side_rejection()) return candidate.side_rejection();
    return timing.error();
  }
  append(evaluation.spans, timing->spans);
  if (timing->busy) {
    evaluation.verdict = Verdict::not_evaluated;
    evaluation.kind = "machine_busy";
    evaluation.evidence.summary = std::to_string(timing->discarded) + " rounds were disturbed by other load and " + std::to_string(timing->rounds) +
                                  " were not; stop what else runs on this machine.";
    return std::optional<Rejection>();
  }
  protocol::Measurement measurement = measurement_of(*timing, task.baselines);
  measurement.clock = target->clock();
  measurement.threads = request.plan.threads;
  measurement.device = target->device();
  measurement.floor_us = floor_of(task);
  evaluation.measurement = measurement;
  if (timing->candidate.ci95_us.high < impossible_share * measurement.floor_us) {
    char text[160];
    std::snprintf(text, sizeof text, "At most %.2f µs were measured where moving the bytes alone takes %.2f µs.", timing->candidate.ci95_us.high,
                  measurement.floor_us);
    return std::optional(rejection(Verdict::impossible_speed, text));
  }
  return std::optional<Rejection>();
}

base::Result<Evaluation> TaskEvaluator::Impl::measure(const Request& request, const std::shared_ptr<PreparedTask>& task, const std::string& object,
                                                      const base::CancelToken& cancel) {
  Evaluation evaluation;
  std::vector<JudgedSet> fresh;
  if (request.afresh) {
    const double start_s = base::now_s();
    auto sets = fresh_sets(*task, executor, entropy(), cancel);
    if (!sets) return sets.error();
    fresh = std::move(sets).value();
    evaluation.spans.push_back({"reference", start_s, base::now_s()});
  }
  const double timeout_s = std::min(request.deadline_s, std::max(least_call_timeout_s, call_timeout_baselines * task->baseline_us * 1e-6));
  auto made = target->make_candidate(*task, request.plan, object, timeout_s);
  if (!made) return made.error();
  if (made->rejection) return rejected(std::move(*made->rejection));
  Candidate& candidate = *made->candidate;
  Verifier verifier(*task, candidate, request.afresh ? fresh : task->sets, entropy());

  const auto finish = [&](std::optional<Rejection> found) {
    if (target->lost() && (!found || (found->verdict != Verdict::crash && found->verdict != Verdict::timeout)))
      found = rejection(Verdict::crash, "The GPU was lost while the candidate's outputs were looked at.");
    if (found) {
      const auto spans = std::move(evaluation.spans);
      auto measured = std::move(evaluation.measurement);
      evaluation = rejected(std::move(*found));
      evaluation.spans = spans;
      evaluation.measurement = std::move(measured);
    }
    if (evaluation.evidence.errors.empty()) evaluation.evidence.errors = verifier.errors();
    append(evaluation.spans, verifier.spans());
    return evaluation;
  };
  auto verified = verifier.verify(cancel);
  if (!verified) return verified.error();
  if (*verified) return finish(std::move(*verified));
  auto timed = time(request, *task, candidate, verifier, evaluation, cancel);
  if (!timed) return timed.error();
  if (*timed) return finish(std::move(*timed));
  auto again = verifier.verify_again();   // also where the machine was too busy to time: wrong is wrong
  if (!again) return again.error();
  if (*again) return finish(std::move(*again));
  if (!evaluation.measurement) return finish(std::nullopt);
  evaluation.verdict = Verdict::accepted;
  evaluation.evidence.detail = candidate.resources();
  evaluation.evidence.summary = "Right on " + std::to_string(request.afresh ? fresh.size() : task->sets.size()) + " input sets, before and after timing.";
  if (request.afresh && target->on_cuda()) add_timeline(evaluation, *target, *task, candidate, cancel);
  return finish(std::nullopt);
}

TaskEvaluator::TaskEvaluator(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
TaskEvaluator::~TaskEvaluator() = default;

base::Result<std::unique_ptr<TaskEvaluator>> TaskEvaluator::create(aten::OpenModel& model, timer::ExecutorThread& executor, EvaluatorOptions options,
                                                                    std::shared_ptr<Gpu> gpu) {
  timer::keep_freed_memory();
  if (options.runner.empty()) options.runner = base::executable_dir() + "/kernelwright-runner";
  if (options.cache.empty()) {
    auto cache = base::cache_dir();
    if (!cache) return cache.error();
    options.cache = *cache + "/objects";
  }
  auto impl = std::make_unique<Impl>(model, executor, std::move(options));
  impl->gpu = gpu;
  auto target = gpu ? device_target(impl->options, executor, std::move(gpu)) : host_target(impl->options, executor, impl->gate);
  if (!target) return target.error();
  impl->target = std::move(target).value();
  return std::unique_ptr<TaskEvaluator>(new TaskEvaluator(std::move(impl)));
}

base::Result<json> TaskEvaluator::prepare(const json& params, const base::CancelToken& cancel) {
  if (!params.is_object() || !params.contains("task")) return base::bad_input("prepare needs a task.", "prepare");
  std::lock_guard turn(impl_->measuring);
  const build::BuildGate::Suspension quiet(impl_->gate);   // the baseline's first times are taken here
  auto task = prepare_task(params["task"], impl_->model, impl_->executor, impl_->options.seed,
                           [this](const InputFacts& facts, const InputSet& captured) { return impl_->target->make_inputs(facts, captured); }, cancel);
  if (!task) return task.error();
  impl_->executor.run([&] { (*task)->baselines = impl_->target->baselines(**task); });
  {
    std::lock_guard lock(impl_->tasks_mutex);
    impl_->tasks[(*task)->id] = *task;
  }
  json names = json::array();
  for (const JudgedSet& set : (*task)->sets) names.push_back(set.inputs.name);
  protocol::Evidence evidence;   // the one record that writes errors
  evidence.errors = (*task)->eager_errors();
  return json{{"baseline_us", (*task)->baseline_us}, {"floor_us", impl_->floor_of(**task)}, {"input_sets", names},
              {"eager_errors", json(evidence).at("errors")}, {"constant_truth", (*task)->constant_truth}};
}

base::Result<Evaluation> TaskEvaluator::evaluate(const json& params, const base::CancelToken& cancel) {
  auto request = request_from(params);
  if (!request) return request.error();
  if (request->plan.target != impl_->target->name())
    return base::Error{base::ErrorCode::unsupported, std::string("This worker evaluates ") + impl_->target->name() + " plans.", "evaluate"};
  auto task = impl_->find(request->task);
  if (!task) return task.error();
  auto built = impl_->target->build(request->plan, cancel);
  if (!built) {
    if (built.error().code == base::ErrorCode::cancelled) return not_evaluated("cancelled", "Cancelled while it was built.");
    return built.error();
  }
  if (built->object.empty()) {
    Evaluation evaluation = rejected({built->verdict, built->kind, built->evidence});
    evaluation.spans = built->spans;
    return evaluation;
  }
  std::lock_guard turn(impl_->measuring);
  if (cancel.cancelled()) return not_evaluated("cancelled", "Cancelled before it was measured.");
  auto evaluation = impl_->measure(*request, *task, built->object, cancel);
  if (!evaluation) {
    if (evaluation.error().code == base::ErrorCode::cancelled) return not_evaluated("cancelled", "Cancelled while it was measured.");
    return evaluation.error();
  }
  append(evaluation->spans, built->spans);
  return evaluation;
}

base::Result<protocol::EndToEnd> TaskEvaluator::end_to_end(const json& params, const base::CancelToken& cancel) {
  if (!params.is_object() || !params.contains("winners")) return base::bad_input("end_to_end needs winners.", "end_to_end");
  auto winners = load_winners(params["winners"], *impl_->target, impl_->executor, cancel);
  if (!winners) return winners.error();
  const int rounds = params.contains("rounds") && params["rounds"].is_number_integer() ? params["rounds"].get<int>() : 20;
  std::lock_guard turn(impl_->measuring);
  const build::BuildGate::Suspension quiet(impl_->gate);
  const auto held = impl_->target->hold_device(cancel);
  if (!held) return held.error();
  return run_end_to_end(impl_->model, impl_->gpu.get(), *winners, rounds, impl_->executor, cancel);
}

base::Status TaskEvaluator::install(const json& winners) {
  auto loaded = load_winners(winners, *impl_->target, impl_->executor, base::CancelToken());
  if (!loaded) return loaded.error();
  base::Status status = base::done();
  impl_->executor.run([&] { status = impl_->model.eager->substitute(substitutions(*loaded, {})); });
  return status;
}

void TaskEvaluator::set_ceilings(const protocol::Ceilings& ceilings) {
  std::lock_guard lock(impl_->tasks_mutex);
  impl_->ceilings = ceilings;
}

std::string TaskEvaluator::compiler_version() const { return impl_->target->compiler_version(); }
bool TaskEvaluator::lost() const { return impl_->target->lost(); }

}  // namespace kw::oracle
