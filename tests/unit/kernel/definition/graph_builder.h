#pragma once
// Task graphs for tests, one line a node.

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "tests/fakes/case_builder.h"

namespace kw::kernel {

struct GraphBuilder {
  graph::Graph graph;

  graph::ValueId value(const std::string& name, const graph::TensorType& type, graph::Origin origin = graph::Origin::node) {
    graph::Value v;
    v.name = name;
    v.type = type;
    v.origin = origin;
    graph.values.push_back(v);
    return static_cast<graph::ValueId>(graph.values.size()) - 1;
  }
  int input(const std::string& name, const graph::TensorType& type) {
    graph.inputs.push_back(value(name, type, graph::Origin::input));
    return graph.inputs.back();
  }
  int node(const std::string& op, const graph::TensorType& type, const fakes::Arguments& arguments) {
    const graph::ValueId out = value("v" + std::to_string(graph.nodes.size()), type);
    graph.nodes.push_back({op, arguments, {out}, {}, ""});
    return out;
  }
  void output(int id) { graph.outputs.push_back({id, graph::OutputKind::user, graph::no_value}); }
};

}  // namespace kw::kernel
