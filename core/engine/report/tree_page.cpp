#include <map>
#include <set>

#include "core/engine/report/pages.h"
#include "core/engine/report/text.h"

namespace kw::report {
namespace {

// The search graph of one task, each candidate once under its first parent; further parents are named.
class TreeText {
 public:
  TreeText(const std::vector<store::CandidateRecord>& candidates, const std::vector<store::EdgeRecord>& edges,
           const std::vector<store::EvaluationRecord>& evaluations) {
    for (const auto& c : candidates) known_.insert(c.id);
    for (const auto& e : edges) {
      if (!known_.count(e.child)) continue;
      if (parents_[e.child].empty()) children_[e.parent].push_back(&e);
      parents_[e.child].push_back(e.parent);
    }
    for (const auto& e : evaluations) {
      for (const auto& id : e.path) visits_[id] += e.purpose == "search" && e.evaluation.verdict != protocol::Verdict::not_evaluated;
      if (e.purpose == "search") latest_[e.candidate] = &e;
    }
  }

  std::string root(const std::string& id) {
    node(id, "", "", "");
    return std::move(out_);
  }

 private:
  std::string state(const std::string& id) const {
    const auto found = latest_.find(id);
    if (found == latest_.end()) return "no evaluation";
    const auto& e = found->second->evaluation;
    return e.measurement ? ratio(e.measurement->ratio) + " " + interval(e.measurement->ratio_ci95) : e.verdict_text();
  }

  void node(const std::string& id, const std::string& before, const std::string& below, const std::string& edit) {
    out_ += before + id + "  " + state(id);
    if (const auto visits = visits_.find(id); visits != visits_.end() && visits->second > 1) out_ += "  " + std::to_string(visits->second) + " visits";
    if (!edit.empty()) out_ += "  " + edit;
    const auto& parents = parents_[id];
    for (std::size_t i = 1; i < parents.size(); ++i) out_ += (i == 1 ? "  also from " : ", ") + parents[i];
    out_ += "\n";
    const auto& children = children_[id];
    for (std::size_t i = 0; i < children.size(); ++i) {
      const bool last = i + 1 == children.size();
      const auto& e = *children[i];
      node(e.child, below + (last ? "└─ " : "├─ "), below + (last ? "   " : "│  "), e.key + " " + e.from + " -> " + e.to);
    }
  }

  std::set<std::string> known_;
  std::map<std::string, std::vector<const store::EdgeRecord*>> children_;
  std::map<std::string, std::vector<std::string>> parents_;
  std::map<std::string, const store::EvaluationRecord*> latest_;
  std::map<std::string, int> visits_;
  std::string out_;
};

}  // namespace

base::Result<std::string> tree_page(const store::Session& session) {
  auto tasks = session.tasks();
  auto edges = session.edges();
  auto evaluations = session.evaluations("");
  if (!tasks) return tasks.error();
  if (!edges) return edges.error();
  if (!evaluations) return evaluations.error();
  std::string out;
  for (const auto& task : *tasks) {
    auto candidates = session.candidates(task.id);
    if (!candidates) return candidates.error();
    out += task.id + "  " + percent(task.share) + "\n";
    if (!candidates->empty()) out += TreeText(*candidates, *edges, *evaluations).root(candidates->front().id);
    out += "\n";
  }
  return out;
}

}  // namespace kw::report
