#pragma once
// What a Chrome trace means: complete events (X), begun and ended ones (B, E), flows (s, f), names of processes and threads (M). Operators are
// joined to the kernels they launched by Kineto's "External id", or by flows.

#include <map>
#include <optional>
#include <unordered_map>

#include "ui/widgets/timeline/timeline_data.h"

namespace kw::ui {

// One element of traceEvents, as text; of arguments those that people ask for.
struct TraceEvent {
  QString name, phase, category, process, thread, id;
  std::optional<double> start_us, duration_us;
  QString shown_name, labels;                 // of metadata
  std::optional<double> rank;                 // of metadata: sort_index
  std::optional<qint64> external_id, node;
  QStringList details;                        // "Grid: 128 × 1 × 1"
};

class TraceEvents {
 public:
  void take(const TraceEvent& event);
  std::int64_t taken() const { return taken_; }
  TimelineData finish();

 private:
  struct Thread { int track = 0; QString process, thread; std::vector<TraceEvent> open; };
  struct Process { QString name, labels; double rank = 0; };
  struct Seen { int track = 0; double start_us = 0; std::int64_t number = 0; };
  struct FlowEnd { int track = 0; double us = 0; };

  Thread& thread_of(const TraceEvent& event);
  void add(Thread& thread, const TraceEvent& event);
  void take_metadata(const TraceEvent& event);
  void join_by_external_id();
  void join_by_flows();
  void name_tracks();

  TimelineBuilder builder_;
  std::map<std::pair<QString, QString>, Thread> threads_;
  std::map<QString, Process> processes_;
  std::map<std::pair<QString, QString>, std::pair<QString, double>> thread_names_;   // and ranks
  std::unordered_map<qint64, std::int64_t> operators_;                               // by external id
  std::vector<std::pair<qint64, std::int64_t>> launched_;
  std::map<QString, FlowEnd> flow_starts_;
  std::vector<std::pair<FlowEnd, FlowEnd>> flows_;
  std::vector<Seen> seen_;
  std::int64_t taken_ = 0;
};

}  // namespace kw::ui
