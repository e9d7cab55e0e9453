#include "core/engine/conductor/model_tasks.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numeric>

namespace kw::conductor {
namespace {

double node_us(const protocol::Profile& profile, int node) {
  return node >= 0 && node < static_cast<int>(profile.node_us.size()) ? profile.node_us[node] : 0;
}

double instance_us(const protocol::Profile& profile, const graph::Instance& instance) {
  double sum = 0;
  for (const int node : instance.nodes) sum += node_us(profile, node);
  return sum;
}

std::int64_t tensor_bytes(const graph::Graph& graph, graph::ValueId id) {
  if (id < 0 || id >= static_cast<int>(graph.values.size())) return 0;
  const graph::Value& value = graph.values[id];
  return value.kind == graph::ValueKind::tensor ? value.type.elements() * graph::byte_size(value.type.dtype) : 0;
}

// What any implementation must read and write: inputs and outputs once.
std::int64_t compulsory_bytes(const graph::Graph& task) {
  std::int64_t bytes = 0;
  for (const graph::ValueId input : task.inputs) bytes += tensor_bytes(task, input);
  for (const graph::Output& output : task.outputs) bytes += tensor_bytes(task, output.value);
  return bytes;
}

std::int64_t flops_of(const graph::Instance& instance, const protocol::Profile& profile) {
  std::int64_t flops = 0;
  for (const int node : instance.nodes)
    for (const auto& card : profile.cards)
      if (card.calls > 0 && std::find(card.nodes.begin(), card.nodes.end(), node) != card.nodes.end()) flops += card.flops / card.calls;
  return flops;
}

// The node of one instance in which most of its time goes: it names the task and its place in the user's source.
const graph::Node* main_node(const graph::Graph& graph, const graph::Instance& instance, const protocol::Profile& profile) {
  const graph::Node* best = nullptr;
  double best_us = -1;
  for (const int node : instance.nodes) {
    if (node_us(profile, node) <= best_us) continue;
    best = &graph.nodes[node];
    best_us = node_us(profile, node);
  }
  return best;
}

store::TaskRecord record_of(const graph::Graph& graph, const graph::Task& task, const protocol::Profile& profile, double total_us) {
  store::TaskRecord out;
  double us = 0;
  for (const graph::Instance& instance : task.instances) us += instance_us(profile, instance);
  const graph::Instance& first = task.instances.front();
  if (const graph::Node* node = main_node(graph, first, profile)) {
    out.id = short_name(node->op);
    out.module_path = node->module_path;
    if (!node->source.file.empty()) out.source = node->source.file + ":" + std::to_string(node->source.line);
  }
  out.signature = task.signature;
  for (const graph::Node& node : task.graph.nodes) out.operators.push_back(node.op);
  out.calls = static_cast<int>(task.instances.size());
  out.share = total_us > 0 ? us / total_us : 0;
  out.time_us = us / out.calls;
  out.bytes = compulsory_bytes(task.graph);
  out.flops = flops_of(first, profile);
  out.graph = graph::to_json(task.graph);
  out.instances = nlohmann::json::array();
  for (const graph::Instance& instance : task.instances) out.instances.push_back(instance_json(instance));
  return out;
}

}  // namespace

std::string short_name(const std::string& op) {
  std::string name = op;
  if (const auto dot = name.find('.'); dot != std::string::npos) name = name.substr(dot + 1);
  if (const auto dot = name.find('.'); dot != std::string::npos) name = name.substr(0, dot);
  name.erase(0, name.find_first_not_of('_'));
  return name.empty() ? op : name;
}

nlohmann::json instance_json(const graph::Instance& instance) {
  return {{"nodes", instance.nodes}, {"inputs", instance.inputs}, {"outputs", instance.outputs}};
}

std::vector<store::TaskRecord> rank_tasks(const graph::Graph& graph, const std::vector<graph::Task>& tasks, const protocol::Profile& profile) {
  const double total_us = std::accumulate(profile.node_us.begin(), profile.node_us.end(), 0.0);
  std::vector<store::TaskRecord> out;
  for (const graph::Task& task : tasks)
    if (!task.instances.empty()) out.push_back(record_of(graph, task, profile, total_us));
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.share > b.share; });
  for (std::size_t i = 0; i < out.size(); ++i) {
    char number[32];
    std::snprintf(number, sizeof(number), "t%02zu-", i);
    out[i].id = number + out[i].id;
    out[i].position = static_cast<int>(i);
  }
  return out;
}

}  // namespace kw::conductor
