#include "core/engine/search/finals.h"

#include <algorithm>
#include <map>

#include "core/engine/store/plan_json.h"

namespace kw::search {
namespace {

bool confirmed(const protocol::Evaluation& evaluation) {
  return evaluation.verdict == protocol::Verdict::accepted && evaluation.measurement &&
         protocol::outcome(*evaluation.measurement) == protocol::Outcome::faster;
}

}  // namespace

std::vector<Finalist> finalists(const std::vector<store::CandidateRecord>& candidates,
                                const std::vector<store::EvaluationRecord>& evaluations, int count) {
  std::map<std::string, double> ratios;
  for (const auto& record : evaluations) {
    const auto& measured = record.evaluation.measurement;
    if ((record.purpose != "search" && record.purpose != "edit") || record.evaluation.verdict != protocol::Verdict::accepted || !measured) continue;
    if (measured->ratio_ci95.high > 1) ratios[record.candidate] = measured->ratio;
  }
  std::vector<Finalist> out;
  for (const auto& candidate : candidates)
    if (const auto found = ratios.find(candidate.id); found != ratios.end()) out.push_back({candidate, found->second});
  std::stable_sort(out.begin(), out.end(), [](const Finalist& a, const Finalist& b) { return a.ratio > b.ratio; });
  if (static_cast<int>(out.size()) > count) out.resize(count);
  return out;
}

base::Result<std::vector<Winner>> confirm(const std::vector<Finalist>& finalists, Evaluator& evaluator, Journal& journal,
                                          const base::CancelToken& cancel, const std::function<void(int done, int all)>& watch) {
  std::map<std::int64_t, const Finalist*> flights;
  std::map<std::string, Winner> winners;
  std::size_t next = 0;
  int done = 0;
  bool told = false;
  while (next < finalists.size() || !flights.empty()) {
    if (cancel.cancelled() && !told) {
      next = finalists.size();
      evaluator.cancel();
      told = true;
    }
    for (; next < finalists.size() && static_cast<int>(flights.size()) < evaluator.capacity(); ++next) {
      const Finalist& finalist = finalists[next];
      auto plan = store::plan_of(finalist.candidate);
      if (!plan) return plan.error();
      const auto id = -static_cast<std::int64_t>(next) - 1;   // search counts upwards from 1
      flights[id] = &finalist;
      evaluator.submit({id, finalist.candidate.task, finalist.candidate.id, std::move(*plan), true});
    }
    if (flights.empty()) break;
    auto completion = evaluator.wait(0.2);
    if (!completion || !flights.count(completion->id)) continue;
    const Finalist& finalist = *flights[completion->id];
    flights.erase(completion->id);
    if (watch) watch(++done, static_cast<int>(finalists.size()));
    if (completion->evaluation.kind == "cancelled") continue;
    store::EvaluationRecord record;
    record.candidate = finalist.candidate.id;
    record.purpose = "final";
    record.evaluation = completion->evaluation;
    record.wall_s = completion->wall_s;
    auto evaluation = journal.evaluated(record);
    if (!evaluation) return evaluation.error();
    if (!confirmed(completion->evaluation)) continue;
    const auto& measured = *completion->evaluation.measurement;
    Winner& winner = winners[finalist.candidate.task];
    if (winner.candidate.empty() || measured.ratio_ci95.low > winner.measurement.ratio_ci95.low)
      winner = {finalist.candidate.task, finalist.candidate.id, *evaluation, measured};
  }
  std::vector<Winner> out;
  for (auto& [task, winner] : winners) out.push_back(std::move(winner));
  return out;
}

}  // namespace kw::search
