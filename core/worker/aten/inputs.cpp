#include "core/worker/aten/inputs.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <set>

#include "core/worker/aten/convert.h"

namespace kw::aten {
namespace {

using graph::pt2::Leaf;
using graph::pt2::StoredTensor;

at::Tensor copied(const StoredTensor& stored) {
  const auto type = scalar_type(stored.type.dtype);
  at::Tensor flat = at::empty({stored.type.span()}, at::TensorOptions().dtype(type));
  if (!stored.bytes.empty()) std::memcpy(flat.data_ptr(), stored.bytes.data(), std::min<std::size_t>(stored.bytes.size(), flat.nbytes()));
  return flat.as_strided(stored.type.sizes, stored.type.strides, 0);
}

// Tensors, and numbers where the graph wants one; None, strings and flags were fixed by the export.
std::vector<const Leaf*> flowing(const graph::Graph& graph, const graph::pt2::Leaves& leaves) {
  std::vector<const Leaf*> all, tensors;
  bool wants_numbers = false;
  for (const graph::ValueId id : graph.inputs) wants_numbers |= graph.values[static_cast<std::size_t>(id)].kind == graph::ValueKind::integer;
  for (const Leaf& leaf : leaves.leaves) {
    if (std::holds_alternative<StoredTensor>(leaf)) tensors.push_back(&leaf);
    if (std::holds_alternative<StoredTensor>(leaf) || (wants_numbers && std::holds_alternative<std::int64_t>(leaf))) all.push_back(&leaf);
  }
  return all.size() == graph.inputs.size() ? all : tensors;
}

// By name when the file has every input's name, else nothing.
std::vector<const Leaf*> by_name(const graph::Graph& graph, const graph::pt2::Leaves& leaves) {
  std::vector<const Leaf*> found;
  for (const graph::ValueId id : graph.inputs) {
    const auto name = std::find(leaves.names.begin(), leaves.names.end(), graph.values[static_cast<std::size_t>(id)].name);
    if (name == leaves.names.end()) return {};
    found.push_back(&leaves.leaves[static_cast<std::size_t>(name - leaves.names.begin())]);
  }
  return found;
}

base::Result<at::Tensor> fitted(const graph::Value& value, const Leaf& leaf, const std::string& where) {
  if (value.kind == graph::ValueKind::integer) {
    if (const auto* number = std::get_if<std::int64_t>(&leaf)) return at::scalar_tensor(*number, at::kLong);
    const auto* stored = std::get_if<StoredTensor>(&leaf);
    if (stored && graph::is_integral(stored->type.dtype) && stored->type.elements() == 1) return copied(*stored).to(at::kLong).reshape({});
    return base::bad_input("The input '" + value.name + "' must be one integer.", where);
  }
  const auto* stored = std::get_if<StoredTensor>(&leaf);
  if (!stored) return base::bad_input("The input '" + value.name + "' must be a tensor.", where);
  if (stored->type.dtype != value.type.dtype || stored->type.sizes != value.type.sizes) {
    graph::TensorType given{stored->type.dtype, stored->type.sizes, graph::contiguous_strides(stored->type.sizes)};
    graph::TensorType wanted{value.type.dtype, value.type.sizes, graph::contiguous_strides(value.type.sizes)};
    return base::bad_input("The input '" + value.name + "' is " + given.text() + ", the model takes " + wanted.text() + ".", where);
  }
  return copied(*stored);
}

// Operators that read rows of a table by an index: the argument with the indices, the table, and which of its dimensions.
struct IndexRow {
  std::string_view op, indices, table;
  bool dim_argument;                    // else dimension 0
};
constexpr IndexRow index_rows[] = {
    {"aten.embedding.", "indices", "weight", false},     {"aten.embedding_bag.", "indices", "weight", false},
    {"aten._embedding_bag", "indices", "weight", false}, {"aten.index_select.", "index", "self", true},
    {"aten.gather.", "index", "self", true},             {"aten.scatter.", "index", "self", true},
    {"aten.scatter_add.", "index", "self", true},        {"aten.take_along_dim.", "indices", "self", true},
    {"aten.index_add.", "index", "self", true},          {"aten.nll_loss", "target", "self", false},
};
constexpr std::int64_t default_bound = 2;   // two values are in range of nearly everything that takes an integer

const graph::Value* tensor_argument(const graph::Graph& graph, const graph::Node& node, std::string_view name) {
  const graph::Argument* argument = graph::find_argument(node, name);
  const auto* reference = argument ? std::get_if<graph::ValueRef>(&argument->value) : nullptr;
  return reference ? &graph.values[static_cast<std::size_t>(reference->id)] : nullptr;
}

bool holds(const graph::Node& node, std::string_view name, graph::ValueId id) {
  const graph::Argument* argument = graph::find_argument(node, name);
  if (!argument) return false;
  if (const auto* reference = std::get_if<graph::ValueRef>(&argument->value)) return reference->id == id;
  const auto* list = std::get_if<graph::ValueList>(&argument->value);
  return list && std::find(list->ids.begin(), list->ids.end(), id) != list->ids.end();
}

std::int64_t dimension(const graph::Graph& graph, const graph::Node& node, const IndexRow& row) {
  const graph::Value* table = tensor_argument(graph, node, row.table);
  if (!table || table->type.sizes.empty()) return default_bound;
  std::int64_t dim = 0;
  if (const graph::Argument* argument = row.dim_argument ? graph::find_argument(node, "dim") : nullptr)
    if (const auto* literal = std::get_if<std::int64_t>(&argument->value)) dim = *literal;
  const auto rank = static_cast<std::int64_t>(table->type.sizes.size());
  if (dim < 0) dim += rank;
  return dim >= 0 && dim < rank ? table->type.sizes[static_cast<std::size_t>(dim)] : default_bound;
}

// table[i, j]: the smallest of the dimensions that `id` indexes.
std::int64_t advanced_bound(const graph::Graph& graph, const graph::Node& node, graph::ValueId id) {
  const graph::Value* table = tensor_argument(graph, node, "self");
  const auto* list = std::get_if<graph::ValueList>(&graph::find_argument(node, "indices")->value);
  std::int64_t bound = std::numeric_limits<std::int64_t>::max();
  for (std::size_t d = 0; table && list && d < list->ids.size() && d < table->type.sizes.size(); ++d)
    if (list->ids[d] == id) bound = std::min(bound, table->type.sizes[d]);
  return bound;
}

// Follows the integer through operators that keep its values (views, casts).
void narrow_bound(const graph::Graph& graph, graph::ValueId id, std::set<graph::ValueId>& seen, std::int64_t& bound) {
  if (!seen.insert(id).second) return;
  for (const graph::Node& node : graph.nodes) {
    const auto reads = graph::reads(node);
    if (std::find(reads.begin(), reads.end(), id) == reads.end()) continue;
    for (const IndexRow& row : index_rows)
      if (node.op.starts_with(row.op) && holds(node, row.indices, id)) bound = std::min(bound, dimension(graph, node, row));
    const bool advanced = node.op.starts_with("aten.index.") || node.op.starts_with("aten.index_put");
    if (advanced && holds(node, "indices", id)) bound = std::min(bound, advanced_bound(graph, node, id));
    for (const graph::ValueId output : node.outputs)
      if (output != graph::no_value && reads.size() == 1 && graph::is_integral(graph.values[static_cast<std::size_t>(output)].type.dtype))
        narrow_bound(graph, output, seen, bound);
  }
}

at::Tensor drawn(const graph::Graph& graph, graph::ValueId id, at::Generator& generator) {
  const graph::Value& value = graph.values[static_cast<std::size_t>(id)];
  if (value.kind == graph::ValueKind::integer) return at::scalar_tensor(value.known_int.value_or(1), at::kLong);
  const at::TensorOptions options = at::TensorOptions().dtype(scalar_type(value.type.dtype));
  if (graph::is_integral(value.type.dtype) || value.type.dtype == graph::DType::boolean) {
    const std::int64_t bound = value.type.dtype == graph::DType::boolean ? 2 : std::min<std::int64_t>(integer_bound(graph, id), graph::byte_size(value.type.dtype) == 1 ? 127 : 32767);
    return at::randint(std::max<std::int64_t>(bound, 1), value.type.sizes, generator, options);
  }
  return at::randn(value.type.sizes, generator, options);
}

}  // namespace

std::int64_t integer_bound(const graph::Graph& graph, graph::ValueId input) {
  std::int64_t bound = std::numeric_limits<std::int64_t>::max();
  std::set<graph::ValueId> seen;
  narrow_bound(graph, input, seen, bound);
  return bound == std::numeric_limits<std::int64_t>::max() ? default_bound : bound;
}

base::Result<Tensors> match_inputs(const graph::Graph& graph, const graph::pt2::Leaves& leaves, const std::string& where) {
  std::vector<const Leaf*> chosen = leaves.names.empty() ? std::vector<const Leaf*>{} : by_name(graph, leaves);
  if (chosen.empty()) chosen = flowing(graph, leaves);
  if (chosen.size() != graph.inputs.size())
    return base::bad_input("The model takes " + std::to_string(graph.inputs.size()) + " inputs, the file holds " + std::to_string(chosen.size()) + ".", where);
  Tensors inputs;
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    auto tensor = fitted(graph.values[static_cast<std::size_t>(graph.inputs[i])], *chosen[i], where);
    if (!tensor) return tensor.error();
    inputs.push_back(std::move(tensor).value());
  }
  return inputs;
}

base::Result<Tensors> draw_inputs(const graph::Graph& graph, std::uint64_t seed) {
  Tensors inputs;
  try {
    at::Generator generator = at::detail::createCPUGenerator(seed);
    for (const graph::ValueId id : graph.inputs) inputs.push_back(drawn(graph, id, generator));
  } catch (const std::exception& error) {
    return base::bad_input("Inputs cannot be drawn: " + first_line(error), "inputs");
  }
  return inputs;
}

}  // namespace kw::aten
