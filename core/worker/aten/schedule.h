#pragma once
// The order in which an executable runs nodes and substitutions, and when each value dies. Plain data, no torch.

#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/graph/task.h"

namespace kw::aten {

struct Step {
  int node = -1;                          // position in the graph; -1 for a substitution
  int substitution = -1;
  std::vector<graph::ValueId> dead;       // values that nothing reads after this step
};

// An instance stands where its last node stood. Nodes in between that read its outputs are moved behind it, unless one
// of the nodes passed over writes in place (`writes[node]`): then the instance is refused.
base::Result<std::vector<Step>> make_schedule(const graph::Graph& graph, const std::vector<graph::Instance>& instances, const std::vector<bool>& writes);

}  // namespace kw::aten
