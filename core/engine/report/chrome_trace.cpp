#include <algorithm>
#include <map>

#include "core/engine/report/timeline.h"

namespace kw::report {
namespace {

using nlohmann::json;
using protocol::TimelineEvent;

// What a click on an event shows.
json arguments(const TimelineEvent& event, const graph::Graph& graph) {
  json out = json::object();
  if (event.node >= 0) out["node"] = event.node;
  if (event.node >= 0 && event.node < static_cast<int>(graph.nodes.size())) {
    const graph::Node& node = graph.nodes[static_cast<std::size_t>(event.node)];
    out["operator"] = node.op;
    if (!node.module_path.empty()) out["module"] = node.module_path;
    if (const std::string source = source_of(graph, event.node); !source.empty()) out["source"] = source;
  }
  if (event.grid[0] > 0) out["grid"] = event.grid;
  if (event.block[0] > 0) out["block"] = event.block;
  if (event.registers > 0) out["registers"] = event.registers;
  if (event.shared_bytes > 0) out["shared_bytes"] = event.shared_bytes;
  return out;
}

class ChromeTrace {
 public:
  explicit ChromeTrace(const std::string& process) { list_.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"args", {{"name", process}}}}); }

  void add(const TimelineEvent& event, const graph::Graph& graph) {
    json entry = {{"name", event.name}, {"ph", "X"}, {"pid", 1}, {"tid", thread(event.track)}, {"ts", event.start_us}, {"dur", event.duration_us}};
    if (json args = arguments(event, graph); !args.empty()) entry["args"] = std::move(args);
    list_.push_back(std::move(entry));
  }

  void add_arrow(const TimelineEvent& from, const TimelineEvent& to) {
    ++arrows_;
    const auto end = [&](const char* phase, const TimelineEvent& event) {
      return json{{"name", "launches"}, {"cat", "launches"}, {"ph", phase}, {"id", arrows_}, {"pid", 1}, {"tid", thread(event.track)}, {"ts", event.start_us}};
    };
    json head = end("f", to);
    head["bp"] = "e";   // bound to the event that encloses it, not to the next one
    list_.push_back(end("s", from));
    list_.push_back(std::move(head));
  }

  json finished() { return {{"traceEvents", std::move(list_)}, {"displayTimeUnit", "ms"}}; }

 private:
  std::size_t thread(const std::string& track) {
    const auto found = std::find(tracks_.begin(), tracks_.end(), track);
    if (found != tracks_.end()) return static_cast<std::size_t>(found - tracks_.begin()) + 1;
    tracks_.push_back(track);
    list_.push_back({{"name", "thread_name"}, {"ph", "M"}, {"pid", 1}, {"tid", tracks_.size()}, {"args", {{"name", track}}}});
    return tracks_.size();
  }

  json list_ = json::array();
  std::vector<std::string> tracks_;
  int arrows_ = 0;
};

}  // namespace

json chrome_trace(const Timeline& events, const graph::Graph& graph, const std::string& process) {
  ChromeTrace trace(process);
  std::map<int, const TimelineEvent*> operators;   // by node
  for (const TimelineEvent& event : events) {
    trace.add(event, graph);
    if (event.track == "operators") operators.emplace(event.node, &event);
  }
  for (const TimelineEvent& event : events)
    if (const auto from = operators.find(event.node); event.track != "operators" && from != operators.end()) trace.add_arrow(*from->second, event);
  return trace.finished();
}

}  // namespace kw::report
