#pragma once
// Tasks: regions of a model's graph worth optimizing. A region is convex, has no border operator inside, and its
// inputs are not mutated between its first and its last node, so a plan may run where its last node stands.
// Regions do not overlap: all winners can be used together.

#include <functional>
#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace kw::graph {

// What the generator says of one node.
enum class OpClass : std::uint8_t {
  border,     // not generated: matmul, convolution, attention, unknown operators
  view,       // moves no data by itself
  fusable,    // pointwise, reduction, normalisation, softmax, pooling, cat, pad, copy
  nothing,    // asserts, detach: no work, no data
};
using Classifier = std::function<OpClass(const Graph&, const Node&)>;

// One place in the model where a task occurs. inputs/outputs are the model's values in the order of the task's own graph.
struct Instance {
  std::vector<int> nodes;               // positions in the model's graph, ascending
  std::vector<ValueId> inputs;
  std::vector<ValueId> outputs;
};

struct Task {
  std::string id;                       // "t00-softmax": position by time share, then the main operator
  Graph graph;                          // the region alone; its inputs carry Origin of the model's value
  std::string signature;                // operators, attributes, types and wiring; equal signatures are one task
  std::vector<Instance> instances;      // calls = instances.size()
};

// Single assignment: after an in-place operator on a value that nobody else aliases (relu_ on a fresh result), later uses
// of that value name the operator's result instead. The operator itself stays, so eager runs what the user wrote.
// In-place operators that reach an input, a buffer or a live alias are left alone and are borders.
Graph functionalize(const Graph& graph);

// "aten.relu_.default" -> "aten.relu.default"; unchanged where the operator is not in place.
std::string functional_name(const std::string& op);

// Maximal fusable regions of a functionalised graph, grouped by signature, in order of first occurrence; views at a
// region's rim are left outside. An in-place operator on a task's own input appears in its functional form.
std::vector<Task> find_tasks(const Graph& graph, const Classifier& classify);

}  // namespace kw::graph
