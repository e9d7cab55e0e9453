#include "core/worker/oracle/traced.h"

#include <iterator>

#include "core/worker/cuda/kernel_trace.h"

namespace kw::oracle {
namespace {

using Timeline = std::vector<protocol::TimelineEvent>;
constexpr const char* hold_kernel = "kw_hold";   // Gpu's own, before each timed call

struct TracedCall { const char* track; timer::Side& side; };

base::Status call(cuda::KernelTrace& trace, const TracedCall& traced, int tag, timer::ExecutorThread& executor) {
  if (auto ready = traced.side.get_ready(); !ready) return ready;
  executor.run([&] { trace.enter(tag); });
  const auto us = traced.side.call_us();
  executor.run([&] { trace.leave(); });
  return us ? base::done() : base::Status(us.error());
}

Timeline events_of(const std::vector<cuda::DeviceWork>& work, const TracedCall& traced, int tag) {
  Timeline events;
  double begin_us = 0;
  for (const cuda::DeviceWork& w : work) {
    if (w.tag != tag || w.name == hold_kernel) continue;
    if (events.empty()) begin_us = w.start_us;
    events.push_back({w.name, traced.track, w.start_us - begin_us, w.duration_us, -1, w.grid, w.block, w.registers, w.shared_bytes});
  }
  return events;
}

base::Result<Timeline> traced_calls(Target& target, const PreparedTask& task, Candidate& candidate, const base::CancelToken& cancel) {
  const auto held = target.hold_device(cancel);
  if (!held) return held.error();
  std::optional<base::Result<cuda::KernelTrace>> begun;
  task.executor->run([&] { begun.emplace(cuda::KernelTrace::begin({})); });
  if (!*begun) return begun->error();
  cuda::KernelTrace& trace = begun->value();
  const TracedCall calls[] = {{"candidate", candidate.side()}, {"eager", *task.baselines.front().side}};
  for (std::size_t i = 0; i < std::size(calls); ++i)
    if (auto called = call(trace, calls[i], static_cast<int>(i), *task.executor); !called) return called.error();
  base::Result<std::vector<cuda::DeviceWork>> work = base::Error{};
  task.executor->run([&] {
    task.baseline->forget();
    work = trace.end();
  });
  if (!work) return work.error();
  Timeline events;
  for (std::size_t i = 0; i < std::size(calls); ++i)
    for (protocol::TimelineEvent& event : events_of(*work, calls[i], static_cast<int>(i))) events.push_back(std::move(event));
  return events;
}

}  // namespace

void add_timeline(protocol::Evaluation& evaluation, Target& target, const PreparedTask& task, Candidate& candidate, const base::CancelToken& cancel) {
  auto events = traced_calls(target, task, candidate, cancel);
  if (events) evaluation.timeline = std::move(events).value();
  else evaluation.evidence.detail += "The times of its kernels are not known: " + events.error().message + "\n";
}

}  // namespace kw::oracle
