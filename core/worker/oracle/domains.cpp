#include "core/worker/oracle/domains.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <variant>

namespace kw::oracle {
namespace {

struct Row {
  std::string_view op;         // without the overload
  std::string_view argument;
  DomainKind kind;
  std::string_view into = {};  // index: the argument whose dimension it counts
  std::string_view dim = {};   // index: the argument that names the dimension; empty: dimension 0
};

constexpr Row rows[] = {
    {"aten.batch_norm", "running_var", DomainKind::positive},
    {"aten.native_batch_norm", "running_var", DomainKind::positive},
    {"aten._native_batch_norm_legit_no_training", "running_var", DomainKind::positive},
    {"aten._native_batch_norm_legit", "running_var", DomainKind::positive},
    {"aten.sqrt", "self", DomainKind::mostly_positive},
    {"aten.rsqrt", "self", DomainKind::mostly_positive},
    {"aten.log", "self", DomainKind::mostly_positive},
    {"aten.log2", "self", DomainKind::mostly_positive},
    {"aten.log10", "self", DomainKind::mostly_positive},
    {"aten.log1p", "self", DomainKind::mostly_positive},
    {"aten.xlogy", "other", DomainKind::mostly_positive},
    {"aten.bernoulli", "self", DomainKind::probability},
    {"aten.logit", "self", DomainKind::probability},
    {"aten.embedding", "indices", DomainKind::index, "weight"},
    {"aten.gather", "index", DomainKind::index, "self", "dim"},
    {"aten.index_select", "index", DomainKind::index, "self", "dim"},
    {"aten.one_hot", "self", DomainKind::fixed},
    {"aten.nll_loss", "target", DomainKind::fixed},
    {"aten.cross_entropy_loss", "target", DomainKind::fixed},
    {"aten.embedding_bag", "indices", DomainKind::fixed},
    {"aten.embedding_bag", "offsets", DomainKind::fixed},
    {"aten.bucketize", "boundaries", DomainKind::fixed},
    {"aten.searchsorted", "sorted_sequence", DomainKind::fixed},
    {"aten.repeat_interleave", "repeats", DomainKind::fixed},
    {"aten.scatter", "index", DomainKind::fixed},
    {"aten.scatter_add", "index", DomainKind::fixed},
    {"aten.index", "indices", DomainKind::index},
};

// Operators that hand the values on as they are.
constexpr std::string_view passing[] = {"aten.view", "aten.reshape", "aten._unsafe_view", "aten.unsqueeze", "aten.squeeze", "aten.expand",
                                        "aten.permute", "aten.transpose", "aten.t", "aten.contiguous", "aten.clone", "aten._to_copy",
                                        "aten.to", "aten.detach", "aten.alias", "aten.slice", "aten.select", "aten.flatten"};

std::string_view without_overload(std::string_view op) {
  const std::size_t dot = op.rfind('.');
  return op.find('.') == dot ? op : op.substr(0, dot);
}

bool mentions(const graph::Literal& value, graph::ValueId id) {
  if (const auto* ref = std::get_if<graph::ValueRef>(&value)) return ref->id == id;
  if (const auto* list = std::get_if<graph::ValueList>(&value)) return std::find(list->ids.begin(), list->ids.end(), id) != list->ids.end();
  return false;
}

Domain range_of(const graph::Graph& task, const graph::Node& node, const Row& row) {
  Domain domain{row.kind};
  const graph::Argument* into = row.into.empty() ? nullptr : graph::find_argument(node, row.into);
  const auto* ref = into != nullptr ? std::get_if<graph::ValueRef>(&into->value) : nullptr;
  if (ref == nullptr || ref->id < 0) return domain;
  const auto& sizes = task.values[static_cast<std::size_t>(ref->id)].type.sizes;
  std::int64_t dim = 0;
  if (!row.dim.empty()) {
    const graph::Argument* named = graph::find_argument(node, row.dim);
    if (named == nullptr || !std::holds_alternative<std::int64_t>(named->value)) return domain;
    dim = std::get<std::int64_t>(named->value);
  }
  const auto rank = static_cast<std::int64_t>(sizes.size());
  if (dim < 0) dim += rank;
  if (dim < 0 || dim >= rank) return domain;
  domain.high = sizes[static_cast<std::size_t>(dim)] - 1;
  return domain;
}

// The strictest kind wins: `fixed` over `index` over `positive` over the rest (the order of DomainKind).
void tighten(Domain& domain, const Domain& found) {
  if (found.kind > domain.kind || (found.kind == domain.kind && found.high >= found.low && (domain.high < domain.low || found.high < domain.high)))
    domain = found;
}

Domain domain_of(const graph::Graph& task, graph::ValueId input) {
  Domain domain;
  std::set<graph::ValueId> same{input};
  for (const graph::Node& node : task.nodes) {   // execution order: what a node hands on is seen by later nodes
    const std::string_view op = without_overload(node.op);
    for (const graph::ValueId value : std::vector<graph::ValueId>(same.begin(), same.end()))
      for (const graph::Argument& argument : node.arguments) {
        if (!mentions(argument.value, value)) continue;
        for (const Row& row : rows)
          if (row.op == op && row.argument == argument.name) tighten(domain, range_of(task, node, row));
        if (std::find(std::begin(passing), std::end(passing), op) != std::end(passing))
          same.insert(node.outputs.begin(), node.outputs.end());
      }
  }
  return domain;
}

}  // namespace

std::vector<Domain> input_domains(const graph::Graph& task) {
  std::vector<Domain> domains;
  for (const graph::ValueId input : task.inputs) domains.push_back(domain_of(task, input));
  return domains;
}

}  // namespace kw::oracle
