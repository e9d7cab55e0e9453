// Every row of the lowering table through the whole generator, against ATen: the default recipe and mutations of it,
// each nest verified and interpreted; the default recipes also as machine code, many kernels in one compiler call.
#include <cmath>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "core/kernel/generator.h"
#include "tests/fakes/operator_cases.h"
#include "tests/models/aten_call.h"
#include "tests/unit/kernel/recipe/execute.h"

namespace kw::models {
namespace {

using graph::DType;
using Values = std::vector<std::vector<double>>;

// Relative to |expected| + root mean square of the result; ATen's own rounding is inside.
double tolerance(DType dtype) {
  switch (dtype) {
    case DType::f64: return 1e-13;
    case DType::f32: return 3e-6;
    case DType::f16: return 2e-3;
    case DType::bf16: return 1.6e-2;
    default: return 0;
  }
}

// By storage offset, as the plan's buffers want it.
Values in_memory(const AtenCall& call) {
  Values out;
  for (std::size_t k = 0; k < call.inputs.size(); ++k) {
    const graph::TensorType& type = call.graph.values[static_cast<std::size_t>(call.graph.inputs[k])].type;
    std::vector<double> memory(static_cast<std::size_t>(type.span()));
    for (std::size_t flat = 0; flat < call.inputs[k].size(); ++flat) {
      auto rest = static_cast<std::int64_t>(flat);
      std::int64_t offset = 0;
      for (std::size_t d = type.sizes.size(); d-- > 0; rest /= type.sizes[d]) offset += rest % type.sizes[d] * type.strides[d];
      memory[static_cast<std::size_t>(offset)] = call.inputs[k][flat];
    }
    out.push_back(std::move(memory));
  }
  return out;
}

void compare(const kernel::Program& program, const Values& got, const Values& expected, double slack) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t k = 0; k < got.size(); ++k)
    EXPECT_LE(kernel::samples::relative_error(got[k], expected[k]), slack * tolerance(program.output_types[k].dtype)) << "output " << k;
}

kernel::Limits two_threads() {
  kernel::Limits limits;
  limits.threads = 2;
  return limits;
}

struct Prepared {
  fakes::OperatorCase what;
  AtenCall call;
  kernel::Program program;
};

std::vector<Prepared> prepared(const std::string& op) {
  static const std::vector<fakes::OperatorCase> cases = fakes::operator_cases();
  std::vector<Prepared> out;
  for (const fakes::OperatorCase& c : cases) {
    if (c.op != op) continue;
    const auto call = call_aten(c, 1);
    if (!call) continue;
    auto program = kernel::define(call->graph);
    if (program && !program->definitions.empty()) out.push_back({c, *call, std::move(*program)});
  }
  return out;
}

std::vector<std::string> operators_with_cases() {
  std::set<std::string> names;
  for (const fakes::OperatorCase& c : fakes::operator_cases()) names.insert(c.op);
  return {names.begin(), names.end()};
}

void interpret(const Prepared& p, const kernel::Recipe& recipe) {
  SCOPED_TRACE(p.what.text() + "\n" + kernel::text(recipe) + "\n" + kernel::text(p.program));
  const auto lowered = kernel::lower(p.program, recipe, two_threads());
  ASSERT_TRUE(lowered.ok()) << lowered.error().text();
  const auto got = kernel::samples::interpreted(*lowered, p.program, in_memory(p.call));
  ASSERT_TRUE(got.ok()) << got.error().text();
  compare(p.program, *got, p.call.outputs, p.what.slack);
}

class Generated : public testing::TestWithParam<std::string> {};

TEST_P(Generated, NestsAgreeWithAten) {
  std::mt19937 random(5);
  for (const Prepared& p : prepared(GetParam())) {
    const kernel::Recipe recipe = kernel::default_recipe(p.program, two_threads());
    interpret(p, recipe);
    const auto options = kernel::mutations(p.program, recipe, two_threads());
    if (!options.empty()) interpret(p, options[random() % options.size()].result);
  }
}

INSTANTIATE_TEST_SUITE_P(Operators, Generated, testing::ValuesIn(operators_with_cases()), [](const auto& parameter) {
  std::string name = parameter.param;
  for (char& c : name) c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
});

TEST(GeneratedCode, AgreesWithAten) {
  std::vector<Prepared> all;
  std::vector<kernel::Generated> plans;
  for (const std::string& op : operators_with_cases()) {
    const std::vector<Prepared> some = prepared(op);
    for (std::size_t k = 0; k < some.size(); k += 4) {       // every fourth case: the compiler takes most of the time
      auto plan = kernel::generate(some[k].program, {}, two_threads());
      ASSERT_TRUE(plan.ok()) << some[k].what.text() << ": " << plan.error().text();
      all.push_back(some[k]);
      plans.push_back(std::move(*plan));
    }
  }
  const auto compiled = kernel::samples::Compiled::build_together(plans);
  ASSERT_TRUE(compiled.ok()) << compiled.error().text();
  for (std::size_t k = 0; k < plans.size(); ++k) {
    SCOPED_TRACE(all[k].what.text());
    compare(all[k].program, compiled->run(plans[k], all[k].program, in_memory(all[k].call)), all[k].call.outputs, all[k].what.slack);
  }
}

}  // namespace
}  // namespace kw::models
