#pragma once
// What the engine tells, as plain data; the fields are those of core/protocol/engine_api.md. What was not measured is absent.

#include <optional>
#include <vector>

#include <QString>
#include <QStringList>

#include <nlohmann/json.hpp>

namespace kw::ui {

using nlohmann::json;

struct Range { double low = 0, high = 0; };

struct Operator {
  QString name, signature, module_path, source, shapes, dtype;
  qint64 calls = 0;
  double time_us = 0, share = 0;
  QString bound;
  std::optional<double> roofline_share, bytes, flops;
  QString task, state;                          // task "": none was made of it
  std::optional<double> best_speedup;
  std::optional<Range> best_ci95;
  QString best_candidate, note;
};

struct Node {
  QString id, task, kind, verdict, outcome;
  std::optional<double> speedup, candidate_us, error_max;
  qint64 number = 0;
};

struct Step {                                   // one completed evaluation
  qint64 evaluation = 0;
  QString candidate, task, verdict;
  double at_s = 0;
  std::optional<double> speedup;
};

struct Failure {
  QString candidate, task, purpose, summary;
  qint64 evaluation = 0;
};

struct FailureGroup {
  QString verdict, meaning;
  std::vector<Failure> members;
};

struct Review {
  QString candidate, decision, comment, reviewer, date, hash;
  bool is_void = false;
};

struct Job {
  QString id, session, what, state, text;
  std::optional<double> fraction, eta_s;
};

struct LogLine {
  QString time, level, part, text;
};

struct RunState {
  QString state, reason;
  qint64 evaluations = 0, budget = 0;
  std::optional<double> measured_per_min, best_speedup;
};

// Absent, null and of another type are all the same: not there.
QString text(const json& object, const char* key);       // arrays: their elements, separated by commas
std::optional<double> number(const json& object, const char* key);
std::optional<Range> range(const json& object, const char* key);
const json& array(const json& object, const char* key);  // empty where there is none
const json& member(const json& object, const char* key); // an empty object where there is none

Operator operator_of(const json& record);
Node node_of(const json& record);
Step step_of(const json& record);
FailureGroup failure_group_of(const json& record);
Review review_of(const json& record);
Job job_of(const json& record);
LogLine log_line_of(const json& record);
RunState run_state_of(const json& record);

template <typename Record>
std::vector<Record> all_of(const json& records, Record (*read)(const json&)) {
  std::vector<Record> out;
  out.reserve(records.size());
  for (const json& record : records) out.push_back(read(record));
  return out;
}

}  // namespace kw::ui
