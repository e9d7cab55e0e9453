#pragma once
// Where a model's time goes: time per node, cards by signature against the measured ceilings, and a timeline of one run.
// Call on the thread that runs torch.

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/protocol/records.h"
#include "core/worker/aten/model.h"

namespace kw::profile {

// node_us, medians over `runs`: on the cpu the host's time round each node; on a GPU the sum of the device's times of what the node
// launched, 0 for one that launches nothing (a view), or the host's, synchronised, where CUPTI cannot tell and `note` says why.
// model_us: median of runs without either.
// interpreter_us_per_node: a chain of operators on an empty tensor through the interpreter, less the same calls made directly.
base::Result<protocol::Profile> profile(aten::OpenModel& model, const protocol::Ceilings& ceilings, int runs, const base::CancelToken& cancel);

}  // namespace kw::profile
