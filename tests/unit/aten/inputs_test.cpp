#include "core/worker/aten/inputs.h"

#include <gtest/gtest.h>

#include "tests/unit/aten/graphs.h"

namespace kw::aten {
namespace {

using graph::DType;

TEST(DrawnInputs, IndicesStayBelowTheTableTheyReach) {
  Graphs g;
  const auto ids = g.input("ids", {2, 3}, DType::i64), other = g.input("other", {4}, DType::i64);
  const auto table = g.buffer("table", {11, 4});
  const auto flat = g.node("aten.view.default", {ref(ids), lit(std::vector<graph::IntOrValue>{{6, graph::no_value}})}, DType::i64);
  g.node("aten.embedding.default", {ref(table, "weight"), ref(flat, "indices")});
  g.node("aten.gather.default", {ref(table, "self"), lit(std::int64_t{-1}, "dim"), ref(other, "index")});
  EXPECT_EQ(integer_bound(g.graph, ids), 11);   // through the view
  EXPECT_EQ(integer_bound(g.graph, other), 4);
  auto inputs = draw_inputs(g.graph, 5);
  ASSERT_TRUE(inputs.ok());
  EXPECT_EQ((*inputs)[0].sizes().vec(), (std::vector<std::int64_t>{2, 3}));
  EXPECT_LT((*inputs)[0].max().item<std::int64_t>(), 11);
  EXPECT_GE((*inputs)[0].min().item<std::int64_t>(), 0);
  EXPECT_LT((*inputs)[1].max().item<std::int64_t>(), 4);
}

TEST(DrawnInputs, FollowTheSeed) {
  Graphs g;
  g.input("x", {100});
  g.input("h", {10}, DType::bf16);
  g.input("m", {50}, DType::boolean);
  auto a = draw_inputs(g.graph, 1), b = draw_inputs(g.graph, 1), c = draw_inputs(g.graph, 2);
  ASSERT_TRUE(a.ok() && b.ok() && c.ok());
  EXPECT_TRUE((*a)[0].equal((*b)[0]));
  EXPECT_FALSE((*a)[0].equal((*c)[0]));
  EXPECT_EQ((*a)[1].scalar_type(), at::kBFloat16);
  EXPECT_EQ((*a)[2].scalar_type(), at::kBool);
  EXPECT_NEAR((*a)[0].std().item<double>(), 1.0, 0.3);
}

TEST(FileInputs, SafetensorsAreTakenByName) {
  Graphs g;
  g.input("x", {1});
  g.input("y", {1});
  const float numbers[] = {1, 2};
  const auto tensor = [&](int k) {
    return graph::pt2::StoredTensor{{DType::f32, {1}, {1}}, std::as_bytes(std::span(numbers + k, 1))};
  };
  graph::pt2::Leaves leaves;
  leaves.leaves = {tensor(0), tensor(1)};
  leaves.names = {"y", "x"};
  auto named = match_inputs(g.graph, leaves, "file");
  ASSERT_TRUE(named.ok());
  EXPECT_EQ((*named)[0].item<float>(), 2);
  leaves.names = {"a", "b"};   // other names: the file's order
  EXPECT_EQ((*match_inputs(g.graph, leaves, "file"))[0].item<float>(), 1);
}

}  // namespace
}  // namespace kw::aten
