#include "core/kernel/definition/operators/table.h"

#include <map>

namespace kw::kernel::table {

std::vector<Family> families() {
  return {
      {"pointwise", pointwise_rows()},
      {"activation", activation_rows()},
      {"mask", mask_rows()},
      {"reduction", reduction_rows()},
      {"softmax", softmax_rows()},
      {"normalisation", normalisation_rows()},
      {"pooling", pooling_rows()},
      {"adaptive pooling", adaptive_pooling_rows()},
      {"view", view_rows()},
      {"layout", layout_rows()},
      {"padding", pad_rows()},
      {"factory", factory_rows()},
      {"loss", loss_rows()},
      {"no work", nothing_rows()},
  };
}

const Row* find_row(std::string_view op) {
  static const std::map<std::string_view, const Row*> index = [] {
    std::map<std::string_view, const Row*> rows;
    for (const Family& family : families())
      for (const Row& row : family.rows) rows.emplace(row.op, &row);
    return rows;
  }();
  if (const auto found = index.find(op); found != index.end()) return found->second;
  // A task keeps relu_ where nobody else sees the value that it overwrites; what it computes is what relu does.
  const auto found = index.find(graph::functional_name(std::string(op)));
  return found == index.end() ? nullptr : found->second;
}

}  // namespace kw::kernel::table
