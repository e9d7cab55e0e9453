#include "core/engine/report/json_report.h"

#include <algorithm>
#include <cmath>

namespace kw::report {
namespace {

using nlohmann::json;

json number(double value) { return std::isfinite(value) ? json(value) : json(); }
json interval(const protocol::Interval& i) { return {number(i.low), number(i.high)}; }
json optional_number(const std::optional<double>& value) { return value ? number(*value) : json(); }

json task_json(const TaskSummary& t) {
  const auto* m = t.measurement ? &*t.measurement : nullptr;
  const bool floored = m != nullptr && m->floor_us > 0;
  return {{"id", t.task.id},
          {"operators", t.task.operators},
          {"module_path", t.task.module_path},
          {"source", t.task.source},
          {"calls", t.task.calls},
          {"share", t.task.share},
          {"baseline", m != nullptr ? m->baseline : "eager"},
          {"baseline_us", m != nullptr ? number(m->baseline_median_us) : optional_number(t.task.baseline_us)},
          {"best_us", m != nullptr ? number(m->candidate_median_us) : json()},
          {"speedup", m != nullptr ? number(m->ratio) : json()},
          {"speedup_ci95", m != nullptr ? interval(m->ratio_ci95) : json()},
          {"outcome", protocol::name(t.outcome)},
          {"confirmed", t.confirmed},
          {"used", t.used},
          {"floor_us", floored ? number(m->floor_us) : optional_number(t.task.floor_us)},
          {"evaluations", t.evaluations},
          {"verdicts", t.verdicts},
          {"generated_accepted", t.generated_accepted},
          {"best_candidate", t.best.empty() ? json() : json(t.best)},
          {"note", t.task.note}};
}

// What a plain call is not: as a CUDA graph, with TF32.
json ways_json(const protocol::EndToEnd* whole) {
  json ways = json::array();
  if (whole == nullptr) return ways;
  for (const auto& way : whole->ways)
    ways.push_back({{"way", way.name}, {"before_us", number(way.before_us)}, {"after_us", number(way.after_us)}, {"speedup", number(way.speedup)},
                    {"speedup_ci95", interval(way.speedup_ci95)}});
  return ways;
}

}  // namespace

json optimize_json(const Summary& s) {
  json tasks = json::array();
  int session_evaluations = 0;
  for (const auto& t : s.tasks) {
    tasks.push_back(task_json(t));
    session_evaluations += t.evaluations;
  }
  const auto* run = s.run ? &*s.run : nullptr;
  const auto* e = s.end_to_end ? &*s.end_to_end : nullptr;
  const auto* whole = e != nullptr && e->rounds > 0 ? e : nullptr;   // with no good round only the errors are known
  const bool timed = run != nullptr && run->wall_s > 0;
  return {{"schema", optimize_schema},
          {"model", s.model.path},
          {"session", s.session},
          {"target", s.model.target},
          {"device", s.environment.device.empty() ? s.environment.cpu : s.environment.device},
          {"threads", s.model.threads},
          {"seed", s.model.seed},
          {"stopped_by", run != nullptr ? json(run->reason) : json()},
          {"evaluations", run != nullptr ? run->evaluations : 0},
          {"evaluations_measured", run != nullptr ? run->measured : 0},
          {"session_evaluations", session_evaluations},
          {"wall_s", timed ? number(run->wall_s) : json()},
          {"measured_per_min", timed ? number(60 * run->measured / run->wall_s) : json()},
          {"engine_overhead_share", run != nullptr ? optional_number(run->overhead_share) : json()},
          {"model_before_us", whole != nullptr ? number(whole->before_us) : json()},
          {"model_after_us", whole != nullptr ? number(whole->after_us) : json()},
          {"model_speedup", whole != nullptr ? number(whole->speedup) : json()},
          {"model_speedup_ci95", whole != nullptr ? interval(whole->speedup_ci95) : json()},
          {"model_ways", ways_json(e)},
          {"model_error", e != nullptr ? number(e->error_max) : json()},
          {"model_error_eager", e != nullptr ? number(e->error_eager_max) : json()},
          {"model_within_tolerance", e != nullptr ? json(e->within_tolerance) : json()},
          {"model_left_out", e != nullptr ? json(e->left_out) : json::array()},
          {"tasks", tasks}};
}

json profile_json(const std::string& model, const protocol::Profile& profile, const protocol::Environment& environment) {
  json cards = json::array();
  for (const auto& c : profile.cards)
    cards.push_back({{"operator", c.op},
                     {"signature", c.signature},
                     {"module_path", c.module_path},
                     {"source", c.source},
                     {"calls", c.calls},
                     {"time_us", number(c.time_us)},
                     {"share", number(c.share)},
                     {"bytes", c.bytes},
                     {"flops", c.flops},
                     {"bound", c.bound},
                     {"roofline_share", c.roofline_share > 0 ? number(c.roofline_share) : json()}});
  std::stable_sort(cards.begin(), cards.end(), [](const json& a, const json& b) { return a["share"] > b["share"]; });
  return {{"schema", profile_schema},
          {"model", model},
          {"target", environment.target},
          {"device", environment.device.empty() ? environment.cpu : environment.device},
          {"threads", environment.threads},
          {"runs", profile.runs},
          {"model_us", number(profile.model_us)},
          {"interpreter_us_per_node", number(profile.interpreter_us_per_node)},
          {"note", profile.note},
          {"ceilings", profile.ceilings},
          {"cards", cards}};
}

}  // namespace kw::report
