#include "core/worker/profile/costs.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "core/graph/aliases.h"

namespace kw::profile {

namespace {

using graph::Graph;
using graph::Node;
using graph::TensorType;

struct Operands {
  std::vector<const TensorType*> inputs, outputs;
};

Operands operands(const Graph& g, const Node& node) {
  Operands o;
  const auto add = [&](std::vector<const TensorType*>& to, graph::ValueId v) {
    const graph::Value& value = g.values[static_cast<std::size_t>(v)];
    if (value.kind == graph::ValueKind::tensor) to.push_back(&value.type);
    for (graph::ValueId e : value.elements) to.push_back(&g.values[static_cast<std::size_t>(e)].type);
  };
  for (graph::ValueId v : graph::reads(node)) add(o.inputs, v);
  for (graph::ValueId v : node.outputs)
    if (v != graph::no_value) add(o.outputs, v);
  return o;
}

std::int64_t last(const TensorType& t) { return t.sizes.empty() ? 1 : t.sizes.back(); }

// 2 × output elements × length of the inner product.
std::int64_t product(const Operands& o, std::size_t with_inner) {
  if (o.outputs.empty() || o.inputs.size() <= with_inner) return 0;
  return 2 * o.outputs[0]->elements() * last(*o.inputs[with_inner]);
}

std::int64_t convolution(const Operands& o) {
  if (o.outputs.empty() || o.inputs.size() < 2 || o.inputs[1]->sizes.empty() || o.inputs[1]->sizes[0] == 0) return 0;
  return 2 * o.outputs[0]->elements() * (o.inputs[1]->elements() / o.inputs[1]->sizes[0]);
}

// Every input element meets the weights of its channel once.
std::int64_t transposed_convolution(const Operands& o) {
  if (o.inputs.size() < 2 || o.inputs[1]->sizes.empty() || o.inputs[1]->sizes[0] == 0) return 0;
  return 2 * o.inputs[0]->elements() * (o.inputs[1]->elements() / o.inputs[1]->sizes[0]);
}

// Two products with the keys and the values.
std::int64_t attention(const Operands& o) {
  if (o.inputs.size() < 3 || o.inputs[1]->sizes.size() < 2) return 0;
  const std::int64_t keys = o.inputs[1]->sizes[o.inputs[1]->sizes.size() - 2];
  return 2 * (o.inputs[0]->elements() + (o.outputs.empty() ? 0 : o.outputs[0]->elements())) * keys;
}

std::int64_t elementwise(const Operands& o) {
  std::int64_t most = 0;
  for (const TensorType* t : o.inputs) most = std::max(most, t->elements());
  for (const TensorType* t : o.outputs) most = std::max(most, t->elements());
  return most;
}

// A view that had to copy shows by its element type, or by strides that a view of its input cannot have.
bool copies(const std::string& op, const TensorType& from, const TensorType& to) {
  const bool may_copy = op.starts_with("aten.reshape") || op.starts_with("aten.contiguous") || op.starts_with("aten.flatten");
  return from.dtype != to.dtype || (may_copy && !from.contiguous() && to.contiguous());
}

struct FlopRow {
  std::string_view prefix;
  std::int64_t (*count)(const Operands&);
};
constexpr FlopRow flop_rows[] = {
    {"aten.addmm.", [](const Operands& o) { return product(o, 1); }},   {"aten.baddbmm.", [](const Operands& o) { return product(o, 1); }},
    {"aten.mm.", [](const Operands& o) { return product(o, 0); }},      {"aten.bmm.", [](const Operands& o) { return product(o, 0); }},
    {"aten.matmul.", [](const Operands& o) { return product(o, 0); }},  {"aten.linear.", [](const Operands& o) { return product(o, 0); }},
    {"aten.mv.", [](const Operands& o) { return product(o, 0); }},      {"aten.dot.", [](const Operands& o) { return product(o, 0); }},
    {"aten.conv_transpose", transposed_convolution},
    {"aten.conv", convolution},                                         {"aten._convolution", convolution},
    {"aten.scaled_dot_product", attention},                             {"aten._scaled_dot_product", attention},
};

}  // namespace

Cost node_cost(const Graph& g, const Node& node) {
  const Operands o = operands(g, node);
  const auto bytes = [](const TensorType& t) { return t.elements() * graph::byte_size(t.dtype); };
  if (graph::may_return_view(node.op)) {
    const bool copied = !o.inputs.empty() && !o.outputs.empty() && copies(node.op, *o.inputs[0], *o.outputs[0]);
    return copied ? Cost{bytes(*o.inputs[0]) + bytes(*o.outputs[0]), 0} : Cost{};
  }
  Cost cost;
  for (const TensorType* t : o.inputs) cost.bytes += std::min(bytes(*t), t->span() * graph::byte_size(t->dtype));
  for (const TensorType* t : o.outputs) cost.bytes += bytes(*t);
  for (const FlopRow& row : flop_rows)
    if (node.op.starts_with(row.prefix)) {
      cost.flops = row.count(o);
      return cost;
    }
  cost.flops = elementwise(o);
  return cost;
}

}  // namespace kw::profile
