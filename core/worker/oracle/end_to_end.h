#pragma once
// The whole model with its winners: right against its own float64 run, and faster in paired rounds with and without them.
// A winner without which the model is faster is left out and named. Executor thread for torch; the caller measures.

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/protocol/records.h"
#include "core/worker/aten/model.h"
#include "core/worker/oracle/winners.h"
#include "core/worker/timer/executor_thread.h"

namespace kw::oracle {

class Gpu;

// `gpu`: where the model runs, null on the cpu; there it is also timed with TF32 allowed and as one CUDA graph.
base::Result<protocol::EndToEnd> run_end_to_end(aten::OpenModel& model, Gpu* gpu, const std::vector<Winner>& winners, int rounds,
                                                timer::ExecutorThread& executor, const base::CancelToken& cancel);

}  // namespace kw::oracle
