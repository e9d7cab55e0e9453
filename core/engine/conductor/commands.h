#pragma once
// The shorter walks: profile, run, and verify of one candidate. Each opens the model in a worker of its own.

#include "core/engine/conductor/open_model.h"
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

// Evaluates one candidate of a session again, afresh, and writes the evaluation into the session.
base::Result<store::EvaluationRecord> verify_candidate(const std::string& session, const std::string& candidate, const ModelOptions& overrides,
                                                       const Watch& watch, const base::CancelToken& cancel);

}  // namespace kw::conductor
