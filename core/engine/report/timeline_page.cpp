#include <algorithm>

#include "core/engine/report/pages.h"
#include "core/engine/report/text.h"
#include "core/engine/report/timeline.h"

namespace kw::report {
namespace {

struct ProfiledRun {
  Timeline events;
  graph::Graph graph;
};

base::Result<ProfiledRun> profiled_run(const store::Session& session) {
  auto events = session.timeline("profile");
  auto json = session.graph();
  if (!events) return events.error();
  if (!json) return json.error();
  if (events->empty())
    return base::Error{base::ErrorCode::not_found, "this session holds no timeline yet. `kernelwright profile MODEL --session " + session.path() + "` makes one.", session.path()};
  auto graph = graph::graph_from_json(*json);
  if (!graph) return graph.error();
  return ProfiledRun{std::move(*events), std::move(*graph)};
}

// How much of the run the GPU works, kernels that overlap counted once.
std::string busy_line(const Timeline& events) {
  double first_us = events.front().start_us, end_us = first_us, busy_us = 0, covered_us = -1e300;
  Timeline sorted = events;
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.start_us < b.start_us; });
  for (const protocol::TimelineEvent& event : sorted) {
    const double event_end_us = event.start_us + event.duration_us;
    first_us = std::min(first_us, event.start_us);
    end_us = std::max(end_us, event_end_us);
    if (event.track != "kernels") continue;
    busy_us += std::max(0.0, event_end_us - std::max(event.start_us, covered_us));
    covered_us = std::max(covered_us, event_end_us);
  }
  if (busy_us == 0) return "";
  return "The GPU works " + duration(busy_us) + " of this run's " + duration(end_us - first_us) + ".\n";
}

}  // namespace

base::Result<std::string> timeline_page(const store::Session& session) {
  auto run = profiled_run(session);
  if (!run) return run.error();
  auto profile = session.profile();
  if (!profile) return profile.error();
  std::string out = operators_and_kernels(run->events, run->graph) + "\n" + busy_line(run->events);
  if (profile->has_value() && !(*profile)->note.empty()) out += "Note: " + (*profile)->note + "\n";
  return out;
}

base::Result<nlohmann::json> timeline_trace(const store::Session& session) {
  auto run = profiled_run(session);
  auto model = session.model();
  if (!run) return run.error();
  if (!model) return model.error();
  return chrome_trace(run->events, run->graph, model->path);
}

}  // namespace kw::report
