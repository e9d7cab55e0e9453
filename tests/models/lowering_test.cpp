// Every row of the lowering table against ATen: the operator is called through the dispatcher, its task graph lowered,
// the program evaluated point by point, and all results compared.
#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include "core/kernel/definition/definition.h"
#include "core/kernel/definition/rewrites.h"
#include "tests/fakes/evaluate_program.h"
#include "tests/fakes/operator_cases.h"
#include "tests/models/aten_call.h"

namespace kw::models {
namespace {

using graph::DType;

// Relative to |expected| + root mean square of the result; ATen's own rounding is inside.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::f64: return 1e-13;
    case DType::f32: return 2e-6;
    case DType::f16: return 1.5e-3;
    case DType::bf16: return 1.2e-2;
    default: return 0;
  }
}

double root_mean_square(const std::vector<double>& values) {
  double sum = 0;
  std::size_t n = 0;
  for (const double v : values)
    if (std::isfinite(v)) sum += v * v, ++n;
  return n == 0 ? 0 : std::sqrt(sum / static_cast<double>(n));
}

bool close(double got, double expected, double allowed) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (std::isinf(expected) || std::isinf(got)) return got == expected;
  return std::fabs(got - expected) <= allowed;
}

void compare(const std::vector<double>& got, const std::vector<double>& expected, DType dtype, double slack) {
  ASSERT_EQ(got.size(), expected.size());
  const double scale = root_mean_square(expected);
  for (std::size_t k = 0; k < got.size(); ++k)
    ASSERT_TRUE(close(got[k], expected[k], slack * tolerance(dtype) * (std::fabs(expected[k]) + scale)))
        << "element " << k << ": " << got[k] << ", ATen " << expected[k];
}

void check(const AtenCall& call, const kernel::Program& program, double slack) {
  const auto outputs = fakes::evaluate(program, call.inputs);
  ASSERT_TRUE(outputs.ok()) << outputs.error().text();
  ASSERT_EQ(outputs->size(), call.outputs.size());
  for (std::size_t k = 0; k < call.outputs.size(); ++k) {
    SCOPED_TRACE("output " + std::to_string(k));
    compare((*outputs)[k], call.outputs[k], program.output_types[k].dtype, slack);
  }
}

void run_case(const fakes::OperatorCase& c) {
  SCOPED_TRACE(c.text());
  const base::Result<AtenCall> call = call_aten(c, 1);
  ASSERT_TRUE(call.ok()) << call.error().text();
  const base::Status accepted = kernel::can_lower(call->graph, call->graph.nodes[0]);
  ASSERT_TRUE(accepted.ok()) << accepted.error().text();
  const base::Result<kernel::Program> program = kernel::define(call->graph);
  ASSERT_TRUE(program.ok()) << program.error().text();
  SCOPED_TRACE(kernel::text(*program));
  check(*call, *program, c.slack);
  for (const kernel::RewriteSite& site : kernel::rewrite_sites(*program)) {
    const kernel::Program rewritten = kernel::apply_rewrite(*program, site);
    SCOPED_TRACE("rewritten by " + site.name + "\n" + kernel::text(rewritten));
    EXPECT_NE(kernel::text(rewritten), kernel::text(*program));
    check(*call, rewritten, c.slack);
  }
}

std::vector<std::string> operators_with_cases() {
  std::set<std::string> names;
  for (const fakes::OperatorCase& c : fakes::operator_cases()) names.insert(c.op);
  return {names.begin(), names.end()};
}

class Lowering : public testing::TestWithParam<std::string> {};

TEST_P(Lowering, AgreesWithAten) {
  static const std::vector<fakes::OperatorCase> cases = fakes::operator_cases();
  for (const fakes::OperatorCase& c : cases)
    if (c.op == GetParam()) run_case(c);
}

INSTANTIATE_TEST_SUITE_P(Operators, Lowering, testing::ValuesIn(operators_with_cases()), [](const auto& parameter) {
  std::string name = parameter.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

// Operators without tensors to compare have tests of their own in tests/unit/kernel/definition.
const std::set<std::string> tested_elsewhere = {
    "_operator.getitem", "aten._assert_tensor_metadata.default", "aten._assert_scalar.default", "aten._assert_async.msg",
    "aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default", "aten.sym_size.int"};

TEST(LoweringTable, EveryRowHasACase) {
  const std::vector<std::string> tested = operators_with_cases();
  const std::set<std::string> names(tested.begin(), tested.end());
  for (const kernel::OperatorRow& row : kernel::operators())
    EXPECT_TRUE(names.contains(row.op) || tested_elsewhere.contains(row.op)) << row.op << " has no case in tests/fakes";
}

TEST(LoweringTable, EveryCaseHasARow) {
  std::set<std::string> rows;
  for (const kernel::OperatorRow& row : kernel::operators()) EXPECT_TRUE(rows.insert(row.op).second) << row.op << " has two rows";
  for (const std::string& op : operators_with_cases()) EXPECT_TRUE(rows.contains(op)) << op;
}

}  // namespace
}  // namespace kw::models
