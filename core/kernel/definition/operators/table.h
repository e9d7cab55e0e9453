#pragma once
// The lowering table: explicit rows, one file a family. A new operator is one row and its test case.

#include <span>
#include <string_view>
#include <vector>

#include "core/kernel/definition/operators/lowering.h"

namespace kw::kernel::table {

enum class Kind : std::uint8_t {
  compute,         // makes definitions, or moves data
  view,            // index maps only
  alias_or_copy,   // a view where the layout allows it (reshape, contiguous, to)
  nothing,         // no work, no data
};

struct Row {
  const char* op;
  void (*lower)(Lowering&);
  const char* note = "";           // what is refused or special, for people
  Kind kind = Kind::compute;
};

struct Family {
  const char* name;
  std::span<const Row> rows;
};

std::span<const Row> activation_rows();
std::span<const Row> factory_rows();
std::span<const Row> layout_rows();
std::span<const Row> loss_rows();
std::span<const Row> mask_rows();
std::span<const Row> normalisation_rows();
std::span<const Row> nothing_rows();
std::span<const Row> pad_rows();
std::span<const Row> pointwise_rows();
std::span<const Row> pooling_rows();
std::span<const Row> adaptive_pooling_rows();
std::span<const Row> reduction_rows();
std::span<const Row> softmax_rows();
std::span<const Row> view_rows();

std::vector<Family> families();
const Row* find_row(std::string_view op);

}  // namespace kw::kernel::table
