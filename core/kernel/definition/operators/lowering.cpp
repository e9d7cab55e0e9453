#include "core/kernel/definition/operators/lowering.h"

#include <algorithm>

namespace kw::kernel::table {
namespace {

// "aten._log_softmax.default" -> "log_softmax"
std::string base_name(const std::string& op) {
  const auto first = op.find('.');
  const auto last = op.rfind('.');
  std::string base = first == std::string::npos || last == first ? op : op.substr(first + 1, last - first - 1);
  base.erase(0, std::min(base.find_first_not_of('_'), base.size()));
  return base.empty() ? "node" : base;
}

std::string sizes_text(const Sizes& sizes) {
  std::string out;
  for (const std::int64_t s : sizes) out += (out.empty() ? "" : ", ") + std::to_string(s);
  return "[" + out + "]";
}

}  // namespace

void refuse(std::string reason) { throw Refused{std::move(reason)}; }

std::string Builder::unique_name(const std::string& wanted) {
  std::string name = wanted;
  for (int k = 2; !names.insert(name).second; ++k) name = wanted + "_" + std::to_string(k);
  return name;
}

Operand Builder::add_input(const graph::Value& value, int position) {
  Operand operand;
  operand.sizes = value.type.sizes;
  operand.dtype = value.type.dtype;
  operand.tensor = static_cast<int>(program.tensors.size());
  operand.maps = point(value.type.sizes);
  program.tensors.push_back({unique_name(value.name), value.type, -1, position, {}});
  return operand;
}

Lowering::Lowering(Builder& builder, const graph::Graph& graph, int node_position, const graph::Node& node)
    : builder_(builder), graph_(graph), position_(node_position), node_(node) {
  // Definitions of one node share a name; the second softmax of a task is "softmax_2".
  base_name_ = builder.unique_name(base_name(node.op));
}

int Lowering::results() const { return static_cast<int>(node_.outputs.size()); }

const graph::TensorType& Lowering::result(int k) const {
  if (k >= results() || node_.outputs[static_cast<std::size_t>(k)] == graph::no_value)
    refuse("result " + std::to_string(k) + " has no type in the graph");
  return graph_.values[static_cast<std::size_t>(node_.outputs[static_cast<std::size_t>(k)])].type;
}

void Lowering::check_result(const Operand& operand, const graph::Value& value) const {
  if (operand.sizes != value.type.sizes)
    refuse("the graph gives " + value.name + " the sizes " + sizes_text(value.type.sizes) + ", the operator gives " +
           sizes_text(operand.sizes));
  if (operand.dtype != value.type.dtype)
    refuse("the graph gives " + value.name + " the type " + std::string(graph::name(value.type.dtype)) +
           ", the operator gives " + std::string(graph::name(operand.dtype)));
}

void Lowering::give(const Operand& operand, int k) {
  if (k >= results()) refuse("the operator has more results than the graph states");
  const graph::ValueId id = node_.outputs[static_cast<std::size_t>(k)];
  if (id == graph::no_value) return;
  check_result(operand, graph_.values[static_cast<std::size_t>(id)]);
  builder_.operands[id] = operand;
}

void Lowering::give_list(const std::vector<Operand>& members) {
  if (results() != 1 || node_.outputs[0] == graph::no_value) refuse("the operator gives one tensor list");
  const graph::Value& list = graph_.values[static_cast<std::size_t>(node_.outputs[0])];
  if (list.kind != graph::ValueKind::tensor_list || list.elements.size() != members.size())
    refuse("the graph states " + std::to_string(list.elements.size()) + " members of " + list.name +
           ", the operator gives " + std::to_string(members.size()));
  for (std::size_t k = 0; k < members.size(); ++k) {
    if (list.elements[k] == graph::no_value) continue;
    check_result(members[k], graph_.values[static_cast<std::size_t>(list.elements[k])]);
    builder_.operands[list.elements[k]] = members[k];
  }
}

void Lowering::give_nothing() {}

Operand Lowering::pointwise(const std::string& suffix, const Sizes& sizes, DType storage, const Expr& body) {
  const Expr value = cast(body, compute_type(storage));
  if (value->op == Op::constant) {
    Operand uniform;
    uniform.sizes = sizes;
    uniform.dtype = storage;
    uniform.uniform = value;
    return uniform;
  }
  return reduce(suffix, sizes, {}, Combiner::none, storage, {value});   // over no axis
}

Operand Lowering::reduce(const std::string& suffix, const Sizes& sizes, const Sizes& over, Combiner combiner, DType storage,
                         const std::vector<Expr>& body) {
  Program& program = builder_.program;
  Definition definition;
  definition.name = suffix.empty() ? base_name_ : builder_.unique_name(base_name_ + "." + suffix);
  definition.op = node_.op;
  definition.node = position_;
  definition.tensor = static_cast<int>(program.tensors.size());
  definition.domain = sizes;
  definition.reduce = over;
  definition.combiner = combiner;
  definition.body = body;

  Operand operand;
  operand.sizes = sizes;
  operand.dtype = storage;
  operand.tensor = definition.tensor;
  operand.maps = point(sizes);
  const graph::TensorType type{storage, sizes, graph::contiguous_strides(sizes)};
  program.tensors.push_back({definition.name, type, static_cast<int>(program.definitions.size()), -1, {}});
  program.definitions.push_back(std::move(definition));
  return operand;
}

Expr Lowering::at(const Operand& x, const std::vector<Index>& index, const Extents& extents) const {
  if (x.uniform) return x.uniform;
  std::vector<Index> maps;
  for (const Index& map : x.maps) maps.push_back(substitute(map, index, extents));
  return kernel::read(x.tensor, std::move(maps), x.dtype, x.component);
}

Expr Lowering::read(const Operand& x, const Sizes& sizes) const {
  if (x.sizes.size() > sizes.size()) refuse("cannot broadcast " + sizes_text(x.sizes) + " to " + sizes_text(sizes));
  const std::size_t shift = sizes.size() - x.sizes.size();
  std::vector<Index> index;
  for (std::size_t k = 0; k < x.sizes.size(); ++k) {
    if (x.sizes[k] != 1 && x.sizes[k] != sizes[k + shift])
      refuse("cannot broadcast " + sizes_text(x.sizes) + " to " + sizes_text(sizes));
    index.push_back(x.sizes[k] == 1 ? constant(0) : variable(static_cast<int>(k + shift)));
  }
  return at(x, index, sizes);
}

}  // namespace kw::kernel::table
