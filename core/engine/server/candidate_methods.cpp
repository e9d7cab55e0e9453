// candidate/*: one candidate in full, the difference of two, machine code, export.
#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/engine/report/assembly.h"
#include "core/engine/report/difference.h"
#include "core/engine/report/exporter.h"
#include "core/engine/report/pages.h"
#include "core/engine/server/desk.h"
#include "core/engine/server/evaluation_json.h"
#include "core/engine/server/methods.h"
#include "core/engine/server/reviews.h"
#include "core/engine/server/tree_delta.h"
#include "core/engine/store/plan_json.h"

namespace kw::server {
namespace {

namespace fs = std::filesystem;

json recipe_json(const std::string& text) {
  json out = json::object();
  std::istringstream words(text);
  for (std::string word; words >> word;)
    if (const auto equals = word.find('='); equals != std::string::npos) out[word.substr(0, equals)] = word.substr(equals + 1);
  return out;
}

std::string extent(const std::array<int, 3>& size) {
  return std::to_string(size[0]) + " × " + std::to_string(size[1]) + " × " + std::to_string(size[2]);
}

// Of the first kernel of one call.
json facts_json(const std::vector<protocol::TimelineEvent>& timeline) {
  json out = json::object();
  const auto kernel = std::find_if(timeline.begin(), timeline.end(), [](const auto& e) { return e.track == "candidate"; });
  if (kernel == timeline.end()) return out;
  if (kernel->grid[0] > 0) out["grid"] = extent(kernel->grid);
  if (kernel->block[0] > 0) out["block"] = extent(kernel->block);
  if (kernel->registers > 0) out["registers"] = std::to_string(kernel->registers);
  if (kernel->shared_bytes > 0) out["shared memory"] = std::to_string(kernel->shared_bytes) + " bytes";
  return out;
}

std::int64_t workspace_bytes(const plan::Plan& plan) {
  std::int64_t bytes = 0;
  for (const auto& buffer : plan.buffers)
    if (buffer.role == plan::BufferRole::workspace) bytes += buffer.type.span() * graph::byte_size(buffer.type.dtype);
  return bytes;
}

json family_json(const TreeReplay& tree, const std::string& id) {
  json parents = json::array(), children = json::array();
  const int node = tree.find(id);
  if (node >= 0)
    for (const int edge : tree.nodes()[node].parents) parents.push_back(edge_json(tree, tree.edges()[edge]));
  for (const ReplayEdge& edge : tree.edges())
    if (edge.parent == node) children.push_back(edge.record.child);
  return {{"parents", std::move(parents)}, {"children", std::move(children)}};
}

base::Result<json> plan_json(const store::CandidateRecord& candidate, json& out) {
  auto plan = store::plan_of(candidate);
  if (!plan) return plan.error();
  out["hash"] = plan::hash(*plan);
  out["language"] = plan->target == "cuda" ? "cuda" : "cpp";
  json shown = candidate.plan;
  shown["workspace_bytes"] = workspace_bytes(*plan);
  return shown;
}

}  // namespace

Answer candidate_get(Desk& desk, const json& params) {
  auto view = view_of(desk, params);
  if (!view) return view.error();
  auto session = (*view)->read();
  if (!session) return session.error();
  auto candidate = session->candidate(params.at("id").get<std::string>());
  if (!candidate) return candidate.error();
  auto evaluations = session->evaluations(candidate->id);
  auto timeline = session->timeline("candidate:" + candidate->id);
  auto reviews = reviews_json(*session, candidate->id);
  if (!evaluations) return evaluations.error();
  if (!timeline) return timeline.error();
  if (!reviews) return reviews.error();
  json out = family_json((*view)->tree(), candidate->id);
  auto plan = plan_json(*candidate, out);
  if (!plan) return plan.error();
  out["plan"] = std::move(*plan);
  out["id"] = candidate->id;
  out["task"] = candidate->task;
  out["kind"] = candidate->kind;
  out["recipe"] = recipe_json(candidate->recipe);
  out["source"] = candidate->source;
  out["traffic_bytes"] = candidate->traffic_bytes;
  out["facts"] = facts_json(*timeline);
  out["timeline"] = timeline->empty() ? "" : "candidate:" + candidate->id;
  out["reviews"] = std::move(*reviews);
  out["evaluations"] = json::array();
  for (const auto& e : *evaluations) out["evaluations"].push_back(evaluation_json(e));
  return out;
}

Answer candidate_diff(Desk&, const json& params) {
  auto session = session_of(params);
  if (!session) return session.error();
  auto a = session->candidate(params.at("a").get<std::string>());
  auto b = session->candidate(params.at("b").get<std::string>());
  if (!a) return a.error();
  if (!b) return b.error();
  std::vector<std::string> why;
  if (a->task != b->task)
    why = {"These are candidates of different tasks (" + a->task + ", " + b->task + ")."};
  else
    why = report::explained(*session, *a, *b);
  return json{{"a", {{"id", a->id}, {"source", a->source}}},
              {"b", {{"id", b->id}, {"source", b->source}}},
              {"unified", report::unified_difference(a->source, b->source, a->id, b->id)},
              {"why", why}};
}

Answer candidate_assembly(Desk&, const json& params) {
  auto session = session_of(params);
  if (!session) return session.error();
  auto candidate = session->candidate(params.at("id").get<std::string>());
  auto environment = session->environment();
  if (!candidate) return candidate.error();
  if (!environment) return environment.error();
  auto text = report::assembly_of(candidate->source, environment->compiler, environment->flags);
  if (!text) return text.error();
  return json{{"text", *text}};
}

Answer candidate_export(Desk&, const json& params) {
  auto session = session_of(params);
  if (!session) return session.error();
  const std::string id = params.at("id"), out = params.at("out");
  auto folders = id.empty() ? report::export_winners(*session, out) : report::export_candidate(*session, id, out);
  if (!folders) return folders.error();
  json files = json::array();
  std::error_code ignored;
  for (const std::string& folder : *folders)
    for (const auto& entry : fs::directory_iterator(folder, ignored)) files.push_back(entry.path().string());
  return json{{"files", std::move(files)}};
}

}  // namespace kw::server
