#include "core/engine/report/timeline.h"

#include <algorithm>
#include <map>

#include "core/engine/report/text.h"

namespace kw::report {
namespace {

using protocol::TimelineEvent;
constexpr auto right = Table::Align::right;
constexpr std::size_t name_width = 64;

bool launched(const TimelineEvent& event) { return event.track != "operators"; }

// {128, 1, 1}: "128"
std::string extent(const std::array<int, 3>& size) {
  if (size[0] == 0) return "";
  std::string text = std::to_string(size[0]);
  if (size[1] > 1 || size[2] > 1) text += "×" + std::to_string(size[1]);
  if (size[2] > 1) text += "×" + std::to_string(size[2]);
  return text;
}

std::string count(std::int64_t value) { return value > 0 ? std::to_string(value) : ""; }

// Operators in the order of their beginning with their kernels; last the kernels that no operator is known for.
class OperatorRows {
 public:
  OperatorRows(const Timeline& events, const graph::Graph& graph) : graph_(graph) {
    for (const TimelineEvent& event : events)
      if (launched(event)) kernels_[event.node].push_back(&event);
    table_.column("node", right);
    table_.column(kernels_.empty() ? "operator" : "operator and its kernels");
    table_.column("begin", right);
    table_.column("host", right);
    if (!kernels_.empty()) {
      table_.column("device", right);
      table_.column("grid", right);
      table_.column("block", right);
      table_.column("registers", right);
    }
    table_.column("source");
    for (const TimelineEvent& event : events)
      if (!launched(event)) add_operator(event);
    if (kernels_.count(-1) > 0) {
      row({"", "(no operator is known)", "", "", duration(sum(-1)), "", "", "", ""});
      add_kernels(-1);
    }
  }
  std::string text() const { return table_.text(); }

 private:
  double sum(int node) const {
    double us = 0;
    if (const auto found = kernels_.find(node); found != kernels_.end())
      for (const TimelineEvent* kernel : found->second) us += kernel->duration_us;
    return us;
  }
  void row(std::vector<std::string> cells) {
    if (kernels_.empty()) cells.erase(cells.begin() + 4, cells.begin() + 8);
    table_.row(std::move(cells));
  }
  void add_operator(const TimelineEvent& event) {
    const double device_us = sum(event.node);
    row({std::to_string(event.node), short_op(event.name), duration(event.start_us), duration(event.duration_us), device_us > 0 ? duration(device_us) : "", "",
         "", "", without_folders(source_of(graph_, event.node))});
    add_kernels(event.node);
  }
  void add_kernels(int node) {
    const auto found = kernels_.find(node);
    if (found == kernels_.end()) return;
    for (const TimelineEvent* kernel : found->second)
      row({"", "  " + shortened(kernel->name, name_width), duration(kernel->start_us), "", duration(kernel->duration_us), extent(kernel->grid),
           extent(kernel->block), count(kernel->registers), ""});
  }

  const graph::Graph& graph_;
  std::map<int, std::vector<const TimelineEvent*>> kernels_;
  Table table_;
};

}  // namespace

std::string source_of(const graph::Graph& graph, int node) {
  if (node < 0 || node >= static_cast<int>(graph.nodes.size())) return "";
  const graph::SourceLine& line = graph.nodes[static_cast<std::size_t>(node)].source;
  return line.file.empty() ? "" : line.file + ":" + std::to_string(line.line);
}

std::string operators_and_kernels(const Timeline& events, const graph::Graph& graph) { return OperatorRows(events, graph).text(); }

std::string kernels_by_track(const Timeline& events) {
  std::vector<std::string> tracks;
  for (const TimelineEvent& event : events)
    if (std::find(tracks.begin(), tracks.end(), event.track) == tracks.end()) tracks.push_back(event.track);
  std::string out;
  for (const std::string& track : tracks) {
    Table table;
    for (const char* title : {"time", "grid", "block", "registers", "shared"}) table.column(title, right);
    table.column("kernel");
    double sum_us = 0;
    for (const TimelineEvent& event : events) {
      if (event.track != track) continue;
      sum_us += event.duration_us;
      table.row({duration(event.duration_us), extent(event.grid), extent(event.block), count(event.registers),
                 event.shared_bytes > 0 ? bytes(event.shared_bytes) : "", shortened(event.name, name_width)});
    }
    out += (out.empty() ? "" : "\n") + track + ", " + duration(sum_us) + " in all:\n" + table.text();
  }
  return out;
}

}  // namespace kw::report
