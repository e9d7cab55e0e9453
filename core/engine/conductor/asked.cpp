// Evaluations that a person asks for, and candidates that a person writes.
#include <algorithm>

#include "core/engine/conductor/commands.h"
#include "core/engine/conductor/session_tasks.h"
#include "core/engine/store/plan_json.h"

namespace kw::conductor {

base::Result<store::EvaluationRecord> keep_asked(store::Session& session, const Asked& asked, const search::Completion& completion) {
  if (completion.evaluation.kind == "cancelled") return base::Error{base::ErrorCode::cancelled, "stopped before a verdict.", asked.candidate};
  auto run = session.begin_run({{asked.purpose, asked.candidate}});
  if (!run) return run.error();
  store::EvaluationRecord out;
  out.run = *run;
  out.candidate = asked.candidate;
  out.purpose = asked.purpose;
  out.evaluation = completion.evaluation;
  out.wall_s = completion.wall_s;
  auto id = keep_evaluation(session, out);
  if (!id) return id.error();
  out.id = *id;
  store::RunRecord end;
  end.id = *run;
  end.reason = asked.purpose;
  if (auto status = session.end_run(end); !status) return status.error();
  return out;
}

base::Result<store::CandidateRecord> add_edit(store::Session& session, const std::string& parent, const std::string& source) {
  auto from = session.candidate(parent);
  if (!from) return from.error();
  auto plan = store::plan_of(*from);
  auto rows = session.rows();
  if (!plan) return plan.error();
  if (!rows) return rows.error();
  auto all = session.candidate_rows(0, rows->candidates);
  if (!all) return all.error();
  if (plan->source == source) return base::bad_input("the source is that of " + parent + ", unchanged.", parent);
  plan->source = source;
  plan->generator.clear();
  for (auto& step : plan->steps) step.generated = false;
  store::CandidateRecord edit;
  // Not "c…": those names belong to the search, which may be running.
  edit.id = "e" + std::to_string(1 + std::count_if(all->begin(), all->end(), [](const auto& row) { return row.kind == "edited"; }));
  edit.task = from->task;
  edit.kind = "edited";
  edit.structural_hash = "edited:" + plan::hash(*plan);
  edit.traffic_bytes = from->traffic_bytes;
  store::set_plan(edit, *plan);
  auto same = session.candidate_with(edit.task, edit.structural_hash);
  if (!same) return same.error();
  if (!same->empty()) return base::bad_input("this source is there already: it is " + *same + ".", *same);
  if (auto status = session.add_candidate(edit, {{parent, edit.id, "source", "", "", "edit", "Edited by hand."}}); !status) return status.error();
  return edit;
}

}  // namespace kw::conductor
