#pragma once
// Small graphs for tests, one line a node.

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace kw {

struct Graphs {
  graph::Graph graph;

  graph::ValueId value(const std::string& name, std::vector<std::int64_t> sizes, graph::Origin origin, graph::DType dtype) {
    graph::Value v;
    v.name = name;
    v.origin = origin;
    v.type = {dtype, sizes, graph::contiguous_strides(sizes)};
    graph.values.push_back(std::move(v));
    return static_cast<graph::ValueId>(graph.values.size()) - 1;
  }
  graph::ValueId input(const std::string& name, std::vector<std::int64_t> sizes, graph::DType dtype = graph::DType::f32) {
    graph.inputs.push_back(value(name, std::move(sizes), graph::Origin::input, dtype));
    return graph.inputs.back();
  }
  graph::ValueId buffer(const std::string& name, std::vector<std::int64_t> sizes, graph::DType dtype = graph::DType::f32) {
    return value(name, std::move(sizes), graph::Origin::buffer, dtype);
  }
  // One output; arguments by position when their name is empty.
  graph::ValueId node(const std::string& op, std::vector<graph::Argument> arguments, graph::DType dtype = graph::DType::f32) {
    const graph::ValueId out = value("n" + std::to_string(graph.nodes.size()), {}, graph::Origin::node, dtype);
    graph.nodes.push_back({op, std::move(arguments), {out}, {"model.py", 10 + static_cast<int>(graph.nodes.size())}, ""});
    return out;
  }
  void output(graph::ValueId id) { graph.outputs.push_back({id, graph::OutputKind::user, graph::no_value}); }
};

inline graph::Argument ref(graph::ValueId id, const std::string& name = "") { return {name, false, graph::ValueRef{id}}; }
inline graph::Argument lit(graph::Literal literal, const std::string& name = "") { return {name, false, std::move(literal)}; }

}  // namespace kw
