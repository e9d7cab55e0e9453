// The float64 truth: what is float16, bfloat16 or float32 in the graph is float64 in the run.
#include <gtest/gtest.h>

#include "core/worker/aten/executable.h"
#include "tests/unit/aten/graphs.h"

namespace kw::aten {
namespace {

using graph::DType;

base::Result<Tensors> truth(const Graphs& g, const Tensors& inputs) {
  auto executable = Executable::bind(g.graph, {}, {.promote_to_f64 = true});
  if (!executable) return executable.error();
  return (*executable)->run(inputs);
}

TEST(Promotion, CastsAndReductionsStayInFloat64) {
  Graphs g;
  const auto x = g.input("x", {3});
  const auto low = g.node("aten.to.dtype", {ref(x), lit(DType::bf16)}, DType::bf16);
  g.output(g.node("aten.sum.default", {ref(low), {"dtype", true, DType::f32}}));
  auto outputs = truth(g, {at::tensor({1.0f, 1e-5f, 1e-7f})});
  ASSERT_TRUE(outputs.ok()) << outputs.error().text();
  EXPECT_EQ((*outputs)[0].scalar_type(), at::kDouble);
  EXPECT_EQ((*outputs)[0].item<double>(), (1.0 + static_cast<double>(1e-5f)) + static_cast<double>(1e-7f));
}

TEST(Promotion, FactoriesAndIntegerArithmeticFollow) {
  Graphs g;
  const auto i = g.input("i", {2}, DType::i64);
  const auto third = g.node("aten.div.Tensor", {ref(i), lit(std::int64_t{3})});
  const auto zeros = g.node("aten.zeros.default", {lit(std::vector<graph::IntOrValue>{{2, graph::no_value}})});
  g.output(g.node("aten.add.Tensor", {ref(third), ref(zeros)}));
  g.output(g.node("aten.full.default", {lit(std::vector<graph::IntOrValue>{}), lit(0.1), {"dtype", true, DType::f16}}));
  g.output(g.node("aten.arange.default", {lit(std::int64_t{2})}, DType::i64));
  auto outputs = truth(g, {at::tensor({1, 2}, at::kLong)});
  ASSERT_TRUE(outputs.ok()) << outputs.error().text();
  EXPECT_EQ((*outputs)[0][0].item<double>(), 1.0 / 3);
  EXPECT_EQ((*outputs)[1].item<double>(), 0.1);
  EXPECT_EQ((*outputs)[2].scalar_type(), at::kLong);   // integers stay integers
  EXPECT_EQ(at::zeros({1}).scalar_type(), at::kFloat);   // the default type is what it was
}

TEST(Promotion, SoftmaxWithAnUpcastRuns) {
  Graphs g;
  const auto x = g.input("x", {2}, DType::f16);
  g.output(g.node("aten._softmax.default", {ref(x), lit(std::int64_t{0}), lit(true, "half_to_float")}));
  auto outputs = truth(g, {at::zeros({2}, at::kHalf)});
  ASSERT_TRUE(outputs.ok()) << outputs.error().text();
  EXPECT_EQ((*outputs)[0][0].item<double>(), 0.5);
}

TEST(Promotion, ACastThatMadeACopyStillDoes) {
  Graphs g;
  const auto x = g.input("x", {2}, DType::bf16);
  const auto y = g.node("aten.to.dtype", {ref(x), lit(DType::f32)});
  g.node("aten.add_.Tensor", {ref(y), lit(1.0)});
  g.output(g.node("aten.sub.Tensor", {ref(y), ref(x)}));
  auto outputs = truth(g, {at::tensor({1.0f, 2.0f}).to(at::kBFloat16)});
  ASSERT_TRUE(outputs.ok()) << outputs.error().text();
  EXPECT_EQ((*outputs)[0][0].item<double>(), 1.0);
}

TEST(Promotion, MetadataAssertionsDropOut) {
  Graphs g;
  const auto x = g.input("x", {2});
  g.graph.nodes.push_back({"aten._assert_tensor_metadata.default", {ref(x), {"dtype", true, DType::f32}}, {}, {}, ""});
  g.output(g.node("aten.neg.default", {ref(x)}));
  EXPECT_TRUE(truth(g, {at::zeros({2})}).ok());
  auto plain = Executable::bind(g.graph, {});
  ASSERT_TRUE(plain.ok());
  EXPECT_TRUE((*plain)->run({at::zeros({2})}).ok());
  EXPECT_FALSE((*plain)->run({at::zeros({2}, at::kDouble)}).ok());   // and hold outside the truth
}

TEST(Promotion, RandomDrawsAreRefusedByName) {
  Graphs g;
  const auto x = g.input("x", {2});
  g.output(g.node("aten.dropout.default", {ref(x), lit(0.5), lit(true)}));
  const auto refused = truth(g, {at::zeros({2})});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, base::ErrorCode::unsupported);
  EXPECT_NE(refused.error().text().find("aten.dropout.default"), std::string::npos);
  Graphs still;
  const auto z = still.input("x", {2});
  still.output(still.node("aten.dropout.default", {ref(z), lit(0.5), lit(false)}));
  EXPECT_TRUE(truth(still, {at::zeros({2})}).ok());   // outside training nothing is drawn
}

TEST(Promotion, RandomGraphsRepeat) {
  Graphs g;
  const auto x = g.input("x", {64});
  g.output(g.node("aten.dropout.default", {ref(x), lit(0.5), lit(true)}));
  auto executable = Executable::bind(g.graph, {});
  ASSERT_TRUE(executable.ok());
  const Tensors a = *(*executable)->run({at::ones({64})}), b = *(*executable)->run({at::ones({64})});
  EXPECT_TRUE(a[0].equal(b[0]));
  EXPECT_GT((a[0] == 0).sum().item<std::int64_t>(), 10);
}

TEST(Promotion, ReinterpretedBitsHaveNoTruth) {
  Graphs g;
  const auto x = g.input("x", {2});
  g.output(g.node("aten.view.dtype", {ref(x), lit(DType::i32)}, DType::i32));
  EXPECT_EQ(truth(g, {at::zeros({2})}).error().code, base::ErrorCode::unsupported);
}

}  // namespace
}  // namespace kw::aten
