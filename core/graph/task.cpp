#include "core/graph/task.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string_view>

#include "core/graph/regions.h"

namespace kw::graph {

namespace {

std::size_t idx(ValueId v) { return static_cast<std::size_t>(v); }

struct Extracted {
  Graph graph;
  Instance instance;
};

// Copies a region into a graph of its own; values are numbered by first use, so equal regions give equal graphs.
class Extractor {
 public:
  Extractor(const Graph& model, const Aliases& aliases, const std::vector<int>& nodes) : m_(model), aliases_(aliases), nodes_(nodes) {}

  Extracted run() {
    for (int n : nodes_)
      for (ValueId v : m_.nodes[idx(n)].outputs) made_by(v, n);
    for (int n : nodes_)
      if (!metadata_assert(m_.nodes[idx(n)])) out_.graph.nodes.push_back(copy(m_.nodes[idx(n)]));
    for (int n : nodes_)
      for (ValueId v : m_.nodes[idx(n)].outputs) add_output(v);
    out_.instance.nodes = nodes_;
    return std::move(out_);
  }

 private:
  void made_by(ValueId v, int node) {
    if (v == no_value) return;
    inside_[v] = node;
    for (ValueId e : m_.values[idx(v)].elements) inside_[e] = node;
  }

  ValueId local(ValueId v) {
    if (v == no_value) return no_value;
    if (auto found = ids_.find(v); found != ids_.end()) return found->second;
    Value value = m_.values[idx(v)];
    value.storage.reset();
    for (ValueId& e : value.elements) e = local(e);
    const bool input = !inside_.contains(v);
    if (input && value.origin == Origin::node) value.origin = Origin::input;
    const auto id = static_cast<ValueId>(out_.graph.values.size());
    out_.graph.values.push_back(std::move(value));
    ids_[v] = id;
    if (input) {
      out_.graph.inputs.push_back(id);
      out_.instance.inputs.push_back(v);
    }
    return id;
  }

  // Known integers become literals: a task's shapes are fixed.
  std::optional<std::int64_t> known(ValueId v) const {
    return v != no_value && !inside_.contains(v) ? m_.values[idx(v)].known_int : std::nullopt;
  }

  Node copy(const Node& node) {
    Node c = node;
    for (Argument& a : c.arguments) {
      if (auto* ref = std::get_if<ValueRef>(&a.value)) {
        if (auto k = known(ref->id)) a.value = *k;
        else ref->id = local(ref->id);
      } else if (auto* list = std::get_if<ValueList>(&a.value)) {
        for (ValueId& id : list->ids) id = local(id);
      } else if (auto* ints = std::get_if<std::vector<IntOrValue>>(&a.value)) {
        for (IntOrValue& i : *ints)
          if (auto k = known(i.id)) i = {*k, no_value};
          else i.id = local(i.id);
      }
    }
    if (auto* self = c.arguments.empty() ? nullptr : std::get_if<ValueRef>(&c.arguments[0].value);
        self && in_place(c.op) && aliases_input(std::get<ValueRef>(node.arguments[0].value).id))
      c.op = functional_name(c.op);
    for (ValueId& v : c.outputs) v = local(v);
    return c;
  }

  bool aliases_input(ValueId v) const { return !inside_.contains(aliases_.root(v)); }

  void add_output(ValueId v) {
    if (v == no_value) return;
    for (ValueId e : m_.values[idx(v)].elements) add_output(e);
    if (m_.values[idx(v)].kind != ValueKind::tensor) return;
    const auto& readers = aliases_.readers(v);
    const bool outside = std::any_of(readers.begin(), readers.end(), [&](int r) { return std::count(nodes_.begin(), nodes_.end(), r) == 0; });
    if (!outside) return;
    out_.graph.outputs.push_back({local(v), OutputKind::user, no_value});
    out_.instance.outputs.push_back(v);
  }

  const Graph& m_;
  const Aliases& aliases_;
  const std::vector<int>& nodes_;
  std::map<ValueId, int> inside_;
  std::map<ValueId, ValueId> ids_;
  Extracted out_;
};

// Operators, attributes, types and wiring; no names, no places.
std::string signature(const Graph& graph) {
  Graph bare = graph;
  for (std::size_t i = 0; i < bare.values.size(); ++i) {
    bare.values[i].name = "v" + std::to_string(i);
    bare.values[i].target.clear();
    if (bare.values[i].origin != Origin::node) bare.values[i].origin = Origin::input;
  }
  for (Node& n : bare.nodes) {
    n.source = {};
    n.module_path.clear();
  }
  bare.notes.clear();
  return to_json(bare).dump();
}

// The operator a region is named after: the first of these words that one of its operators contains, else its last operator.
constexpr std::array<std::string_view, 17> telling{"softmax", "layer_norm", "group_norm", "rms_norm", "instance_norm", "pool", "batch_norm", "argmax",
                                                   "argmin", "gelu", "var", "std", "mean", "sum", "amax", "max", "cat"};

std::string short_name(const std::string& op) {
  const std::size_t first = op.find('.');
  const std::string rest = first == std::string::npos ? op : op.substr(first + 1);
  return rest.substr(0, rest.find('.'));
}

std::string main_operator(const Graph& graph) {
  for (std::string_view word : telling)
    for (const Node& n : graph.nodes)
      if (short_name(n.op).find(word) != std::string::npos) return short_name(n.op);
  return short_name(graph.nodes.back().op);
}

}  // namespace

std::vector<Task> find_tasks(const Graph& graph, const Classifier& classify) {
  const Aliases aliases(graph);
  std::vector<Task> tasks;
  std::map<std::string, std::size_t> by_signature;
  for (const std::vector<int>& nodes : find_regions(graph, classify)) {
    Extracted region = Extractor(graph, aliases, nodes).run();
    if (region.graph.outputs.empty()) continue;
    const std::string key = signature(region.graph);
    const auto [found, fresh] = by_signature.emplace(key, tasks.size());
    if (fresh) {
      const std::string number = std::to_string(tasks.size());
      tasks.push_back({"t" + std::string(number.size() < 2 ? "0" : "") + number + "-" + main_operator(region.graph), std::move(region.graph), key, {}});
    }
    tasks[found->second].instances.push_back(std::move(region.instance));
  }
  return tasks;
}

}  // namespace kw::graph
