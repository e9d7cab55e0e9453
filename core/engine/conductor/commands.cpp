#include "core/engine/conductor/commands.h"

#include "core/base/clock.h"
#include "core/engine/conductor/session_tasks.h"
#include "core/engine/conductor/worker_evaluator.h"
#include "core/engine/store/plan_json.h"
#include "core/engine/store/session_path.h"

namespace kw::conductor {
namespace {

constexpr int profile_runs = 10;

// The model of a session, opened as the session was made; what the user names goes before.
ModelOptions options_of(const store::ModelInfo& model, const ModelOptions& overrides) {
  ModelOptions out = overrides;
  if (out.path.empty()) out.path = model.path;
  out.target = model.target;
  out.threads = model.threads;
  out.seed = model.seed;
  if (out.python.empty()) out.python = model.python;
  if (out.inputs.empty() && out.input_set.empty()) out.inputs = model.inputs, out.input_set = model.input_set;
  return out;
}

base::Status same_model(const OpenModel& model, const store::ModelInfo& stored, const std::string& session) {
  const std::string what = store::difference(stored, model.info());
  if (what.empty()) return base::done();
  return base::bad_input("the session does not belong to this model: " + what + ".", session);
}

base::Result<search::Completion> evaluate_once(WorkerEvaluator& evaluator, search::Job job, const base::CancelToken& cancel) {
  evaluator.submit(std::move(job));
  for (bool told = false;;) {
    if (auto completion = evaluator.wait(0.2)) return *completion;
    if (cancel.cancelled() && !told) evaluator.cancel();
    told = cancel.cancelled();
  }
}

}  // namespace

base::Result<Profiled> profile_model(const ModelOptions& options, const std::string& session, const Watch& watch, const base::CancelToken& cancel) {
  auto model = OpenModel::open(options, watch, cancel);
  if (!model) return model.error();
  for (const std::string& note : (*model)->notes())
    if (watch.say) watch.say("note: " + note);
  Profiled out;
  out.environment = (*model)->worker().environment();
  out.graph = (*model)->graph();
  if (watch.progress) watch.progress(-1, "profiling");
  if (session.empty()) {
    auto profile = (*model)->profile(profile_runs, cancel);
    if (!profile) return profile.error();
    out.profile = std::move(*profile);
    return out;
  }
  auto chosen = store::choose_session((*model)->info(), session);
  if (!chosen) return chosen.error();
  if (watch.say) watch.say(chosen->message);
  out.session = chosen->session.path();
  if (auto status = chosen->session.set_environment(out.environment); !status) return status.error();
  if (auto status = chosen->session.set_graph((*model)->graph_json()); !status) return status.error();
  auto stored = chosen->session.profile();
  if (!stored) return stored.error();
  if (!stored->has_value())
    if (auto status = profile_into(chosen->session, **model, cancel); !status) return status.error();
  stored = chosen->session.profile();
  auto cards = chosen->session.cards();
  auto timeline = chosen->session.timeline("profile");
  if (!stored) return stored.error();
  if (!cards) return cards.error();
  if (!timeline) return timeline.error();
  out.profile = **stored;
  out.profile.cards = std::move(*cards);
  out.profile.timeline = std::move(*timeline);
  if (auto status = chosen->session.close(); !status) return status.error();
  return out;
}

base::Result<Ran> run_model(const ModelOptions& options, const std::string& session, const std::string& out, const Watch& watch,
                            const base::CancelToken& cancel) {
  nlohmann::json winners = nlohmann::json::array();
  ModelOptions opening = options;
  std::optional<store::ModelInfo> stored;
  if (!session.empty()) {
    auto reading = store::Session::open(session, store::Session::Access::read);
    if (!reading) return reading.error();
    auto info = reading->model();
    auto found = winners_json(*reading);
    if (!info) return info.error();
    if (!found) return found.error();
    stored = *info;
    winners = std::move(*found);
    opening = options_of(*info, options);
  }
  auto model = OpenModel::open(opening, watch, cancel);
  if (!model) return model.error();
  if (stored)
    if (auto status = same_model(**model, *stored, session); !status) return status.error();
  if (watch.progress) watch.progress(-1, "running");
  auto answer = (*model)->worker().call("run", {{"out", out}, {"winners", winners}}, &cancel);
  if (!answer) return answer.error();
  Ran ran;
  ran.winners = static_cast<int>(winners.size());
  ran.outputs = answer->value("outputs", std::vector<std::string>{});
  return ran;
}

base::Result<store::EvaluationRecord> evaluate_candidate(const std::string& session, const Asked& asked, const ModelOptions& overrides,
                                                         const Watch& watch, const base::CancelToken& cancel) {
  auto opened = store::Session::open(session, store::Session::Access::write);
  if (!opened) return opened.error();
  auto record = opened->candidate(asked.candidate);
  if (!record) return record.error();
  auto task = opened->task(record->task);
  auto info = opened->model();
  auto plan = store::plan_of(*record);
  if (!task) return task.error();
  if (!info) return info.error();
  if (!plan) return plan.error();
  auto model = OpenModel::open(options_of(*info, overrides), watch, cancel);
  if (!model) return model.error();
  if (auto status = same_model(**model, *info, session); !status) return status.error();
  if (watch.progress) watch.progress(-1, "evaluating " + asked.candidate + (asked.afresh ? " afresh" : ""));
  WorkerEvaluator evaluator((*model)->worker(), {*task}, {}, [&] { return (*model)->reopen(); }, [](const std::string&, const PreparedFacts&) {});
  auto completion = evaluate_once(evaluator, {1, record->task, asked.candidate, std::move(*plan), asked.afresh}, cancel);
  if (!completion) return completion.error();
  auto kept = keep_asked(*opened, asked, *completion);
  if (!kept) return kept.error();
  if (auto status = opened->close(); !status) return status.error();
  return kept;
}

}  // namespace kw::conductor
