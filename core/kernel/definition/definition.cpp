#include "core/kernel/definition/definition.h"

#include <algorithm>

#include "core/kernel/definition/operators/table.h"

namespace kw::kernel {
namespace {

using table::Builder;
using table::Kind;
using table::Lowering;
using table::Operand;
using table::Refused;
using table::refuse;
using table::Row;

// Largest tensor that index arithmetic in 64 bits handles with a wide margin.
constexpr std::int64_t most_elements = std::int64_t{1} << 44;

void check_type(const graph::Value& value) {
  if (value.kind != graph::ValueKind::tensor) return;
  if (value.type.dtype == DType::c64 || value.type.dtype == DType::c128) refuse(value.name + " is complex");
  std::int64_t elements = 1;
  for (const std::int64_t size : value.type.sizes) {
    if (size <= 0) refuse(value.name + " is an empty tensor");
    if (size > most_elements / elements) refuse(value.name + " is too large");
    elements *= size;
  }
}

const graph::Value& existing(const graph::Graph& graph, graph::ValueId id) {
  if (id < 0 || static_cast<std::size_t>(id) >= graph.values.size()) refuse("an argument names a value that does not exist");
  return graph.values[static_cast<std::size_t>(id)];
}

// Results after the first may be empty placeholders (statistics that batch norm does not keep); nothing gives them then.
void check_types(const graph::Graph& graph, const graph::Node& node) {
  std::vector<graph::ValueId> ids = graph::reads(node);
  if (!node.outputs.empty()) ids.push_back(node.outputs[0]);
  for (std::size_t k = 0; k < ids.size(); ++k) {
    if (ids[k] == graph::no_value) continue;
    const graph::Value& value = existing(graph, ids[k]);
    check_type(value);
    if (value.kind == graph::ValueKind::tensor_list) ids.insert(ids.end(), value.elements.begin(), value.elements.end());
  }
}

const Row& row_of(const graph::Node& node) {
  const Row* row = table::find_row(node.op);
  if (!row) refuse("no lowering for this operator");
  return *row;
}

void lower_node(Builder& builder, const graph::Graph& graph, int position) {
  const graph::Node& node = graph.nodes[static_cast<std::size_t>(position)];
  check_types(graph, node);
  Lowering lowering(builder, graph, position, node);
  row_of(node).lower(lowering);
}

// A program of one node, whose inputs are what the node reads.
Builder lower_alone(const graph::Graph& graph, const graph::Node& node) {
  Builder builder;
  check_types(graph, node);
  for (const graph::ValueId id : graph::reads(node)) {
    const graph::Value& value = existing(graph, id);
    const bool list = value.kind == graph::ValueKind::tensor_list;
    for (const graph::ValueId member : list ? value.elements : std::vector<graph::ValueId>{id}) {
      if (member == graph::no_value) continue;
      const graph::Value& tensor = existing(graph, member);
      if (tensor.kind == graph::ValueKind::tensor) builder.operands[member] = builder.add_input(tensor, -1);
    }
  }
  Lowering lowering(builder, graph, 0, node);
  row_of(node).lower(lowering);
  return builder;
}

// The address of an operand's element in memory, over the operand's dimensions.
Index address(const Operand& operand, const graph::TensorType& tensor) {
  Index sum;
  for (std::size_t k = 0; k < operand.maps.size(); ++k) sum = add(sum, scale(operand.maps[k], tensor.strides[k]));
  return sum;
}

Index address(const graph::TensorType& type) {
  Index sum;
  const std::vector<Index> point = table::point(type.sizes);
  for (std::size_t k = 0; k < point.size(); ++k) sum = add(sum, scale(point[k], type.strides[k]));
  return sum;
}

// Strides of the operand's tensor under which the operand has exactly the layout of `type`, if there are any.
std::optional<std::vector<std::int64_t>> strides_for(const Operand& operand, const graph::TensorType& tensor,
                                                     const graph::TensorType& type) {
  if (tensor.elements() != type.elements()) return std::nullopt;
  graph::TensorType permuted = tensor;
  for (std::size_t k = 0; k < operand.maps.size(); ++k) {
    const Index& map = operand.maps[k];
    const bool plain = map.terms.size() == 1 && map.terms[0].kind == IndexTerm::Kind::variable &&
                       map.terms[0].coefficient == 1 && map.constant == 0;
    if (plain) permuted.strides[k] = type.strides[static_cast<std::size_t>(map.terms[0].variable)];
  }
  if (address(operand, permuted) == address(type)) return permuted.strides;
  graph::TensorType rows = tensor;
  rows.strides = graph::contiguous_strides(tensor.sizes);
  if (address(operand, rows) == address(type)) return rows.strides;
  return std::nullopt;
}

// Whether the tensor itself can be what output `type` is stored as; settles its strides.
bool store_as(Program& program, const Operand& operand, const graph::TensorType& type) {
  if (operand.uniform || operand.component != 0) return false;
  Tensor& tensor = program.tensors[static_cast<std::size_t>(operand.tensor)];
  if (tensor.definition < 0 || tensor.type.dtype != type.dtype) return false;
  if (components(program.definitions[static_cast<std::size_t>(tensor.definition)].combiner) > 1) return false;
  const auto strides = strides_for(operand, tensor.type, type);
  if (!strides || (!tensor.outputs.empty() && *strides != tensor.type.strides)) return false;
  tensor.type.strides = *strides;
  return true;
}

// Whether two elements may share memory: by ascending stride, each must step over all that the smaller ones reach.
bool overlaps(const graph::TensorType& type) {
  std::vector<std::pair<std::int64_t, std::int64_t>> steps;   // stride, size
  for (std::size_t k = 0; k < type.sizes.size(); ++k)
    if (type.sizes[k] > 1) steps.emplace_back(type.strides[k], type.sizes[k]);
  std::sort(steps.begin(), steps.end());
  std::int64_t reach = 1;
  for (const auto& [stride, size] : steps) {
    if (stride < reach) return true;
    reach += (size - 1) * stride;
  }
  return false;
}

// A definition that copies `operand` into a tensor of the output's own type.
int copy_out(Builder& builder, const Operand& operand, const graph::Value& value, int node) {
  Program& program = builder.program;
  Definition copy;
  copy.name = builder.unique_name(value.name + ".out");
  copy.op = "copy";
  copy.node = node;
  copy.tensor = static_cast<int>(program.tensors.size());
  copy.domain = value.type.sizes;
  copy.body = {operand.uniform ? operand.uniform : read(operand.tensor, operand.maps, operand.dtype, operand.component)};
  program.tensors.push_back({copy.name, value.type, static_cast<int>(program.definitions.size()), -1, {}});
  program.definitions.push_back(copy);
  return copy.tensor;
}

void add_output(Builder& builder, const graph::Graph& task, int position) {
  const graph::ValueId id = task.outputs[static_cast<std::size_t>(position)].value;
  if (id == graph::no_value) refuse("a task output is None");
  const graph::Value& value = task.values[static_cast<std::size_t>(id)];
  if (overlaps(value.type)) refuse("the elements of output " + value.name + " overlap");
  const auto found = builder.operands.find(id);
  if (found == builder.operands.end()) refuse("the output " + value.name + " is not a tensor that the task computes");
  Program& program = builder.program;
  const Operand& operand = found->second;
  const int tensor = store_as(program, operand, value.type)
                         ? operand.tensor
                         : copy_out(builder, operand, value, static_cast<int>(task.nodes.size()) - 1);
  program.tensors[static_cast<std::size_t>(tensor)].outputs.push_back(position);
  program.outputs.push_back(tensor);
  program.output_types.push_back(value.type);
}

void add_inputs(Builder& builder, const graph::Graph& task) {
  for (std::size_t k = 0; k < task.inputs.size(); ++k) {
    const graph::Value& value = task.values[static_cast<std::size_t>(task.inputs[k])];
    check_type(value);
    if (value.kind != graph::ValueKind::tensor) refuse("the input " + value.name + " is not a tensor");
    const Operand operand = builder.add_input(value, static_cast<int>(k));
    builder.program.inputs.push_back(operand.tensor);
    builder.operands[task.inputs[k]] = operand;
  }
}

base::Error refused(const graph::Node& node, const Refused& refusal) {
  return {base::ErrorCode::unsupported, refusal.reason, node.op};
}

// Whether the node's first result lies in the memory of what it reads, in the layout that the graph states.
bool is_alias(const Builder& builder, const graph::Graph& graph, const graph::Node& node) {
  if (!builder.program.definitions.empty() || node.outputs.empty()) return false;
  const auto found = builder.operands.find(node.outputs[0]);
  if (found == builder.operands.end() || found->second.uniform) return false;
  const graph::TensorType& tensor = builder.program.tensors[static_cast<std::size_t>(found->second.tensor)].type;
  return address(found->second, tensor) == address(graph.values[static_cast<std::size_t>(node.outputs[0])].type);
}

}  // namespace

int components(Combiner combiner) {
  switch (combiner) {
    case Combiner::argmax:
    case Combiner::argmin:
    case Combiner::moments:
    case Combiner::max_sum_exp: return 2;
    default: return 1;
  }
}

Extents all_extents(const Definition& definition) {
  Extents all = definition.domain;
  all.insert(all.end(), definition.reduce.begin(), definition.reduce.end());
  return all;
}

base::Status can_lower(const graph::Graph& graph, const graph::Node& node) {
  try {
    lower_alone(graph, node);
    return base::done();
  } catch (const Refused& refusal) {
    return refused(node, refusal);
  }
}

graph::OpClass classify(const graph::Graph& graph, const graph::Node& node) {
  try {
    const Kind kind = row_of(node).kind;
    if (kind == Kind::nothing) return graph::OpClass::nothing;
    const Builder builder = lower_alone(graph, node);
    if (kind == Kind::view) return graph::OpClass::view;
    if (kind == Kind::alias_or_copy && is_alias(builder, graph, node)) return graph::OpClass::view;
    return graph::OpClass::fusable;
  } catch (const Refused&) {
    return graph::OpClass::border;
  }
}

base::Result<Program> define(const graph::Graph& task) {
  Builder builder;
  try {
    add_inputs(builder, task);
  } catch (const Refused& refusal) {
    return base::Error{base::ErrorCode::unsupported, refusal.reason, "inputs of the task"};
  }
  for (std::size_t n = 0; n < task.nodes.size(); ++n) {
    try {
      lower_node(builder, task, static_cast<int>(n));
    } catch (const Refused& refusal) {
      return refused(task.nodes[n], refusal);
    }
  }
  try {
    for (std::size_t k = 0; k < task.outputs.size(); ++k) add_output(builder, task, static_cast<int>(k));
  } catch (const Refused& refusal) {
    return base::Error{base::ErrorCode::unsupported, refusal.reason, "outputs of the task"};
  }
  return remove_dead_definitions(builder.program);
}

std::vector<OperatorRow> operators() {
  std::vector<OperatorRow> rows;
  for (const table::Family& family : table::families())
    for (const Row& row : family.rows) rows.push_back({row.op, family.name, row.note});
  return rows;
}

}  // namespace kw::kernel
