#include <array>

#include "core/engine/report/export_text.h"

namespace kw::report {
namespace {

struct IndexRow { const char* op; const char* argument; const char* into; const char* dimension; };
constexpr IndexRow index_rows[] = {
    {"aten.embedding.default", "indices", "weight", ""},
    {"aten.gather.default", "index", "self", "dim"},
    {"aten.index_select.default", "index", "self", "dim"},
};
struct PositiveRow { const char* prefix; const char* argument; };
constexpr PositiveRow positive_rows[] = {
    {"aten.batch_norm", "running_var"}, {"aten._native_batch_norm", "running_var"}, {"aten.native_batch_norm", "running_var"},
    {"aten.sqrt", "self"},              {"aten.rsqrt", "self"},                     {"aten.log", "self"},
};

bool is(const graph::Argument* argument, graph::ValueId id) {
  const auto* ref = argument != nullptr ? std::get_if<graph::ValueRef>(&argument->value) : nullptr;
  return ref != nullptr && ref->id == id;
}

std::int64_t extent(const graph::Graph& task, const graph::Node& node, const IndexRow& row) {
  const auto* into = graph::find_argument(node, row.into);
  const auto* ref = into != nullptr ? std::get_if<graph::ValueRef>(&into->value) : nullptr;
  if (ref == nullptr) return 1;
  const auto& sizes = task.values[ref->id].type.sizes;
  const auto* named = row.dimension[0] != 0 ? graph::find_argument(node, row.dimension) : nullptr;
  const auto* value = named != nullptr ? std::get_if<std::int64_t>(&named->value) : nullptr;
  std::int64_t dimension = value != nullptr ? *value : 0;
  if (dimension < 0) dimension += static_cast<std::int64_t>(sizes.size());
  return dimension >= 0 && dimension < static_cast<std::int64_t>(sizes.size()) ? sizes[dimension] : 1;
}

}  // namespace

std::string domain(const graph::Graph& task, graph::ValueId input) {
  for (const graph::Node& node : task.nodes) {
    for (const PositiveRow& row : positive_rows)
      if (node.op.rfind(row.prefix, 0) == 0 && is(graph::find_argument(node, row.argument), input)) return "positive";
    for (const IndexRow& row : index_rows)
      if (node.op == row.op && is(graph::find_argument(node, row.argument), input)) return "index " + std::to_string(extent(task, node, row));
  }
  return "any";
}

}  // namespace kw::report
