// candidate/verify, candidate/edit: evaluations that a person asks for. Where a search runs in the session, its worker does them between
// two of its own; else a worker is started.
#include <future>

#include "core/engine/conductor/commands.h"
#include "core/engine/server/desk.h"
#include "core/engine/server/evaluation_json.h"
#include "core/engine/server/methods.h"
#include "core/engine/server/names.h"
#include "core/engine/server/reviews.h"
#include "core/engine/store/plan_json.h"

namespace kw::server {
namespace {

using conductor::Asked;

// Neither a .py nor a candidate of somebody else's runs before the user agreed.
base::Status agreed(const Desk& desk, const store::Session& session, const std::string& candidate) {
  auto model = session.model();
  auto origin = session.origin();
  auto hash = candidate_hash(session, candidate);
  if (!model) return model.error();
  if (!origin) return origin.error();
  if (!hash) return hash.error();
  if (auto status = desk.trust.model(model->path); !status) return status;
  if (!foreign(*origin) || desk.trust.trusted(*hash)) return base::done();
  return base::bad_input("the candidate comes from somebody else's session (" + origin->user + " on " + origin->host + "). Agree to run it first (trust/grant of its hash).",
                         "trust candidate");
}

base::Result<search::Completion> on_the_run(Run& run, const std::string& session, const Asked& asked) {
  auto opened = store::Session::open(session, store::Session::Access::read);
  if (!opened) return opened.error();
  auto record = opened->candidate(asked.candidate);
  if (!record) return record.error();
  auto plan = store::plan_of(*record);
  if (!plan) return plan.error();
  auto answer = std::make_shared<std::promise<base::Result<search::Completion>>>();
  auto completion = answer->get_future();
  search::Errand errand{{0, record->task, record->id, std::move(*plan), asked.afresh}, [answer = std::move(answer)](auto done) { answer->set_value(std::move(done)); }};
  if (!run.steering.send(std::move(errand))) return base::Error{base::ErrorCode::busy, "the search has just ended. Ask again when the run is done.", asked.candidate};
  return completion.get();   // an errand that is dropped breaks its promise
}

base::Result<json> evaluate(Desk& desk, const std::string& session, const Asked& asked, Job& job) {
  if (auto run = desk.runs.find(session)) {
    job.progress(-1, "waiting for the search to evaluate " + asked.candidate);
    auto completion = on_the_run(**run, session, asked);
    if (!completion) return completion.error();
    auto opened = writable(session);
    if (!opened) return opened.error();
    auto kept = conductor::keep_asked(*opened, asked, *completion);
    if (!kept) return kept.error();
    return evaluation_json(*kept);
  }
  conductor::ModelOptions model;
  model.worker = desk.options.worker;
  conductor::Watch watch;
  watch.progress = [&](double fraction, const std::string& what) { job.progress(fraction, what); };
  auto kept = conductor::evaluate_candidate(session, asked, model, watch, job.cancel);
  if (!kept) return kept.error();
  return evaluation_json(*kept);
}

}  // namespace

Answer candidate_verify(Desk& desk, const json& params) {
  const std::string id = params.at("id"), session = params.at("session");
  auto opened = session_of(params);
  if (!opened) return opened.error();
  if (auto status = agreed(desk, *opened, id); !status) return status.error();
  auto job = desk.jobs.start("verify " + id, [&desk, session, id](Job& own) -> base::Result<json> {
    own.session(session);
    auto evaluation = evaluate(desk, session, {id}, own);
    if (!evaluation) return evaluation.error();
    return json{{"evaluation", std::move(*evaluation)}};
  });
  return json{{"job", job->id}};
}

Answer candidate_edit(Desk& desk, const json& params) {
  const std::string parent = params.at("parent"), source = params.at("source"), session = params.at("session");
  auto opened = session_of(params);
  if (!opened) return opened.error();
  if (auto status = agreed(desk, *opened, parent); !status) return status.error();
  auto writing = writable(session);
  if (!writing) return writing.error();
  auto edit = conductor::add_edit(*writing, parent, source);
  if (!edit) return edit.error();
  if (auto status = writing->close(); !status) return status.error();
  auto job = desk.jobs.start("evaluate " + edit->id, [&desk, session, id = edit->id](Job& own) -> base::Result<json> {
    own.session(session);
    auto evaluation = evaluate(desk, session, {id, "edit", false}, own);
    if (!evaluation) return evaluation.error();
    return json{{"candidate", id}, {"evaluation", std::move(*evaluation)}};
  });
  return json{{"job", job->id}, {"candidate", edit->id}};
}

}  // namespace kw::server
