#include "core/engine/conductor/session_tasks.h"

#include <algorithm>

#include "core/engine/conductor/model_tasks.h"
#include "core/engine/store/plan_json.h"
#include "core/kernel/definition/definition.h"

namespace kw::conductor {
namespace {

constexpr int profile_runs = 10;

// A task that cannot be generated has no root; search closes it with this reason.
class NoSpace final : public search::Space {
 public:
  explicit NoSpace(base::Error error) : error_(std::move(error)) {}
  kernel::Recipe root() const override { return {}; }
  std::vector<kernel::Mutation> mutations(const kernel::Recipe&) const override { return {}; }
  base::Result<search::Built> build(const kernel::Recipe&) const override { return error_; }

 private:
  base::Error error_;
};

base::Result<std::shared_ptr<const search::Space>> space_of(const store::TaskRecord& task, const kernel::Limits& limits) {
  auto graph = graph::graph_from_json(task.graph);
  if (!graph) return graph.error();
  auto program = kernel::define(*graph);
  if (!program) return std::shared_ptr<const search::Space>(std::make_shared<NoSpace>(program.error()));
  return std::shared_ptr<const search::Space>(std::make_shared<search::KernelSpace>(std::move(*program), limits));
}

}  // namespace

kernel::Limits limits_of(const protocol::Environment& environment) {
  kernel::Limits limits;
  if (environment.target == "cuda") {
    limits.target = "cuda";
    if (environment.multiprocessors > 0) limits.threads = environment.multiprocessors;
    if (environment.shared_bytes > 0) limits.shared_bytes = environment.shared_bytes;
    return limits;
  }
  if (environment.threads > 0) limits.threads = environment.threads;
  if (environment.vector_bytes > 0) limits.vector_bytes = environment.vector_bytes;
  if (environment.l1_bytes > 0) limits.l1_bytes = environment.l1_bytes;
  if (environment.l2_bytes > 0) limits.l2_bytes = environment.l2_bytes;
  return limits;
}

base::Status profile_into(store::Session& session, OpenModel& model, const base::CancelToken& cancel) {
  auto profile = model.profile(profile_runs, cancel);
  if (!profile) return profile.error();
  const auto tasks = graph::find_tasks(model.graph(), kernel::classify);
  if (auto status = session.set_cards(profile->cards); !status) return status;
  if (auto status = session.set_timeline("profile", profile->timeline); !status) return status;
  if (auto status = session.set_tasks(rank_tasks(model.graph(), tasks, *profile)); !status) return status;
  return session.set_profile(*profile);   // last: its presence says that the others are complete
}

base::Status add_tasks(search::Search& search, const store::Session& session, const std::vector<store::TaskRecord>& tasks,
                       const protocol::Environment& environment) {
  auto edges = session.edges();
  auto evaluations = session.evaluations("");
  if (!edges) return edges.error();
  if (!evaluations) return evaluations.error();
  const kernel::Limits limits = limits_of(environment);
  for (const auto& task : tasks) {
    auto space = space_of(task, limits);
    if (!space) return space.error();
    auto candidates = session.candidates(task.id);
    if (!candidates) return candidates.error();
    search::History history{std::move(*candidates), *edges, *evaluations};
    search::TaskInput input{task.id, task.share, task.baseline_us.value_or(task.time_us), task.floor_us.value_or(0), std::move(*space)};
    if (auto status = search.add(input, history); !status) return status;
  }
  return base::done();
}

base::Result<int> evaluations_of_interrupted_runs(const store::Session& session) {
  auto runs = session.runs();
  auto evaluations = session.evaluations("");
  if (!runs) return runs.error();
  if (!evaluations) return evaluations.error();
  std::int64_t last_finished = 0;
  for (const auto& run : *runs)
    if (!run.ended.empty() && run.reason != "cancelled" && run.reason != "error" && run.reason != "verify" && run.reason != "edit") last_finished = run.id;
  return static_cast<int>(std::count_if(evaluations->begin(), evaluations->end(), [&](const auto& e) {
    return e.run > last_finished && e.purpose == "search" && e.evaluation.verdict != protocol::Verdict::not_evaluated;
  }));
}

base::Result<nlohmann::json> winners_json(const store::Session& session) {
  auto finals = session.finals();
  if (!finals) return finals.error();
  nlohmann::json out = nlohmann::json::array();
  for (const auto& final : *finals) {
    if (!final.used) continue;
    auto candidate = session.candidate(final.candidate);
    auto task = session.task(final.task);
    if (!candidate) return candidate.error();
    if (!task) return task.error();
    auto plan = store::plan_of(*candidate);
    if (!plan) return plan.error();
    out.push_back({{"task", final.task}, {"plan", plan::to_json(*plan)}, {"instances", task->instances}});
  }
  return out;
}

base::Result<std::int64_t> keep_evaluation(store::Session& session, const store::EvaluationRecord& evaluation) {
  const auto& timeline = evaluation.evaluation.timeline;
  if (!timeline.empty())
    if (auto status = session.set_timeline("candidate:" + evaluation.candidate, timeline); !status) return status.error();
  return session.add_evaluation(evaluation);
}

base::Status keep_end_to_end(store::Session& session, std::int64_t run, const nlohmann::json& answer) {
  protocol::EndToEnd result;
  try {
    result = answer.get<protocol::EndToEnd>();
  } catch (const nlohmann::json::exception& e) {
    return base::Error{base::ErrorCode::lost, std::string("the worker's answer to `end_to_end` makes no sense: ") + e.what(), ""};
  }
  // Without a single good round (other load on the machine) nothing was learned about any winner.
  if (result.rounds == 0) result.left_out.clear();
  auto finals = session.finals();
  if (!finals) return finals.error();
  for (auto& final : *finals) {
    if (std::find(result.left_out.begin(), result.left_out.end(), final.task) == result.left_out.end()) continue;
    final.used = false;
    if (auto status = session.set_final(final); !status) return status;
  }
  return session.add_end_to_end(run, result);
}

}  // namespace kw::conductor
