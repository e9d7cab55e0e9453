#pragma once
// What a session file holds, as plain values. Shared by the store (which writes and reads them), search (which makes
// them) and report (which shows them). Times are UTC, ISO 8601; durations and medians carry their unit in the name.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/protocol/records.h"

namespace kw::store {

using nlohmann::json;

// What a session was made for. Two runs may share a session iff sha256, target, threads, inputs, graph_hash and generator agree.
struct ModelInfo {
  std::string path;                    // as the user gave it, made absolute
  std::string sha256;                  // of the file at `path`
  std::string kind;                    // "pt2" or "py"
  std::string graph_hash;              // of the functionalised graph's JSON
  std::string generator;               // version of the built-in generator: recipes of another one cannot be grown further
  std::string target = "cpu";
  std::string python;                  // the interpreter that exported a .py, "" where none was needed
  std::string inputs;                  // --inputs FILE, "" for the model's own
  std::string input_set;               // --input-set NAME, "" for the model's own
  int threads = 1;
  std::int64_t seed = 0;
};

struct TaskRecord {
  std::string id;                      // "t00-softmax"
  int position = 0;                    // by share, from 0
  std::string signature;
  std::vector<std::string> operators;
  std::string module_path, source;     // of the first instance; source: "file:line"
  int calls = 1;
  double share = 0;                    // of the sum over the model's nodes, all calls
  double time_us = 0;                  // from the profile, one call
  std::int64_t bytes = 0, flops = 0;   // one call
  std::optional<double> baseline_us, floor_us;   // from the worker's `prepare`; absent until then
  std::string note;                    // why it cannot be searched, "" when it can
  json graph;
  json instances;                      // [{nodes, inputs, outputs}]
};

struct CandidateRecord {
  std::string id;                      // "c17": order of creation in the session
  std::string task;
  std::string kind = "generated";      // or "edited"
  std::string recipe;                  // text form, "" for edited
  std::string structural_hash;
  json plan;                           // without `source`
  std::string source;                  // stored once per hash
  std::int64_t traffic_bytes = 0;
};

struct EdgeRecord {
  std::string parent, child;
  std::string key, from, to;           // the decision that changed
  std::string kind, description;       // the mutation's row and its sentence; kind "edit": a source changed by hand
  std::optional<double> prior = std::nullopt;   // its weight in the search
};

struct EvaluationRecord {
  std::int64_t id = 0;                 // given by the store
  std::int64_t run = 0;
  std::string candidate;
  std::string purpose = "search";      // or "final" (winner measured afresh), "verify" (asked for by a person), "edit"
  int attempt = 1;
  std::vector<std::string> path;       // candidates walked from the root, the evaluated one last
  protocol::Evaluation evaluation;
  double wall_s = 0;                   // from issue to completion
  double completed_s = 0;              // Unix time; 0: when it is written
};

// The same without JSON, for whoever reads all of them at once. Rows count up from 1.
struct CandidateRow {
  std::int64_t row = 0;
  std::string id, task, kind;
};
struct EdgeRow {
  std::int64_t row = 0;
  EdgeRecord edge;
};
struct EvaluationRow {
  std::int64_t row = 0, run = 0;
  std::string candidate, purpose;
  std::vector<std::string> path;
  std::string verdict, kind;           // "cheat", "input_alias"
  std::optional<double> ratio;         // absent: nothing was measured
  protocol::Interval ratio_ci95;
  std::optional<double> candidate_us, error_max;   // error_max: the largest of its outputs
  std::optional<double> completed_s;   // Unix time
};

// The highest row of each kind: what has to be read again since they were asked for last.
struct Rows {
  std::int64_t candidates = 0, edges = 0, evaluations = 0, marks = 0;
  std::int64_t runs = 0;               // grows when a run begins and when it ends
  bool operator==(const Rows&) const = default;
};

// What a person or the end of a run said of a candidate: "pin", "unpin", "ban", "unban", "winner", "no winner". The latest holds.
struct MarkRecord {
  std::int64_t row = 0;
  std::string candidate, mark;
};

struct ReviewRecord {
  std::string candidate;
  std::string decision;                // "approved", "rejected", "comment"
  std::string comment, reviewer, date;
  std::string hash;                    // of the candidate's plan when it was signed
};

// Where and by whom a session was made; empty where the file does not say.
struct Origin { std::string host, user, created; };

// The winner of a task: measured again, afresh.
struct FinalRecord {
  std::string task, candidate;
  std::int64_t evaluation = 0;
  bool used = true;                    // false: it does not help the whole model and was left out
};

struct RunRecord {
  std::int64_t id = 0;
  std::string started, ended;          // ended "": killed, or still running
  std::string reason;                  // "evaluations", "minutes", "cancelled", …
  json options;
  int evaluations = 0, measured = 0;
  double wall_s = 0;
  std::optional<double> overhead_share;
};

}  // namespace kw::store
