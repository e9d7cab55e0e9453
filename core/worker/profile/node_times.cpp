#include "core/worker/profile/node_times.h"

#include <algorithm>
#include <optional>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/worker/cuda/kernel_trace.h"
#include "core/worker/device/torch_cuda.h"

#include <ATen/ATen.h>

namespace kw::profile {
namespace {

using graph::Graph;
using protocol::TimelineEvent;

base::Error cancelled() { return {base::ErrorCode::cancelled, "profiling was cancelled", ""}; }

double host_us() { return 1e6 * base::now_s(); }

base::Result<HostRun> synchronised_run(aten::OpenModel& model) {
  HostRun run;
  run.begin_us = host_us();
  const auto before = [&](int node) { run.visits.push_back({node, host_us(), 0}); };
  const auto after = [&](int) {
    if (model.on_cuda) device::synchronize();
    run.visits.back().end_us = host_us();
  };
  if (auto ran = model.eager->run_observed(model.inputs, before, after); !ran) return ran.error();
  run.end_us = host_us();
  return run;
}

base::Result<HostRun> traced_run(aten::OpenModel& model, cuda::KernelTrace& trace, std::size_t number) {
  HostRun run;
  run.begin_us = trace.now_us();
  const auto before = [&](int node) {
    run.visits.push_back({node, trace.now_us(), 0});
    trace.enter(tag(model.graph, number, node));
  };
  const auto after = [&](int) {
    trace.leave();
    run.visits.back().end_us = trace.now_us();
  };
  if (auto ran = model.eager->run_observed(model.inputs, before, after); !ran) return ran.error();
  device::synchronize();
  run.end_us = trace.now_us();
  return run;
}

template <typename RunOnce>
base::Result<std::vector<HostRun>> repeated(int runs, const base::CancelToken& cancel, RunOnce run_once) {
  std::vector<HostRun> all;
  for (int r = 0; r < runs; ++r) {
    if (cancel.cancelled()) return cancelled();
    base::Result<HostRun> run = run_once(all.size());
    if (!run) return run.error();
    all.push_back(std::move(run).value());
  }
  return all;
}

// Each node's time in each run, and the medians of those.
class Samples {
 public:
  Samples(std::size_t nodes, std::size_t runs) : us_(nodes, std::vector<double>(runs)) {}
  void add(int node, std::size_t run, double us) { us_[static_cast<std::size_t>(node)][run] += us; }
  std::vector<double> medians() const {
    std::vector<double> out;
    for (const std::vector<double>& node : us_) out.push_back(node.empty() ? 0 : base::median(node));
    return out;
  }

 private:
  std::vector<std::vector<double>> us_;
};

std::vector<TimelineEvent> operators_of(const Graph& graph, const HostRun& run) {
  std::vector<TimelineEvent> events;
  for (const HostRun::Visit& visit : run.visits)
    events.push_back({graph.nodes[static_cast<std::size_t>(visit.node)].op, "operators", visit.start_us - run.begin_us, visit.end_us - visit.start_us, visit.node});
  return events;
}

TimelineEvent event_of(const cuda::DeviceWork& work, int node, double begin_us) {
  TimelineEvent event{work.name, "kernels", work.start_us - begin_us, work.duration_us, node};
  event.grid = work.grid;
  event.block = work.block;
  event.registers = work.registers;
  event.shared_bytes = work.shared_bytes;
  return event;
}

base::Result<NodeTimes> timed_by_host(aten::OpenModel& model, int runs, const base::CancelToken& cancel) {
  auto seen = repeated(runs, cancel, [&](std::size_t) { return synchronised_run(model); });
  if (!seen) return seen.error();
  return by_host(model.graph, *seen);
}

bool any_tagged(const std::vector<cuda::DeviceWork>& work) {
  return std::any_of(work.begin(), work.end(), [](const cuda::DeviceWork& w) { return w.tag >= 0; });
}

// Times by the device, or in `why` the reason for which there are none.
base::Result<std::optional<NodeTimes>> timed_by_device(aten::OpenModel& model, int runs, const base::CancelToken& cancel, std::string& why) {
  auto trace = cuda::KernelTrace::begin({});
  if (!trace) {
    why = trace.error().message;
    return std::optional<NodeTimes>();
  }
  auto seen = repeated(runs, cancel, [&](std::size_t number) { return traced_run(model, *trace, number); });
  if (!seen) return seen.error();
  auto work = trace->end();
  if (work && any_tagged(*work)) return std::optional(by_device(model.graph, *seen, *work));
  why = work ? "CUPTI recorded nothing that an operator launched." : work.error().message;
  return std::optional<NodeTimes>();
}

}  // namespace

int tag(const Graph& graph, std::size_t run, int node) { return static_cast<int>(run * graph.nodes.size()) + node; }

NodeTimes by_host(const Graph& graph, const std::vector<HostRun>& runs) {
  Samples samples(graph.nodes.size(), runs.size());
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (const HostRun::Visit& visit : runs[r].visits) samples.add(visit.node, r, visit.end_us - visit.start_us);
  NodeTimes times;
  times.node_us = samples.medians();
  if (!runs.empty()) times.timeline = operators_of(graph, runs.back());
  return times;
}

NodeTimes by_device(const Graph& graph, const std::vector<HostRun>& runs, const std::vector<cuda::DeviceWork>& work) {
  const int nodes = static_cast<int>(graph.nodes.size());
  const HostRun& last = runs.back();
  Samples samples(graph.nodes.size(), runs.size());
  NodeTimes times;
  times.timeline = operators_of(graph, last);
  for (const cuda::DeviceWork& w : work) {
    const bool known = w.tag >= 0;
    const std::size_t run = known ? static_cast<std::size_t>(w.tag / nodes) : 0;
    const int node = known ? w.tag % nodes : -1;
    if (known) samples.add(node, run, w.duration_us);
    const bool in_last = known ? run + 1 == runs.size() : w.start_us >= last.begin_us && w.start_us < last.end_us;
    if (in_last) times.timeline.push_back(event_of(w, node, last.begin_us));
  }
  times.node_us = samples.medians();
  return times;
}

base::Result<NodeTimes> node_times(aten::OpenModel& model, int runs, const base::CancelToken& cancel) {
  if (!model.on_cuda) return timed_by_host(model, runs, cancel);
  std::string why;
  auto by_gpu = timed_by_device(model, runs, cancel, why);
  if (!by_gpu) return by_gpu.error();
  if (*by_gpu) return std::move(**by_gpu);
  auto times = timed_by_host(model, runs, cancel);
  if (times) times->note = "The times of operators are the host's, synchronised after each: " + why;
  return times;
}

}  // namespace kw::profile
