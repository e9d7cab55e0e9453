#pragma once
// The search graph of all tasks of a session as its rows tell it: each evaluation keeps the path that was walked, and backing those up as
// core/engine/search/tree.h does gives visits, N and Q back. Plain values; refresh() reads only what is new. One thread.

#include <string>
#include <unordered_map>
#include <vector>

#include "core/engine/store/session.h"

namespace kw::server {

struct ReplayNode {
  std::int64_t row = 0;
  std::string id, task, kind;
  std::string verdict;                 // "cheat:input_alias", "" without an evaluation
  std::optional<double> speedup, candidate_us, error_max, at_s;
  protocol::Interval ci95;
  double value = 0;                    // log-speedup as the search backed it up
  int visits = 0;
  bool judged = false, good = false;   // a verdict; accepted and measured
  bool on_best_path = false, pinned = false, banned = false;
  std::vector<int> parents;            // edges
  double prior_sum = 0;                // of the edges to its children
  std::int64_t touched = 0, marked = 0;   // the last evaluation and the last mark that changed it
};

struct ReplayEdge {
  std::int64_t row = 0;
  int parent = -1, child = -1;
  store::EdgeRecord record;
  int visits = 0;
  double sum = 0;
  std::optional<double> best;
  std::int64_t touched = 0;            // the last evaluation that walked it
};

struct ReplayStep {
  std::int64_t evaluation = 0;
  int node = -1;
  std::string purpose, verdict;
  std::optional<double> speedup, at_s;
};

class TreeReplay {
 public:
  base::Status refresh(const store::Session& session);

  const store::Rows& rows() const { return rows_; }
  const std::vector<ReplayNode>& nodes() const { return nodes_; }
  const std::vector<ReplayEdge>& edges() const { return edges_; }
  const std::vector<ReplayStep>& steps() const { return steps_; }   // in order of completion
  int find(const std::string& candidate) const;                     // -1: unknown
  int best(const std::string& task) const;                          // the winner, else the fastest accepted; -1: none
  int failures() const;

  double q(const ReplayEdge& edge) const;
  std::optional<double> p(const ReplayEdge& edge) const;            // absent where the session does not say
  std::optional<double> u(const ReplayEdge& edge) const;

 private:
  void add(const store::CandidateRow& row);
  void add(const store::EdgeRow& row);
  void add(const store::EvaluationRow& row);
  void add(const store::MarkRecord& mark);
  void show(ReplayNode& node, const store::EvaluationRow& row);
  void back_up(const store::EvaluationRow& row);
  double at(const store::EvaluationRow& row);
  void find_best_paths();
  int edge_between(int parent, int child) const;

  store::Rows rows_;
  std::vector<ReplayNode> nodes_;
  std::vector<ReplayEdge> edges_;
  std::vector<ReplayStep> steps_;
  std::vector<int> by_number_;                          // "c17" at 17; -1: none
  std::unordered_map<std::string, int> by_id_;          // all others
  std::unordered_map<std::string, int> best_, winners_; // by task
  std::unordered_map<std::int64_t, double> run_began_;  // Unix time
  std::int64_t run_ = 0;
  double run_offset_s_ = 0, last_at_s_ = 0;
};

}  // namespace kw::server
