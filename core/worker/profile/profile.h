#pragma once
// Where a model's time goes: time per node, cards by signature against the measured ceilings, and a timeline of one run.
// Call on the thread that runs torch.

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/protocol/records.h"
#include "core/worker/aten/model.h"

namespace kw::profile {

// node_us: median over `runs` of the time round each node. model_us: median of runs without that clock.
// interpreter_us_per_node: a chain of operators on an empty tensor through the interpreter, less the same calls made directly.
base::Result<protocol::Profile> profile(aten::OpenModel& model, const protocol::Ceilings& ceilings, int runs, const base::CancelToken& cancel);

}  // namespace kw::profile
