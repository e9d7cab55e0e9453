#include "core/engine/server/operators.h"

#include <algorithm>
#include <cmath>

#include "core/protocol/outcome.h"

namespace kw::server {
namespace {

using nlohmann::json;

// How a task stands: its best candidate and how many were tried.
struct Standing { int best = -1, tried = 0, waiting = 0; };

Standing standing_of(const TreeReplay& tree, const std::string& task) {
  Standing out;
  out.best = tree.best(task);
  for (const ReplayNode& node : tree.nodes()) {
    if (node.task != task) continue;
    out.tried += node.judged;
    out.waiting += node.verdict.empty();
  }
  return out;
}

const store::TaskRecord* task_of(const std::vector<store::TaskRecord>& tasks, const protocol::OperatorCard& card) {
  for (const auto& task : tasks)
    for (const json& instance : task.instances)
      for (const json& node : instance.value("nodes", json::array()))
        if (std::find(card.nodes.begin(), card.nodes.end(), node.get<int>()) != card.nodes.end()) return &task;
  return nullptr;
}

std::string state_of(const TreeReplay& tree, const Standing& standing, bool running) {
  if (running && standing.waiting > 0) return "searching";
  if (standing.tried == 0) return "not searched";
  if (standing.best < 0) return "failed";
  return protocol::name(protocol::outcome(tree.nodes()[standing.best].ci95));
}

// "aten.linear.default(f32[8, 256], f32[512])": what stands in the brackets.
std::string shapes_of(const std::string& signature) {
  const auto open = signature.find('('), close = signature.rfind(')');
  return open == std::string::npos || close == std::string::npos || close < open ? "" : signature.substr(open + 1, close - open - 1);
}

json card_json(const protocol::OperatorCard& c) {
  const std::string shapes = shapes_of(c.signature);
  json out = {{"operator", c.op}, {"signature", c.signature}, {"module_path", c.module_path}, {"source", c.source}, {"shapes", shapes},
              {"dtype", shapes.substr(0, shapes.find('['))}, {"calls", c.calls}, {"time_us", c.time_us}, {"share", c.share},
              {"bytes", c.bytes}, {"flops", c.flops}, {"bound", c.bound}};
  if (c.roofline_share > 0) out["roofline_share"] = c.roofline_share;
  return out;
}

void put_best(json& out, const ReplayNode& best) {
  out["best_candidate"] = best.id;
  out["best_speedup"] = *best.speedup;
  out["best_ci95"] = {best.ci95.low, std::isfinite(best.ci95.high) ? json(best.ci95.high) : json()};
}

}  // namespace

base::Result<json> operators_json(const store::Session& session, const TreeReplay& tree, bool running) {
  auto cards = session.cards();
  auto tasks = session.tasks();
  auto profile = session.profile();
  if (!cards) return cards.error();
  if (!tasks) return tasks.error();
  if (!profile) return profile.error();
  std::stable_sort(cards->begin(), cards->end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  json rows = json::array();
  for (const auto& card : *cards) {
    json row = card_json(card);
    if (const auto* task = task_of(*tasks, card)) {
      const Standing standing = standing_of(tree, task->id);
      row["task"] = task->id;
      row["state"] = state_of(tree, standing, running);
      row["note"] = task->note;
      if (standing.best >= 0) put_best(row, tree.nodes()[standing.best]);
    } else {
      row["task"] = "";
      row["state"] = "not searched";
      row["note"] = "stays with PyTorch";
    }
    rows.push_back(std::move(row));
  }
  json out = {{"operators", std::move(rows)}};
  // Amdahl's law over the tasks' shares.
  double left = 1;
  for (const auto& task : *tasks)
    if (const int best = tree.best(task.id); best >= 0 && *tree.nodes()[best].speedup > 1) left -= task.share * (1 - 1 / *tree.nodes()[best].speedup);
  out["predicted_speedup"] = 1 / std::max(left, 1e-6);
  if (profile->has_value()) {
    out["model_us"] = (*profile)->model_us;
    out["ceilings"] = (*profile)->ceilings;
  }
  return out;
}

}  // namespace kw::server
