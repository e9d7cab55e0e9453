#pragma once
// The partition behind find_tasks: which nodes of a functionalised graph form a region. Positions ascending.

#include <vector>

#include "core/graph/aliases.h"
#include "core/graph/task.h"

namespace kw::graph {

std::vector<std::vector<int>> find_regions(const Graph& graph, const Classifier& classify);

}  // namespace kw::graph
