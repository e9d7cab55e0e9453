#include "core/graph/aliases.h"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/graph/task.h"

namespace kw::graph {

namespace {

// Overload-free names of operators whose result may share memory with their first argument, or with any member of a list
// that stands there. Some do so only in special cases: sum_to_size of the same size, einsum of one operand, dropout in eval.
constexpr std::string_view views[] = {
    "_conj", "_neg_view", "_reshape_alias", "_unsafe_view", "adjoint", "alias", "alpha_dropout", "as_strided", "atleast_1d", "atleast_2d",
    "atleast_3d", "broadcast_tensors", "broadcast_to", "cartesian_prod", "chain_matmul", "channel_shuffle", "chunk", "conj", "conj_physical",
    "contiguous", "detach", "diagonal", "dropout", "dsplit", "einsum", "expand", "expand_as", "feature_alpha_dropout", "feature_dropout",
    "flatten", "hsplit", "imag", "lift_fresh", "lift_fresh_copy", "linalg_diagonal", "mH", "mT", "matrix_H", "meshgrid", "moveaxis", "movedim",
    "narrow", "numpy_T", "permute", "positive", "ravel", "real", "reshape", "reshape_as", "resolve_conj", "resolve_neg", "select", "slice",
    "split", "split_with_sizes", "squeeze", "sum_to_size", "swapaxes", "swapdims", "t", "tensor_split", "to", "transpose", "type_as", "unbind",
    "unflatten", "unfold", "unsafe_chunk", "unsafe_split", "unsafe_split_with_sizes", "unsqueeze", "view", "view_as", "view_as_complex",
    "view_as_real", "vsplit"};

std::string base_name(const std::string& op) {
  const std::size_t first = op.find('.');
  if (first == std::string::npos) return op;
  const std::size_t second = op.find('.', first + 1);
  return op.substr(first + 1, second == std::string::npos ? std::string::npos : second - first - 1);
}

ValueId first_tensor(const Node& node) {
  if (node.arguments.empty()) return no_value;
  const auto* ref = std::get_if<ValueRef>(&node.arguments[0].value);
  return ref ? ref->id : no_value;
}

// The tensors that a view's result may share memory with.
std::vector<ValueId> sources(const Node& node) {
  const ValueId first = first_tensor(node);
  return first == no_value ? reads(node) : std::vector<ValueId>{first};
}

// The functional twin would promote to this other operand's type where the in-place operator keeps its own.
bool promotes(const TensorType& self, const TensorType& other) {
  if (other.dtype == self.dtype || other.dtype == DType::boolean) return false;
  if (is_floating(self.dtype)) return !is_integral(other.dtype) && !(is_floating(other.dtype) && other.sizes.empty());
  return true;
}

// Every element at an address of its own, in some order of the dimensions.
bool dense(const TensorType& type) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;
  for (std::size_t i = 0; i < type.sizes.size(); ++i)
    if (type.sizes[i] != 1) axes.emplace_back(type.strides[i], type.sizes[i]);
  std::sort(axes.begin(), axes.end());
  std::int64_t expected = 1;
  for (const auto& [stride, size] : axes) {
    if (stride != expected) return false;
    expected *= size;
  }
  return true;
}

}  // namespace

bool may_return_view(const std::string& op) {
  const std::string name = base_name(op);
  return op.starts_with("aten.") && std::find(std::begin(views), std::end(views), name) != std::end(views);
}

bool in_place(const std::string& op) {
  const std::string name = base_name(op);
  return op.starts_with("aten.") && name.ends_with('_') && !name.ends_with("__");
}

std::string functional_name(const std::string& op) {
  if (!in_place(op)) return op;
  std::string out = op;
  out.erase(5 + base_name(op).size() - 1, 1);   // after "aten."
  return out;
}

Aliases::Aliases(const Graph& graph) : roots_(graph.values.size()), readers_(graph.values.size()) {
  for (std::size_t v = 0; v < roots_.size(); ++v) roots_[v] = static_cast<ValueId>(v);
  for (std::size_t n = 0; n < graph.nodes.size(); ++n) {
    const Node& node = graph.nodes[n];
    for (ValueId v : reads(node)) readers_[static_cast<std::size_t>(v)].push_back(static_cast<int>(n));
    if (!(may_return_view(node.op) || in_place(node.op))) continue;
    const std::vector<ValueId> from = in_place(node.op) ? std::vector<ValueId>{first_tensor(node)} : sources(node);
    if (from.empty() || from[0] == no_value) continue;
    for (ValueId other : from) merge(graph, from[0], other);
    for (ValueId out : node.outputs) {
      if (out == no_value) continue;
      roots_[static_cast<std::size_t>(out)] = root(from[0]);
      for (ValueId e : graph.values[static_cast<std::size_t>(out)].elements) roots_[static_cast<std::size_t>(e)] = root(from[0]);
    }
  }
  for (const Output& o : graph.outputs)
    if (o.value != no_value) readers_[static_cast<std::size_t>(o.value)].push_back(static_cast<int>(graph.nodes.size()));
}

// One class from now on; its root is a value from outside where there is one, so nobody takes the class for fresh.
void Aliases::merge(const Graph& graph, ValueId a, ValueId b) {
  ValueId keep = root(a), drop = root(b);
  if (keep == drop) return;
  if (graph.values[static_cast<std::size_t>(keep)].origin == Origin::node) std::swap(keep, drop);
  std::replace(roots_.begin(), roots_.end(), drop, keep);
}

int Aliases::last_read(ValueId wanted, int except_node) const {
  int last = -1;
  for (std::size_t v = 0; v < roots_.size(); ++v)
    if (roots_[v] == wanted)
      for (int n : readers_[v])
        if (n != except_node) last = std::max(last, n);
  return last;
}

bool fresh_in_place(const Graph& graph, const Aliases& aliases, int position) {
  const Node& node = graph.nodes[static_cast<std::size_t>(position)];
  const ValueId self = first_tensor(node);
  if (!in_place(node.op) || self == no_value || node.outputs.size() != 1 || node.outputs[0] == no_value) return false;
  const ValueId root = aliases.root(self), out = node.outputs[0];
  const auto& values = graph.values;
  if (values[static_cast<std::size_t>(root)].origin != Origin::node) return false;
  const TensorType& type = values[static_cast<std::size_t>(self)].type;
  if (values[static_cast<std::size_t>(out)].type != type || !dense(type)) return false;
  for (ValueId v : reads(node))
    if (values[static_cast<std::size_t>(v)].kind == ValueKind::tensor && promotes(type, values[static_cast<std::size_t>(v)].type)) return false;
  // Reads after this node must go through self or the result: any other alias would have seen the write.
  for (std::size_t v = 0; v < values.size(); ++v) {
    const auto id = static_cast<ValueId>(v);
    if (id == self || id == out || aliases.root(id) != root) continue;
    bool later_alias = false;
    for (int n : aliases.readers(id)) later_alias |= n > position;
    if (!later_alias) continue;
    // An alias made after the write from the result sees the new values anyway.
    bool made_after = false;
    for (std::size_t n = static_cast<std::size_t>(position) + 1; n < graph.nodes.size() && !made_after; ++n)
      for (ValueId made : graph.nodes[n].outputs)
        made_after |= made == id || (made != no_value && std::count(values[static_cast<std::size_t>(made)].elements.begin(), values[static_cast<std::size_t>(made)].elements.end(), id) > 0);
    if (!made_after) return false;
  }
  return true;
}

}  // namespace kw::graph
