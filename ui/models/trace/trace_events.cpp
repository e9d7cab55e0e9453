#include "ui/models/trace/trace_events.h"

#include <algorithm>
#include <array>

namespace kw::ui {
namespace {

constexpr std::size_t deepest_open = 10'000;   // B without E, a thread

bool is_launched(const QString& category) {
  static const std::array launched = {QStringLiteral("kernel"), QStringLiteral("gpu_memcpy"), QStringLiteral("gpu_memset"), QStringLiteral("Kernel"), QStringLiteral("Memcpy")};
  return std::ranges::find(launched, category) != launched.end();
}

}  // namespace

TraceEvents::Thread& TraceEvents::thread_of(const TraceEvent& event) {
  const auto [entry, added] = threads_.try_emplace({event.process, event.thread});
  if (added) entry->second = {builder_.track(event.thread, event.process), event.process, event.thread, {}};
  return entry->second;
}

void TraceEvents::take(const TraceEvent& event) {
  if (event.phase == "M") return take_metadata(event);
  if (!event.start_us) return;
  if (event.phase == "X") return add(thread_of(event), event);
  if (event.phase == "s" || event.phase == "f") {
    const FlowEnd end{thread_of(event).track, *event.start_us};
    const QString key = event.category + QChar(0) + event.name + QChar(0) + event.id;
    if (event.phase == "s") flow_starts_[key] = end;
    else if (const auto start = flow_starts_.find(key); start != flow_starts_.end()) flows_.emplace_back(start->second, end);
    return;
  }
  if (event.phase != "B" && event.phase != "E") return;
  Thread& thread = thread_of(event);
  if (event.phase == "B") {
    if (thread.open.size() < deepest_open) thread.open.push_back(event);
    return;
  }
  if (thread.open.empty()) return;
  TraceEvent whole = std::move(thread.open.back());
  thread.open.pop_back();
  whole.duration_us = *event.start_us - *whole.start_us;
  add(thread, whole);
}

void TraceEvents::add(Thread& thread, const TraceEvent& event) {
  TimelineEvent out;
  out.start_us = *event.start_us;
  out.duration_us = event.duration_us.value_or(0);
  out.name = builder_.name(event.name.isEmpty() ? QStringLiteral("(no name)") : event.name);
  if (event.node && *event.node >= 0 && *event.node < 1 << 30) out.node = static_cast<std::int32_t>(*event.node);
  if (!event.details.isEmpty()) out.detail = builder_.detail(event.details.join('\n'));
  const std::int64_t number = builder_.add(thread.track, out);
  seen_.push_back({thread.track, out.start_us, number});
  if (event.external_id) {
    if (is_launched(event.category)) launched_.emplace_back(*event.external_id, number);
    else if (event.category == "cpu_op" || event.category == "Operator") operators_.emplace(*event.external_id, number);
  }
  ++taken_;
}

void TraceEvents::take_metadata(const TraceEvent& event) {
  if (event.name == "process_name") processes_[event.process].name = event.shown_name;
  else if (event.name == "process_labels") processes_[event.process].labels = event.labels;
  else if (event.name == "process_sort_index") processes_[event.process].rank = event.rank.value_or(0);
  else if (event.name == "thread_name") thread_names_[{event.process, event.thread}].first = event.shown_name;
  else if (event.name == "thread_sort_index") thread_names_[{event.process, event.thread}].second = event.rank.value_or(0);
}

void TraceEvents::join_by_external_id() {
  for (const auto& [id, number] : launched_)
    if (const auto from = operators_.find(id); from != operators_.end()) builder_.add_arrow(from->second, number);
}

// A flow ends at the event of its thread that begins there.
void TraceEvents::join_by_flows() {
  if (!launched_.empty() || flows_.empty()) return;   // Kineto's flows go from the runtime call, its ids from the operator
  std::map<std::pair<int, double>, std::int64_t> ends;
  for (const auto& [from, to] : flows_) ends[{from.track, from.us}] = ends[{to.track, to.us}] = -1;
  for (const Seen& seen : seen_)
    if (const auto end = ends.find({seen.track, seen.start_us}); end != ends.end() && end->second < 0) end->second = seen.number;
  for (const auto& [from, to] : flows_) {
    const std::int64_t a = ends[{from.track, from.us}], b = ends[{to.track, to.us}];
    if (a >= 0 && b >= 0) builder_.add_arrow(a, b);
  }
}

void TraceEvents::name_tracks() {
  for (const auto& [key, thread] : threads_) {
    const Process& process = processes_[thread.process];
    const auto& [name, thread_rank] = thread_names_[key];
    const QString group = process.labels.isEmpty() ? process.name.isEmpty() ? thread.process : process.name + ' ' + thread.process : process.labels;
    builder_.set_track(thread.track, name.isEmpty() ? thread.thread : name, group, process.rank * 1e9 + thread_rank);
  }
}

TimelineData TraceEvents::finish() {
  join_by_external_id();
  join_by_flows();
  name_tracks();
  return builder_.finish(true);
}

}  // namespace kw::ui
