#pragma once
// The shorter walks: profile, run, and verify of one candidate. Each opens the model in a worker of its own.

#include "core/engine/conductor/open_model.h"
#include "core/engine/search/evaluator.h"
#include "core/engine/store/session.h"

namespace kw::conductor {

struct Profiled {
  protocol::Profile profile;
  protocol::Environment environment;
  graph::Graph graph;                  // whose nodes the profile counts
  std::string session;                 // path, "" when none was asked for
};
// With `session` the result is also written there (the file is made or continued).
base::Result<Profiled> profile_model(const ModelOptions& options, const std::string& session, const Watch& watch, const base::CancelToken& cancel);

struct Ran {
  std::vector<std::string> outputs;    // type of each
  int winners = 0;                     // in place while it ran
};
// Eager, or with the winners of `session`; `out` "" writes nothing.
base::Result<Ran> run_model(const ModelOptions& options, const std::string& session, const std::string& out, const Watch& watch,
                            const base::CancelToken& cancel);

// An evaluation that a person asks for.
struct Asked {
  std::string candidate;
  std::string purpose = "verify";      // or "edit"
  bool afresh = true;                  // new process, new inputs, new seed
};
// Evaluates it in a worker of its own and writes the evaluation into the session.
base::Result<store::EvaluationRecord> evaluate_candidate(const std::string& session, const Asked& asked, const ModelOptions& overrides,
                                                         const Watch& watch, const base::CancelToken& cancel);
// Writes what came of it, as a run of its own.
base::Result<store::EvaluationRecord> keep_asked(store::Session& session, const Asked& asked, const search::Completion& completion);

// A new candidate: the plan of `parent` with another source. bad_input where such a one is there already.
base::Result<store::CandidateRecord> add_edit(store::Session& session, const std::string& parent, const std::string& source);

}  // namespace kw::conductor
