// Nodes without work or data: checks that export leaves behind, and sizes that are known.
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

void nothing(Lowering& l) { l.give_nothing(); }

constexpr Row rows[] = {
    {"aten._assert_tensor_metadata.default", nothing, "", Kind::nothing},
    {"aten._assert_scalar.default", nothing, "", Kind::nothing},
    {"aten._assert_async.msg", nothing, "", Kind::nothing},
    {"aten.sym_constrain_range.default", nothing, "", Kind::nothing},
    {"aten.sym_constrain_range_for_size.default", nothing, "", Kind::nothing},
    {"aten.sym_size.int", nothing, "", Kind::nothing},
};

}  // namespace

std::span<const Row> nothing_rows() { return rows; }

}  // namespace kw::kernel::table
