#include <gtest/gtest.h>

#include "core/graph/regions.h"
#include "tests/unit/graph/builder.h"

namespace kw::graph {
namespace {

using Regions = std::vector<std::vector<int>>;

Regions regions_of(const Builder& b) { return find_regions(functionalize(b.graph), classify_by_name); }

TEST(Regions, AChainBetweenBordersIsOne) {
  Builder b;
  auto v = b.node("aten.conv2d.default", {b.input("x")});
  v = b.node("aten.batch_norm.default", {v});
  v = b.node("aten.relu_.default", {v});
  b.output(b.node("aten.conv2d.default", {v}));
  EXPECT_EQ(regions_of(b), (Regions{{1, 2}}));
}

TEST(Regions, AResidualBlockGivesTwo) {
  Builder b;
  const auto x = b.node("aten.conv2d.default", {b.input("x")});
  auto v = b.node("aten.conv2d.default", {x});
  v = b.node("aten.batch_norm.default", {v});
  v = b.node("aten.relu_.default", {v});
  v = b.node("aten.conv2d.default", {v});
  v = b.node("aten.batch_norm.default", {v});
  v = b.node("aten.add_.Tensor", {v, x});
  b.output(b.node("aten.relu_.default", {v}));
  EXPECT_EQ(regions_of(b), (Regions{{2, 3}, {5, 6, 7}}));
}

TEST(Regions, StayConvexRoundABorder) {
  // a -> linear -> c, a -> c: joining a and c would run linear inside the region.
  Builder b;
  const auto a = b.node("aten.neg.default", {b.input("x")});
  const auto l = b.node("aten.linear.default", {a});
  b.output(b.node("aten.add.Tensor", {a, l}));
  EXPECT_EQ(regions_of(b), (Regions{{0}, {2}}));
}

TEST(Regions, ADiamondOfFusableNodesIsOne) {
  Builder b;
  const auto a = b.node("aten.neg.default", {b.input("x")});
  const auto l = b.node("aten.exp.default", {a}), r = b.node("aten.sin.default", {a});
  b.output(b.node("aten.add.Tensor", {l, r}));
  EXPECT_EQ(regions_of(b), (Regions{{0, 1, 2, 3}}));
}

TEST(Regions, RunAtTheirLastNode) {
  // linear reads a result of the region and stands before the region's last node.
  Builder b;
  const auto x = b.input("x"), a = b.node("aten.neg.default", {x});
  b.output(b.node("aten.linear.default", {a}));
  b.output(b.node("aten.exp.default", {a}));
  EXPECT_EQ(regions_of(b), (Regions{{0}, {2}}));
}

TEST(Regions, ViewsInsideCountViewsAtTheRimDoNot) {
  Builder b;
  auto v = b.node("aten.view.default", {b.input("x")}, {32});
  v = b.node("aten.neg.default", {v}, {32});
  v = b.node("aten.view.default", {v}, {8, 4});
  v = b.node("aten.exp.default", {v}, {8, 4});
  b.output(b.node("aten.transpose.int", {v}, {4, 8}));
  EXPECT_EQ(regions_of(b), (Regions{{1, 2, 3}}));
}

TEST(Regions, ViewsAloneAreNoTask) {
  Builder b;
  b.output(b.node("aten.view.default", {b.input("x")}, {32}));
  EXPECT_TRUE(regions_of(b).empty());
}

TEST(Regions, AViewThatIsReadEarlierStaysInside) {
  // The view stands before the plan that computes its argument: outside, it would run first.
  Builder b;
  const auto a = b.node("aten.neg.default", {b.input("x")}), v = b.node("aten.view.default", {a}, {32});
  b.output(b.node("aten.exp.default", {a}));
  b.output(v);
  EXPECT_EQ(regions_of(b), (Regions{{0, 1, 2}}));
}

TEST(Regions, MetadataAssertsDoNotSplit) {
  Builder b;
  const auto a = b.node("aten.neg.default", {b.input("x")});
  b.node("aten._assert_tensor_metadata.default", {a});
  b.graph.nodes.back().outputs.clear();
  b.output(b.node("aten.exp.default", {a}));
  const auto classify = [](const Graph& g, const Node& n) { return metadata_assert(n) ? OpClass::nothing : classify_by_name(g, n); };
  const auto tasks = find_tasks(functionalize(b.graph), classify);
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].instances[0].nodes, (std::vector<int>{0, 1, 2}));
  ASSERT_EQ(tasks[0].graph.nodes.size(), 2u);
  EXPECT_EQ(tasks[0].graph.nodes[1].op, "aten.exp.default");
}

