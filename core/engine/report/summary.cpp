#include "core/engine/report/summary.h"

#include <algorithm>

namespace kw::report {
namespace {

using Evaluations = std::map<std::string, std::vector<store::EvaluationRecord>>;   // by candidate

bool accepted(const store::EvaluationRecord& record) {
  return record.evaluation.verdict == protocol::Verdict::accepted && record.evaluation.measurement.has_value();
}

bool has_generated_step(const store::CandidateRecord& candidate) {
  const auto steps = candidate.plan.find("steps");
  return steps != candidate.plan.end() && std::any_of(steps->begin(), steps->end(), [](const auto& step) { return step.value("generated", false); });
}

void count(TaskSummary& out, const store::CandidateRecord& candidate, const std::vector<store::EvaluationRecord>& records) {
  bool right = false;
  for (const auto& record : records) {
    if (record.purpose != "search") continue;
    ++out.verdicts[record.evaluation.verdict_text()];
    if (record.evaluation.verdict == protocol::Verdict::not_evaluated) continue;
    ++out.evaluations;
    out.measured += record.evaluation.measurement.has_value();
    right = right || accepted(record);
  }
  if (right && has_generated_step(candidate)) ++out.generated_accepted;
}

// The latest fresh measurement if there is one, else the latest of the search.
std::optional<protocol::Measurement> measurement_of(const std::vector<store::EvaluationRecord>& records) {
  std::optional<protocol::Measurement> out;
  bool fresh = false;
  for (const auto& record : records) {
    if (!accepted(record) || (fresh && record.purpose == "search")) continue;
    out = record.evaluation.measurement;
    fresh = record.purpose != "search";
  }
  return out;
}

void choose_best(TaskSummary& out, const std::vector<store::CandidateRecord>& candidates, const Evaluations& evaluations) {
  for (const auto& candidate : candidates) {
    const auto found = evaluations.find(candidate.id);
    if (candidate.task != out.task.id || found == evaluations.end()) continue;
    auto measured = measurement_of(found->second);
    if (!measured || (out.measurement && measured->ratio <= out.measurement->ratio)) continue;
    out.measurement = std::move(measured);
    out.best = candidate.id;
  }
}

void choose_final(TaskSummary& out, const std::vector<store::FinalRecord>& finals, const Evaluations& evaluations) {
  for (const auto& final : finals) {
    const auto found = evaluations.find(final.candidate);
    if (final.task != out.task.id || found == evaluations.end()) continue;
    for (const auto& record : found->second)
      if (record.id == final.evaluation) out.measurement = record.evaluation.measurement;
    out.best = final.candidate;
    out.confirmed = true;
    out.used = final.used;
  }
}

}  // namespace

base::Result<Summary> summarize(const store::Session& session) {
  Summary out;
  out.session = session.path();
  auto model = session.model();
  auto environment = session.environment();
  auto profile = session.profile();
  auto tasks = session.tasks();
  auto candidates = session.candidates("");
  auto all = session.evaluations("");
  auto finals = session.finals();
  auto whole = session.end_to_end();
  auto runs = session.runs();
  if (!model) return model.error();
  if (!environment) return environment.error();
  if (!profile) return profile.error();
  if (!tasks) return tasks.error();
  if (!candidates) return candidates.error();
  if (!all) return all.error();
  if (!finals) return finals.error();
  if (!whole) return whole.error();
  if (!runs) return runs.error();
  out.model = *model;
  out.environment = *environment;
  out.profile = *profile;
  out.end_to_end = *whole;
  for (const auto& run : *runs)
    if (!run.options.contains("verify") && !run.options.contains("edit")) out.run = run;
  Evaluations evaluations;
  for (auto& record : *all) evaluations[record.candidate].push_back(std::move(record));
  for (auto& task : *tasks) {
    TaskSummary t;
    t.task = std::move(task);
    for (const auto& candidate : *candidates)
      if (candidate.task == t.task.id) count(t, candidate, evaluations[candidate.id]);
    choose_best(t, *candidates, evaluations);
    choose_final(t, *finals, evaluations);
    if (t.measurement) t.outcome = protocol::outcome(*t.measurement);
    out.tasks.push_back(std::move(t));
  }
  return out;
}

}  // namespace kw::report
