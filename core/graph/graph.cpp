#include "core/graph/graph.h"

#include <algorithm>
#include <limits>
#include <set>

namespace kw::graph {

namespace {

void add_read(std::vector<ValueId>& out, ValueId id) {
  if (id != no_value && std::find(out.begin(), out.end(), id) == out.end()) out.push_back(id);
}

base::Error wrong(const std::string& what, const std::string& where) { return base::bad_input(what + "; the graph is damaged", where); }

class Validator {
 public:
  explicit Validator(const Graph& graph) : g_(graph), defined_(graph.values.size(), false) {}

  base::Status run() {
    for (std::size_t v = 0; v < g_.values.size(); ++v) {
      const Value& value = g_.values[v];
      if (!checked_span(value.type)) return wrong("sizes and strides that no tensor can have", value.name);
      for (ValueId e : value.elements)
        if (!exists(e)) return wrong("a list names a value that does not exist", value.name);
      if (value.origin != Origin::node) defined_[v] = true;
    }
    for (ValueId v : g_.inputs)
      // A task's inputs keep the origin of the model's value: a weight may be one.
      if (!exists(v) || g_.values[index(v)].origin == Origin::node) return wrong("an input is a value that a node computes", "inputs");
    for (const Node& node : g_.nodes)
      if (base::Status s = check_node(node); !s) return s;
    for (const Output& output : g_.outputs) {
      if (output.value != no_value && (!exists(output.value) || !defined_[index(output.value)])) return wrong("an output is never computed", "outputs");
      if (output.kind != OutputKind::user && !exists(output.target)) return wrong("a mutation names no target", "outputs");
    }
    return base::done();
  }

 private:
  static std::size_t index(ValueId v) { return static_cast<std::size_t>(v); }
  bool exists(ValueId v) const { return v >= 0 && index(v) < g_.values.size(); }

  base::Status check_node(const Node& node) {
    for (ValueId v : reads(node)) {
      if (!exists(v)) return wrong("an argument names a value that does not exist", node.op);
      if (!defined_[index(v)]) return wrong("'" + g_.values[index(v)].name + "' is read before it is computed", node.op);
    }
    for (ValueId v : node.outputs) {
      if (v == no_value) continue;
      if (!exists(v)) return wrong("a result names a value that does not exist", node.op);
      if (defined_[index(v)]) return wrong("'" + g_.values[index(v)].name + "' is computed twice", node.op);
      define(v);
    }
    return base::done();
  }

  void define(ValueId v) {
    defined_[index(v)] = true;
    for (ValueId e : g_.values[index(v)].elements)
      if (!defined_[index(e)]) define(e);
  }

  const Graph& g_;
  std::vector<bool> defined_;
};

}  // namespace

std::vector<ValueId> reads(const Node& node) {
  std::vector<ValueId> out;
  for (const Argument& argument : node.arguments) {
    if (auto* ref = std::get_if<ValueRef>(&argument.value)) add_read(out, ref->id);
    if (auto* list = std::get_if<ValueList>(&argument.value))
      for (ValueId id : list->ids) add_read(out, id);
    if (auto* ints = std::get_if<std::vector<IntOrValue>>(&argument.value))
      for (const IntOrValue& i : *ints) add_read(out, i.id);
  }
  return out;
}

const Argument* find_argument(const Node& node, std::string_view name) {
  for (const Argument& argument : node.arguments)
    if (argument.name == name) return &argument;
  return nullptr;
}

base::Status validate(const Graph& graph) {
  if (graph.values.size() > static_cast<std::size_t>(std::numeric_limits<ValueId>::max())) return wrong("too many values", "values");
  return Validator(graph).run();
}

}  // namespace kw::graph
