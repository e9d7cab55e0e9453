#pragma once
// Which values may share memory. Conservative: an operator that may return a view is taken to return one.

#include <vector>

#include "core/graph/graph.h"

namespace kw::graph {

bool may_return_view(const std::string& op);
bool in_place(const std::string& op);            // "aten.add_.Tensor"

class Aliases {
 public:
  explicit Aliases(const Graph& graph);
  ValueId root(ValueId value) const { return roots_[static_cast<std::size_t>(value)]; }   // the value whose memory it may share
  // The last node (or the number of nodes, for graph outputs) that reads any value with this root; -1: none.
  int last_read(ValueId root, int except_node = -1) const;
  const std::vector<int>& readers(ValueId value) const { return readers_[static_cast<std::size_t>(value)]; }

 private:
  void merge(const Graph& graph, ValueId a, ValueId b);
  std::vector<ValueId> roots_;
  std::vector<std::vector<int>> readers_;        // by value: positions of nodes, graph.nodes.size() for outputs
};

// The node at `position` writes in place, on a fresh value of which no other alias is read later, and its functional twin
// has a result of the same type: it computes a new value.
bool fresh_in_place(const Graph& graph, const Aliases& aliases, int position);

}  // namespace kw::graph
