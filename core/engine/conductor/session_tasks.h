#pragma once
// What optimize, profile, run and verify move between a session, a model and the search. Search thread.

#include "core/engine/conductor/open_model.h"
#include "core/engine/search/search.h"
#include "core/engine/store/session.h"

namespace kw::conductor {

// What the generator may use on the machine of a session.
kernel::Limits limits_of(const protocol::Environment& environment);

// Profiles the model and writes profile, cards, timeline and ranked tasks.
base::Status profile_into(store::Session& session, OpenModel& model, const base::CancelToken& cancel);

// Adds each task with what the session knows of it.
base::Status add_tasks(search::Search& search, const store::Session& session, const std::vector<store::TaskRecord>& tasks,
                       const protocol::Environment& environment);

// Search evaluations since the last run that came to its own end.
base::Result<int> evaluations_of_interrupted_runs(const store::Session& session);

// The used winners in the form of worker_api.md: [{task, plan, instances}].
base::Result<nlohmann::json> winners_json(const store::Session& session);

// Adds an evaluation; the timeline that one of a finalist has is kept under "candidate:ID".
base::Result<std::int64_t> keep_evaluation(store::Session& session, const store::EvaluationRecord& evaluation);

// Writes the result of the whole model and marks the winners it left out.
base::Status keep_end_to_end(store::Session& session, std::int64_t run, const nlohmann::json& answer);

}  // namespace kw::conductor
