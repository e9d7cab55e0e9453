#pragma once
// What the search looks like at one moment, as plain values that may be kept, compared and sent to other threads.

#include <string>
#include <vector>

#include "core/engine/search/tree.h"

namespace kw::search {

struct TaskSnapshot {
  std::string id;
  double share = 0, baseline_us = 0, floor_us = 0;
  double best_us = 0;                  // 0: nothing accepted yet
  std::string best;                    // candidate
  int evaluations = 0, in_flight = 0, candidates = 0, pruned = 0, merged = 0;
  bool at_roofline = false, exhausted = false;
  std::string unusable;                // why the task cannot be evaluated
};

struct Snapshot {
  std::uint64_t version = 0;           // grows with every change
  int issued = 0, completed = 0, measured = 0, in_flight = 0;
  int unjudged = 0;                    // evaluations that ended without a verdict
  std::string unjudged_because;        // of the last of them
  double seconds = 0;
  std::vector<TaskSnapshot> tasks;
};

struct EdgeSnapshot {
  std::string parent, child, key, from, to, kind;
  double prior = 0, q = 0, score = 0;
  int visits = 0;
};
struct NodeSnapshot {
  std::string candidate;
  NodeState state = NodeState::waiting;
  double value = 0;                    // log-speedup
  int visits = 0;
};
struct TreeSnapshot {
  std::vector<NodeSnapshot> nodes;     // in order of creation, parents first
  std::vector<EdgeSnapshot> edges;
  bool operator==(const TreeSnapshot&) const;
};

TreeSnapshot snapshot(const Tree& tree);
std::string text(const TreeSnapshot& tree);          // one line a node and edge, for tests and comparison

}  // namespace kw::search
