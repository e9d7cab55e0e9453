#pragma once
// Plans in and out of candidate records. The source is kept apart from the rest of the plan, once per hash.

#include "core/base/result.h"
#include "core/engine/store/records.h"
#include "core/plan/plan.h"

namespace kw::store {

void set_plan(CandidateRecord& candidate, const plan::Plan& plan);
base::Result<plan::Plan> plan_of(const CandidateRecord& candidate);

}  // namespace kw::store