TEST(Regions, AReadBeforeAFreshWriteIsNotMovedBehindIt) {
  // exp reads y as it was; joined with add it would run after relu_ has written y.
  Builder b;
  const auto y = b.node("aten.conv2d.default", {b.input("x")}), e = b.node("aten.exp.default", {y}), r = b.node("aten.relu_.default", {y});
  b.output(b.node("aten.add.Tensor", {e, b.node("aten.conv2d.default", {r})}));
  EXPECT_EQ(regions_of(b), (Regions{{1}, {2}, {4}}));
}

TEST(Regions, AReadAfterAFreshWriteMayWait) {
  Builder b;
  const auto a = b.node("aten.neg.default", {b.input("p")}), y = b.node("aten.conv2d.default", {b.input("x")});
  const auto r = b.node("aten.relu_.default", {y});
  b.node("aten.conv2d.default", {r});
  b.output(b.graph.nodes.back().outputs[0]);
  b.output(b.node("aten.mul.Tensor", {a, r}));
  EXPECT_EQ(regions_of(b), (Regions{{0, 4}, {2}}));   // relu_ feeds a convolution before mul
}

TEST(Regions, AViewThroughWhichAWriteIsSeenStaysAView) {
  Builder b;
  const auto a = b.node("aten.neg.default", {b.input("x")}), v = b.node("aten.view.default", {a}, {32});
  const auto e = b.node("aten.exp.default", {v}, {32});
  b.node("aten.mul_.Tensor", {a, b.input("y")});   // v is read afterwards: it must share memory with a
  b.output(v);
  b.output(e);
  EXPECT_EQ(regions_of(b), (Regions{{0}, {2}}));
}

TEST(Regions, AWriteToAnInputBetweenSplits) {
  Builder b;
  const auto x = b.input("x"), y = b.input("y"), a = b.node("aten.add.Tensor", {x, y});
  b.node("aten.mul_.Tensor", {x, y});                      // writes the model's input in place
  b.output(b.node("aten.add.Tensor", {a, x}));
  EXPECT_EQ(regions_of(b), (Regions{{0}, {2}}));
}

TEST(Tasks, EqualRegionsAreOneTaskWithInstances) {
  Builder b;
  auto v = b.node("aten.conv2d.default", {b.input("x")});
  for (int i = 0; i < 3; ++i) {
    v = b.node("aten.batch_norm.default", {v});
    v = b.node("aten.relu_.default", {v});
    v = b.node("aten.conv2d.default", {v});
  }
  v = b.node("aten.batch_norm.default", {v});
  b.output(v);
  const auto tasks = find_tasks(functionalize(b.graph), classify_by_name);
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[0].id, "t00-batch_norm");
  ASSERT_EQ(tasks[0].instances.size(), 3u);
  EXPECT_EQ(tasks[0].instances[1].nodes, (std::vector<int>{4, 5}));
  EXPECT_EQ(tasks[1].instances.size(), 1u);
  EXPECT_TRUE(validate(tasks[0].graph));
  EXPECT_EQ(tasks[0].graph.nodes[1].op, "aten.relu_.default");   // in place on the region's own value
}

TEST(Tasks, InPlaceOnTheTasksInputBecomesFunctional) {
  Builder b;
  const auto c = b.node("aten.conv2d.default", {b.input("x")});
  b.output(b.node("aten.relu_.default", {c}));
  const auto tasks = find_tasks(functionalize(b.graph), classify_by_name);
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].graph.nodes[0].op, "aten.relu.default");
}

TEST(Tasks, SeveralOutputsAreKept) {
  Builder b;
  const auto a = b.node("aten.neg.default", {b.input("x")}), e = b.node("aten.exp.default", {a});
  b.output(a);
  b.output(e);
  const auto tasks = find_tasks(functionalize(b.graph), classify_by_name);
  ASSERT_EQ(tasks.size(), 1u);
  EXPECT_EQ(tasks[0].instances[0].outputs, (std::vector<ValueId>{a, e}));
}

}  // namespace
}  // namespace kw::graph
