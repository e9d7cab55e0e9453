#pragma once
// The kernels of one call of a candidate and of one of eager, side by side, as CUPTI times them on the GPU.

#include "core/worker/oracle/target.h"

namespace kw::oracle {

// Calls both once on the task's live inputs, with the device held, and puts what ran into evaluation.timeline: tracks "candidate" and
// "eager", each from the beginning of its first kernel. Where CUPTI cannot, the evidence's detail says why. Measuring thread.
void add_timeline(protocol::Evaluation& evaluation, Target& target, const PreparedTask& task, Candidate& candidate, const base::CancelToken& cancel);

}  // namespace kw::oracle
