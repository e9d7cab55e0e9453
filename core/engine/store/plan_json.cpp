#include "core/engine/store/plan_json.h"

namespace kw::store {

void set_plan(CandidateRecord& candidate, const plan::Plan& plan) {
  candidate.plan = plan::to_json(plan);
  candidate.plan.erase("source");
  candidate.source = plan.source;
}

base::Result<plan::Plan> plan_of(const CandidateRecord& candidate) {
  json whole = candidate.plan;
  whole["source"] = candidate.source;
  return plan::plan_from_json(whole);
}

}  // namespace kw::store
