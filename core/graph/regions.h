#pragma once
// The partition behind find_tasks: which nodes of a functionalised graph form a region. Positions ascending.

#include <vector>

#include "core/graph/aliases.h"
#include "core/graph/task.h"

namespace kw::graph {

// Checks metadata that a task's fixed types imply. Inside a region it is part of the instance but not of the task's graph.
bool metadata_assert(const Node& node);

std::vector<std::vector<int>> find_regions(const Graph& graph, const Classifier& classify);

}  // namespace kw::graph
