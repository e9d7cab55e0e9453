#pragma once
// A session boiled down to what tables and JSON show: for each task its counts, its best candidate and how that was
// measured; for the model the last end-to-end result and the last run. Read once, a plain value.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/store/session.h"

namespace kw::report {

struct TaskSummary {
  store::TaskRecord task;
  int evaluations = 0;                            // verdicts of the search; not_evaluated does not count
  int measured = 0;                               // of them, with a complete paired measurement
  std::map<std::string, int> verdicts;            // by verdict text, not_evaluated:* included
  int generated_accepted = 0;                     // accepted candidates with at least one generated step
  std::string best;                               // the confirmed winner, else the best accepted candidate, else ""
  std::optional<protocol::Measurement> measurement;   // of `best`: the fresh one where there is one
  bool confirmed = false;                         // measured again, afresh, and still faster
  bool used = false;                              // in place in the whole model
  protocol::Outcome outcome = protocol::Outcome::undecided;
};

struct Summary {
  std::string session;
  store::ModelInfo model;
  protocol::Environment environment;
  std::optional<protocol::Profile> profile;
  std::vector<TaskSummary> tasks;
  std::optional<protocol::EndToEnd> end_to_end;
  std::optional<store::RunRecord> run;            // the last one of `optimize`
};

base::Result<Summary> summarize(const store::Session& session);

}  // namespace kw::report
