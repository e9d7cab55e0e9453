#pragma once
// How long each node of a model takes. On the cpu the host's clock round each node tells. On a GPU the device's own times of what the node
// launched do, as CUPTI records them; where CUPTI cannot, the host's clock with a synchronisation after each node, and `note` says why.
// Call on the thread that runs torch.

#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/protocol/records.h"
#include "core/worker/aten/model.h"
#include "core/worker/cuda/activities.h"

namespace kw::profile {

struct NodeTimes {
  std::vector<double> node_us;                     // median over runs; 0 where a node launches nothing
  // Of the last run, from its beginning. Track "operators": the host's side; without CUPTI until the node's work is done, with it until
  // the launches are queued. Track "kernels": kernels, copies and fills on the GPU, node -1 where CUPTI knows none.
  std::vector<protocol::TimelineEvent> timeline;
  std::string note;
};

// After a run that warmed up.
base::Result<NodeTimes> node_times(aten::OpenModel& model, int runs, const base::CancelToken& cancel);

// What it is made of, without torch and GPU.

struct HostRun {                                   // one run as the host saw it; µs of any one clock
  struct Visit { int node = 0; double start_us = 0, end_us = 0; };
  double begin_us = 0, end_us = 0;
  std::vector<Visit> visits;
};
NodeTimes by_host(const graph::Graph& graph, const std::vector<HostRun>& runs);
// `work` has tags of `tag` and the clock of the runs.
NodeTimes by_device(const graph::Graph& graph, const std::vector<HostRun>& runs, const std::vector<cuda::DeviceWork>& work);
int tag(const graph::Graph& graph, std::size_t run, int node);

}  // namespace kw::profile
