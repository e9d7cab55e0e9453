#include "core/engine/server/tree_delta.h"

#include <algorithm>
#include <cmath>

#include "core/engine/server/row_text.h"
#include "core/protocol/outcome.h"

namespace kw::server {
namespace {

void add_node(std::string& out, const ReplayNode& n, bool running) {
  RowText row(out);
  row.text("id", n.id);
  row.text("task", n.task);
  row.text("kind", n.kind);
  row.text("verdict", n.verdict.empty() && running ? "in_flight" : n.verdict);
  if (n.good) {
    row.text("outcome", protocol::name(protocol::outcome(n.ci95)));
    row.interval("ci95", n.ci95.low, n.ci95.high);
    row.number("value", std::log(*n.speedup));
  }
  row.number("speedup", n.speedup);
  row.number("candidate_us", n.candidate_us);
  row.number("error_max", n.error_max);
  row.number("at_s", n.at_s);
  row.number("visits", n.visits);
  row.number("number", n.row);
  row.flag("on_best_path", n.on_best_path);
  row.flag("pinned", n.pinned);
  row.flag("banned", n.banned);
}

void add_edge(std::string& out, const TreeReplay& tree, const ReplayEdge& e) {
  RowText row(out);
  row.text("parent", e.record.parent);
  row.text("child", e.record.child);
  row.text("key", e.record.key);
  row.text("from", e.record.from);
  row.text("to", e.record.to);
  row.text("kind", e.record.kind);
  row.text("description", e.record.description);
  row.number("n", e.visits);
  row.number("q", tree.q(e));
  row.number("p", tree.p(e));
  row.number("u", tree.u(e));
}

// First what is new, by row; when all of that is told, what changed, by the evaluation that changed it last.
class Delta {
 public:
  Delta(const TreeReplay& tree, const store::Rows& since, bool all, const DeltaOptions& options)
      : tree_(tree), options_(options), since_(since), version_(tree.rows()), all_(all) {}

  std::string take() {
    if (new_nodes()) changed_nodes();
    return "{\"version\":" + version_json(version_).dump() + ",\"nodes\":" + nodes_ + "],\"edges\":" + edges_ + "],\"more\":" + (more_ ? "true}" : "false}");
  }

 private:
  // False: there are more than one answer holds; `version_` says how far it came.
  bool new_nodes() {
    const auto& nodes = tree_.nodes();
    const auto& edges = tree_.edges();
    auto node = std::upper_bound(nodes.begin(), nodes.end(), since_.candidates, [](std::int64_t row, const ReplayNode& n) { return row < n.row; });
    auto edge = std::upper_bound(edges.begin(), edges.end(), since_.edges, [](std::int64_t row, const ReplayEdge& e) { return row < e.row; });
    const auto end = nodes.end() - node > static_cast<std::ptrdiff_t>(options_.limit) ? node + static_cast<std::ptrdiff_t>(options_.limit) : nodes.end();
    for (; node != end; ++node) add_node(nodes_, *node, options_.running);
    const int told = static_cast<int>(end - nodes.begin());
    for (; edge != edges.end() && edge->parent < told && edge->child < told; ++edge) add_edge(edges_, tree_, *edge);
    if (end == nodes.end()) return true;
    more_ = true;
    version_.candidates = (end - 1)->row;
    version_.edges = edge == edges.begin() ? 0 : (edge - 1)->row;
    if (!all_) version_.evaluations = since_.evaluations, version_.marks = since_.marks, version_.runs = since_.runs;
    return false;
  }

  bool changed(const ReplayNode& node) const {
    const bool flight = node.verdict.empty() && since_.runs != version_.runs;
    return node.row <= since_.candidates && (node.touched > since_.evaluations || node.marked > since_.marks || flight);
  }

  void changed_nodes() {
    if (all_) return;
    std::vector<const ReplayNode*> found;
    for (const ReplayNode& node : tree_.nodes())
      if (changed(node)) found.push_back(&node);
    const auto older = [](const ReplayNode* a, const ReplayNode* b) { return a->touched < b->touched; };
    std::sort(found.begin(), found.end(), older);
    if (found.size() > options_.limit && found[options_.limit]->touched > since_.evaluations) {
      const auto end = std::upper_bound(found.begin(), found.end(), found[options_.limit], older);
      more_ = end != found.end();
      if (more_) version_ = {version_.candidates, version_.edges, found[options_.limit]->touched, since_.marks, since_.runs};
      found.erase(end, found.end());
    }
    for (const ReplayNode* node : found) add_node(nodes_, *node, options_.running);
    for (const ReplayEdge& edge : tree_.edges())
      if (edge.row <= since_.edges && edge.touched > since_.evaluations && edge.touched <= version_.evaluations) add_edge(edges_, tree_, edge);
  }

  const TreeReplay& tree_;
  const DeltaOptions& options_;
  store::Rows since_, version_;
  bool all_, more_ = false;
  std::string nodes_ = "[", edges_ = "[";
};

}  // namespace

json version_json(const store::Rows& r) {
  return {{"candidates", r.candidates}, {"edges", r.edges}, {"evaluations", r.evaluations}, {"marks", r.marks}, {"runs", r.runs}};
}

store::Rows rows_of(const json& version) {
  if (version.is_null()) return {};
  const auto row = [&](const char* key) { return version.at(key).get<std::int64_t>(); };
  return {row("candidates"), row("edges"), row("evaluations"), row("marks"), row("runs")};
}

json edge_json(const TreeReplay& tree, const ReplayEdge& edge) {
  std::string out;
  add_edge(out, tree, edge);
  return json::parse(out);
}

std::string delta_text(const TreeReplay& tree, const json& since, const DeltaOptions& options) {
  const store::Rows seen = rows_of(since), now = tree.rows();
  // A client of another file under this name begins anew.
  const bool foreign = seen.candidates > now.candidates || seen.evaluations > now.evaluations || seen.marks > now.marks;
  return Delta(tree, foreign ? store::Rows{} : seen, since.is_null() || foreign, options).take();
}

}  // namespace kw::server
