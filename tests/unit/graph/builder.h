#pragma once
// Graphs for tests, one line a node. "x" names stay readable in failures.

#include <string>
#include <vector>

#include "core/graph/aliases.h"
#include "core/graph/task.h"

namespace kw::graph {

struct Builder {
  Graph graph;

  ValueId value(const std::string& name, std::vector<std::int64_t> sizes, Origin origin = Origin::node, DType dtype = DType::f32) {
    Value v;
    v.name = name;
    v.origin = origin;
    v.type = {dtype, sizes, contiguous_strides(sizes)};
    graph.values.push_back(v);
    return static_cast<ValueId>(graph.values.size()) - 1;
  }
  ValueId input(const std::string& name, std::vector<std::int64_t> sizes = {4, 8}) {
    graph.inputs.push_back(value(name, std::move(sizes), Origin::input));
    return graph.inputs.back();
  }
  ValueId node(const std::string& op, std::vector<ValueId> arguments, std::vector<std::int64_t> sizes = {4, 8}) {
    const ValueId out = value(op.substr(5, op.find('.', 5) - 5) + std::to_string(graph.nodes.size()), std::move(sizes));
    Node n{op, {}, {out}, {}, ""};
    for (ValueId a : arguments) n.arguments.push_back({"", false, ValueRef{a}});
    graph.nodes.push_back(n);
    return out;
  }
  void output(ValueId v) { graph.outputs.push_back({v, OutputKind::user, no_value}); }
};

// conv and linear are borders, view-like operators views, the rest fusable.
inline OpClass classify_by_name(const Graph&, const Node& node) {
  if (node.op.find("conv") != std::string::npos || node.op.find("linear") != std::string::npos) return OpClass::border;
  return may_return_view(node.op) ? OpClass::view : OpClass::fusable;
}

}  // namespace kw::graph
