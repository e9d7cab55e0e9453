#include <map>

#include "core/graph/aliases.h"
#include "core/graph/task.h"

namespace kw::graph {

namespace {

void rename(ValueId& id, const std::map<ValueId, ValueId>& names) {
  for (auto found = names.find(id); found != names.end(); found = names.find(id)) id = found->second;
}

void rename_reads(Node& node, const std::map<ValueId, ValueId>& names) {
  for (Argument& argument : node.arguments) {
    if (auto* ref = std::get_if<ValueRef>(&argument.value)) rename(ref->id, names);
    if (auto* list = std::get_if<ValueList>(&argument.value))
      for (ValueId& id : list->ids) rename(id, names);
  }
}

}  // namespace

Graph functionalize(const Graph& graph) {
  const Aliases aliases(graph);
  Graph out = graph;
  std::map<ValueId, ValueId> names;   // value -> the result of the in-place operator that overwrote it
  for (std::size_t n = 0; n < out.nodes.size(); ++n) {
    rename_reads(out.nodes[n], names);
    if (fresh_in_place(graph, aliases, static_cast<int>(n))) {
      const ValueId self = std::get<ValueRef>(out.nodes[n].arguments[0].value).id;
      names[self] = out.nodes[n].outputs[0];
    }
  }
  for (Output& o : out.outputs)
    if (o.value != no_value) rename(o.value, names);
  return out;
}

}  // namespace kw::graph
