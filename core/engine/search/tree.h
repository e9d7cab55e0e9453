#pragma once
// The search graph of one task: candidates are nodes, mutations are edges, equal structural hashes are one node (so a
// node can have several parents; the graph has no cycle). PUCT with progressive widening; values are log-speedups against
// the strongest baseline. No evaluator in here: select() says what to evaluate, complete() takes the verdict.
//
//   select:  a node whose evaluation was lost, else  root --edge--> node --edge--> … --edge--> a new node
//   at a node with n visits:  children < 1 + widening_factor * n^widening_exponent   -> the most promising untried mutation
//                             otherwise -> the child edge with the largest
//       Q + exploration * P * sqrt(n) / (1 + N)          N counts evaluations in flight, each with a virtual loss
//       Q = (1 - best_weight) * mean + best_weight * best    of the log-speedups seen through that edge
//   backup:  along the edges that were walked
//
// A failed candidate backs up its parent's value minus `failure_penalty`, is never a `best`, and is not built upon while
// the task has an accepted candidate. One thread.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/engine/search/prior.h"
#include "core/engine/search/space.h"
#include "core/protocol/records.h"

namespace kw::search {

struct TreeOptions {
  double exploration = 0.25;
  double widening_factor = 1.5, widening_exponent = 0.6;
  double virtual_loss = 0.25;          // log-speedup
  double failure_penalty = 0.5;        // log-speedup
  double best_weight = 0.5;
  int max_attempts = 2;                // evaluations lost before a candidate is given up …
  int max_busy = 5;                    // … and those that other load on the machine spoiled
  std::uint64_t seed = 0;              // jitters the priors: breaks ties differently in each run
};

enum class NodeState : std::uint8_t { waiting, in_flight, accepted, failed, given_up };

struct Node {
  std::string candidate;
  kernel::Recipe recipe;
  std::string structural_hash;
  NodeState state = NodeState::waiting;
  double value = 0;                    // log-speedup, when accepted
  int visits = 0, in_flight = 0, attempts = 0, busy = 0;   // attempts: all that gave no verdict; busy: of these, for other load
  bool pinned = false, banned = false; // by a person; a banned node is not walked into
  std::vector<int> parents, children;  // edges
  struct Untried { kernel::Mutation mutation; double weight; };
  std::optional<std::vector<Untried>> untried;   // absent until first asked for; the most promising is last
};

struct Edge {
  int parent = -1, child = -1;
  kernel::Mutation mutation;           // its `result` is dropped
  double prior = 0;
  int visits = 0, in_flight = 0;
  double sum = 0;
  std::optional<double> best;
};

struct Walk {
  std::vector<int> edges;              // from the root; empty when the root itself is to be evaluated
  int node = 0;
};

class Tree {
 public:
  Tree(std::shared_ptr<const Space> space, const Prior& prior, TreeOptions options);

  // The next candidate to evaluate, counted as in flight; nullopt when everything is tried or waits for an evaluation.
  // New nodes have an empty `candidate` until the caller names them.
  std::optional<Walk> select();
  // The same, walking from `node`; or a new child of `node` itself, whatever the values say.
  std::optional<Walk> select_below(int node);
  std::optional<Walk> select_child(int node);
  // What select() built for a new node; called once for each.
  std::optional<Built> take_built(int node);
  // Edges made since the last call: those of new nodes, and those that merged into existing ones.
  std::vector<int> take_new_edges();

  void complete(const Walk& walk, const protocol::Evaluation& evaluation);

  // Resuming: nodes in order of creation (parents first), then each evaluation in order of completion.
  int restore_node(const std::string& candidate, kernel::Recipe recipe, const std::string& structural_hash);
  void restore_edge(int parent, int child, const kernel::Mutation& mutation);
  Walk walk_of(const std::vector<std::string>& path) const;   // a path of candidates; what is unknown is left out

  std::vector<Node>& nodes() { return nodes_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const std::vector<Edge>& edges() const { return edges_; }
  std::optional<int> best() const;     // the accepted node of the largest value
  int pruned() const { return pruned_; }        // recipes refused by the generator before anything was built
  int merged() const { return merged_; }        // recipes that turned out to be an existing candidate
  const base::Error* root_error() const { return root_error_ ? &*root_error_ : nullptr; }
  double score(int edge) const;        // Q + U
  double q(int edge) const;

 private:
  int unfinished() const;
  Walk depart(Walk walk);              // counts it as in flight
  Walk walk_to(int node) const;
  bool walk(int node, Walk& out, std::vector<char>& dead);
  bool widen(int node, Walk& out, std::vector<char>& dead);
  bool descend(int node, Walk& out, std::vector<char>& dead);
  bool expandable(const Node& node) const;
  bool has_ancestor(int node, int ancestor) const;
  bool has_child(int parent, int child) const;
  int find(const std::string& structural_hash) const;
  int add_node(kernel::Recipe recipe, Built built);
  int add_edge(int parent, int child, const kernel::Mutation& mutation, double prior);
  void list_untried(int node);
  void make_root();
  void backup(const Walk& walk, double value, bool good);

  std::shared_ptr<const Space> space_;
  const Prior& prior_;
  TreeOptions options_;
  std::vector<Node> nodes_;
  std::vector<Edge> edges_;
  std::vector<int> new_edges_;
  std::vector<std::pair<int, Built>> built_;
  std::optional<base::Error> root_error_;
  KindRecords kinds_;
  int pruned_ = 0, merged_ = 0;
};

// Log-speedup against the baseline; the value that is searched for.
double value_of(const protocol::Evaluation& evaluation);

}  // namespace kw::search
