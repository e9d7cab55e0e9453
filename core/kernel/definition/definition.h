#pragma once
// Layer 1: tensor expressions. An ATen operator lowers to a small DAG of definitions; views are index maps, not copies.
//
//   out[i0..in) = body(i0..in)                              pointwise: no reduction axes
//   out[i0..in) = combine over r0..rm of body(i0..in, r0..rm)
//
// Variables 0 … domain.size()-1 are the output axes, the ones after them the reduction axes.
// Everything is immutable and shared by const pointer; equal expressions may or may not share nodes.

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/graph/task.h"
#include "core/kernel/definition/expression.h"

namespace kw::kernel {

enum class Combiner : std::uint8_t {
  none, sum, product, max, min,              // max/min propagate NaN
  argmax, argmin,                            // components: value, index (i64, linear over the reduction axes; first extremum, NaN wins)
  any, all,
  moments,                                   // Welford: mean and M2 of body[0]
  max_sum_exp,                               // online softmax: max m and sum of exp(x - m)
};
int components(Combiner combiner);

// A tensor of a program: an input of the task, or what a definition computes. Element (i0..in) lies at the sum of
// i * type.strides. For an output that is the address the task's output type asks for: a reshaped or permuted view of
// what a definition computes needs no copy, so sizes and strides may differ from Program::output_types (the type of the
// buffer) while the addressed memory is the same.
struct Tensor {
  std::string name;
  graph::TensorType type;                    // storage type; sizes = domain of its definition
  int definition = -1;                       // -1: input
  int input = -1;                            // position among the task's inputs
  std::vector<int> outputs;                  // positions among the task's outputs it is stored to (may be several or none)
};

struct Definition {
  std::string name;                          // "softmax.max"
  std::string op;                            // the ATen operator it came from
  int node = -1;                             // position in the task's graph
  int tensor = -1;                           // what it writes: position in Program::tensors (component 0)
  std::vector<std::int64_t> domain;
  std::vector<std::int64_t> reduce;
  Combiner combiner = Combiner::none;
  std::vector<Expr> body;                    // one; several only where a combiner takes several
};

struct Program {
  std::vector<Tensor> tensors;
  std::vector<Definition> definitions;       // in dependency order
  std::vector<int> inputs;                   // tensor of each task input
  std::vector<int> outputs;                  // tensor of each task output
  std::vector<graph::TensorType> output_types;
};

// The lowering table has a row for this node and accepts its types and attributes; the reason when not.
base::Status can_lower(const graph::Graph& graph, const graph::Node& node);
graph::OpClass classify(const graph::Graph& graph, const graph::Node& node);   // graph::Classifier

base::Result<Program> define(const graph::Graph& task);
std::string text(const Program& program);

// The program without definitions that no output needs; tensors are renumbered, inputs stay.
Program remove_dead_definitions(const Program& program);
const char* name(Combiner combiner);

// Extents of all variables of a definition: the domain's, then the reduction axes'.
Extents all_extents(const Definition& definition);

// The table itself, for `kernelwright operators`.
struct OperatorRow { std::string op; std::string family; std::string note; };
std::vector<OperatorRow> operators();

}  // namespace kw::kernel
