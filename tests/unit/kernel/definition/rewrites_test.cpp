// Rewritten programs compute the same values, and sites have stable names.
#include "core/kernel/definition/rewrites.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/fakes/evaluate_program.h"
#include "tests/unit/kernel/definition/graph_builder.h"

namespace kw::kernel {
namespace {

using fakes::arg;
using fakes::In;
using fakes::Ints;
using fakes::rows;

GraphBuilder softmax_then_norm() {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f64, {3, 5}));
  const int s = b.node("aten.softmax.int", rows(DType::f64, {3, 5}), {arg("self", In{x}), arg("dim", 1)});
  const int n = b.node("aten.layer_norm.default", rows(DType::f64, {3, 5}), {arg("input", In{s}), arg("normalized_shape", Ints{5})});
  b.output(b.node("aten.softmax.int", rows(DType::f64, {3, 5}), {arg("self", In{n}), arg("dim", 0)}));
  return b;
}

std::vector<std::string> site_names(const Program& p) {
  std::vector<std::string> names;
  for (const RewriteSite& site : rewrite_sites(p)) names.push_back(site.name);
  return names;
}

TEST(Rewrites, SitesAreNamedByTheirNode) {
  const auto program = define(softmax_then_norm().graph);
  ASSERT_TRUE(program.ok()) << program.error().text();
  EXPECT_EQ(site_names(*program), (std::vector<std::string>{"online_softmax.softmax", "online_softmax.softmax_2", "welford.layer_norm",
                                                            "reciprocal.softmax", "reciprocal.softmax_2"}));
}

TEST(Rewrites, EveryOrderGivesTheSameValues) {
  const auto program = define(softmax_then_norm().graph);
  ASSERT_TRUE(program.ok());
  const fakes::Elements inputs = {fakes::draw({rows(DType::f64, {3, 5}), fakes::Domain::normal}, 5)};
  const auto expected = fakes::evaluate(*program, inputs);
  ASSERT_TRUE(expected.ok());
  for (const bool forwards : {true, false}) {
    std::vector<std::string> names = site_names(*program);
    if (!forwards) names = {names.rbegin(), names.rend()};
    Program rewritten = *program;
    for (const std::string& name : names) {
      const std::string before = text(rewritten);
      rewritten = apply_rewrite(rewritten, {"", name, {}});
      EXPECT_NE(text(rewritten), before) << name;
    }
    EXPECT_TRUE(rewrite_sites(rewritten).empty());
    const auto got = fakes::evaluate(rewritten, inputs);
    ASSERT_TRUE(got.ok()) << got.error().text() << text(rewritten);
    for (std::size_t k = 0; k < (*expected)[0].size(); ++k) EXPECT_NEAR((*got)[0][k], (*expected)[0][k], 1e-14) << text(rewritten);
  }
}

TEST(Rewrites, OnlineSoftmaxIsOneReduction) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {4, 8}));
  b.output(b.node("aten.softmax.int", rows(DType::f32, {4, 8}), {arg("self", In{x}), arg("dim", 1)}));
  const Program program = define(b.graph).value();
  EXPECT_EQ(text(apply_rewrite(program, rewrite_sites(program)[0])),
            "input x: f32[4, 8]\n"
            "softmax.max_sum[i0<4]: f32 = max_sum_exp[r0<8] x[i0, r0]\n"
            "softmax.exp[i0<4, i1<8]: f32 = exp((x[i0, i1] - softmax.max_sum[i0]))\n"
            "softmax[i0<4, i1<8]: f32 -> output 0 = (softmax.exp[i0, i1] / softmax.max_sum.1[i0])\n");
}

// A division by a plain sum may overflow its reciprocal, so there is no site.
TEST(Rewrites, OnlyWhereTheConditionHolds) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {4, 8}));
  const int s = b.node("aten.sum.dim_IntList", rows(DType::f32, {4, 1}), {arg("self", In{x}), arg("dim", Ints{1}), arg("keepdim", true)});
  b.output(b.node("aten.div.Tensor", rows(DType::f32, {4, 8}), {arg("self", In{x}), arg("other", In{s})}));
  const Program program = define(b.graph).value();
  EXPECT_TRUE(rewrite_sites(program).empty());
  EXPECT_EQ(text(apply_rewrite(program, {"reciprocal", "reciprocal.div", {0}})), text(program));
}

}  // namespace
}  // namespace kw::kernel
