#pragma once
// From a graph and its profile to the tasks of a session: regions found, ranked by their share of the model's time, named
// by position and main operator ("t00-softmax"). Pure functions.

#include <vector>

#include "core/base/result.h"
#include "core/engine/store/records.h"
#include "core/graph/task.h"

namespace kw::conductor {

// `graph` is functionalised; profile.node_us belongs to the same nodes.
std::vector<store::TaskRecord> rank_tasks(const graph::Graph& graph, const std::vector<graph::Task>& tasks, const protocol::Profile& profile);

std::string short_name(const std::string& op);         // "aten._softmax.default" -> "softmax"
nlohmann::json instance_json(const graph::Instance& instance);

}  // namespace kw::conductor
