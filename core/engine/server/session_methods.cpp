// session/*: what a client asks of a session as a whole.
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "core/engine/report/evidence.h"
#include "core/engine/report/json_report.h"
#include "core/engine/report/summary.h"
#include "core/engine/server/desk.h"
#include "core/engine/server/methods.h"
#include "core/engine/server/names.h"
#include "core/engine/server/operators.h"
#include "core/engine/server/row_text.h"
#include "core/engine/server/tree_delta.h"
#include "core/engine/store/writer_lock.h"

namespace kw::server {
namespace {

namespace fs = std::filesystem;

bool running(const std::string& path) { return store::WriterLock::held(path); }

json model_json(const store::ModelInfo& m) {
  return {{"path", m.path},     {"sha256", m.sha256}, {"kind", m.kind},     {"target", m.target},
          {"threads", m.threads}, {"python", m.python}, {"inputs", m.inputs}, {"input_set", m.input_set}};
}

void add_step(std::string& out, const TreeReplay& tree, const ReplayStep& step) {
  const ReplayNode& node = tree.nodes()[step.node];
  RowText row(out);
  row.number("evaluation", step.evaluation);
  row.text("candidate", node.id);
  row.text("task", node.task);
  row.text("purpose", step.purpose);
  row.text("verdict", step.verdict);
  row.number("speedup", step.speedup);
  row.number("at_s", step.at_s);
}

std::string title_of(const std::string& name) {
  constexpr std::string_view prefix = "candidate:";
  if (name == "profile") return "One run of the model";
  return name.starts_with(prefix) ? "One call of " + name.substr(prefix.size()) + ", and of eager" : name;
}

}  // namespace

Answer session_open(Desk& desk, const json& params) {
  auto view = desk.sessions.open(params.at("path").get<std::string>());
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  auto model = session->model();
  auto environment = session->environment();
  auto origin = session->origin();
  auto tasks = session->tasks();
  if (!model) return model.error();
  if (!environment) return environment.error();
  if (!origin) return origin.error();
  if (!tasks) return tasks.error();
  const TreeReplay& tree = (*view)->tree();
  (*view)->told = tree.rows();
  const std::string& path = (*view)->path();
  return json{{"session", path},
              {"name", fs::path(path).filename().string()},
              {"read_only", access(path.c_str(), W_OK) != 0},
              {"running", running(path)},
              {"model", model_json(*model)},
              {"environment", *environment},
              {"counts", {{"tasks", tasks->size()}, {"candidates", tree.nodes().size()}, {"evaluations", tree.steps().size()}, {"failures", tree.failures()}}},
              {"foreign", foreign(*origin)},
              {"version", version_json(tree.rows())},
              {"created", origin->created}};
}

Answer session_close(Desk& desk, const json& params) {
  desk.sessions.close(params.at("session").get<std::string>());
  return json::object();
}

Answer session_summary(Desk&, const json& params) {
  auto session = session_of(params);
  if (!session) return session.error();
  auto summary = report::summarize(*session);
  if (!summary) return summary.error();
  return report::optimize_json(*summary);
}

Answer session_operators(Desk& desk, const json& params) {
  auto view = view_of(desk, params);
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  return operators_json(*session, (*view)->tree(), running((*view)->path()));
}

Answer session_tree(Desk& desk, const json& params) {
  auto view = view_of(desk, params);
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  DeltaOptions options;
  options.running = running((*view)->path());
  return protocol::encoded(delta_text((*view)->tree(), params.value("since", json()), options));
}

Answer session_history(Desk& desk, const json& params) {
  auto view = view_of(desk, params);
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  std::string steps = "[";
  for (const ReplayStep& step : (*view)->tree().steps()) add_step(steps, (*view)->tree(), step);
  return protocol::encoded("{\"steps\":" + steps + "]}");
}

Answer session_failures(Desk& desk, const json& params) {
  auto view = view_of(desk, params);
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  auto summaries = session->failure_summaries();
  auto tasks = session->tasks();
  if (!summaries) return summaries.error();
  if (!tasks) return tasks.error();
  std::map<std::string, json> members;
  for (const ReplayStep& step : (*view)->tree().steps()) {
    const auto summary = summaries->find(step.evaluation);
    if (summary == summaries->end()) continue;
    const ReplayNode& node = (*view)->tree().nodes()[step.node];
    members[step.verdict].push_back(
        {{"candidate", node.id}, {"task", node.task}, {"evaluation", step.evaluation}, {"purpose", step.purpose}, {"summary", summary->second}});
  }
  json groups = json::array(), notes = json::array();
  for (auto& [verdict, list] : members)
    groups.push_back({{"verdict", verdict}, {"meaning", report::meaning_of(verdict)}, {"count", list.size()}, {"members", std::move(list)}});
  for (const auto& task : *tasks)
    if (!task.note.empty()) notes.push_back({{"task", task.id}, {"note", task.note}});
  return json{{"groups", std::move(groups)}, {"notes", std::move(notes)}};
}

Answer session_timelines(Desk& desk, const json& params) {
  auto view = view_of(desk, params);
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  auto names = session->timelines();
  if (!names) return names.error();
  json out = json::array();
  for (const std::string& name : *names) {
    auto timeline = (*view)->timeline(*session, name);
    if (!timeline) return timeline.error();
    out.push_back({{"name", name}, {"title", title_of(name)}, {"events", (*timeline)->size()}, {"start_us", (*timeline)->start_us()}, {"end_us", (*timeline)->end_us()}});
  }
  return json{{"timelines", std::move(out)}};
}

Answer session_timeline(Desk& desk, const json& params) {
  auto view = view_of(desk, params);
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  auto timeline = (*view)->timeline(*session, params.at("name").get<std::string>());
  if (!timeline) return timeline.error();
  return (*timeline)->viewport(params.at("start_us").get<double>(), params.at("end_us").get<double>(), params.at("pixels").get<int>());
}

}  // namespace kw::server
