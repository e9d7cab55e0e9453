// Bytes and FLOPs of nodes, worked by hand.
#include "core/worker/profile/costs.h"

#include <gtest/gtest.h>

#include "tests/unit/aten/graphs.h"

namespace kw::profile {
namespace {

using graph::DType;
using graph::ValueId;

struct Case {
  const char* op;
  std::vector<std::vector<std::int64_t>> inputs;
  std::vector<std::int64_t> output;
  std::int64_t bytes, flops;
};

Cost cost_of(const Case& c, DType dtype = DType::f32) {
  Graphs g;
  std::vector<graph::Argument> arguments;
  for (std::size_t i = 0; i < c.inputs.size(); ++i) arguments.push_back(ref(g.input("x" + std::to_string(i), c.inputs[i], dtype)));
  const ValueId out = g.node(c.op, arguments, dtype);
  g.graph.values[static_cast<std::size_t>(out)].type = {dtype, c.output, graph::contiguous_strides(c.output)};
  return node_cost(g.graph, g.graph.nodes[0]);
}

TEST(Costs, FollowTheFormulas) {
  const Case cases[] = {
      {"aten.mm.default", {{4, 8}, {8, 16}}, {4, 16}, 4 * (32 + 128 + 64), 2 * 4 * 8 * 16},
      {"aten.bmm.default", {{3, 4, 8}, {3, 8, 2}}, {3, 4, 2}, 4 * (96 + 48 + 24), 2 * 3 * 4 * 8 * 2},
      {"aten.addmm.default", {{16}, {4, 8}, {8, 16}}, {4, 16}, 4 * (16 + 32 + 128 + 64), 2 * 4 * 8 * 16},
      {"aten.linear.default", {{5, 4, 8}, {16, 8}, {16}}, {5, 4, 16}, 4 * (160 + 128 + 16 + 320), 2 * 20 * 8 * 16},
      {"aten.conv2d.default", {{1, 6, 10, 10}, {8, 3, 3, 3}, {8}}, {1, 8, 8, 8}, 4 * (600 + 216 + 8 + 512), 2 * 512 * 27},   // two groups
      {"aten.scaled_dot_product_attention.default", {{2, 4, 10, 8}, {2, 4, 12, 8}, {2, 4, 12, 8}}, {2, 4, 10, 8}, 4 * (640 + 768 + 768 + 640), 2 * 2 * 8 * 10 * 12 * 8},
      {"aten.add.Tensor", {{4, 8}, {4, 8}}, {4, 8}, 4 * 96, 32},
      {"aten.sum.default", {{4, 8}}, {}, 4 * 33, 32},
      {"aten.view.default", {{4, 8}}, {32}, 0, 0},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(cost_of(c).bytes, c.bytes) << c.op;
    EXPECT_EQ(cost_of(c).flops, c.flops) << c.op;
  }
  EXPECT_EQ(cost_of(cases[6], DType::bf16).bytes, 2 * 96);
}

TEST(Costs, ExpandedInputsCountTheBytesThatAreThere) {
  Graphs g;
  const ValueId x = g.input("x", {100, 8});
  g.graph.values[static_cast<std::size_t>(x)].type.strides = {0, 1};
  const ValueId y = g.node("aten.neg.default", {ref(x)});
  g.graph.values[static_cast<std::size_t>(y)].type = {DType::f32, {100, 8}, {8, 1}};
  EXPECT_EQ(node_cost(g.graph, g.graph.nodes[0]).bytes, 4 * (8 + 800));
}

TEST(Costs, TransposedConvolutionCountsEveryInputTimesItsKernel) {
  // [1, 4, 5, 5] with weight [4, 6, 2, 2], stride 2: each input element meets 6 · 2 · 2 weights.
  const Case c{"aten.conv_transpose2d.input", {{1, 4, 5, 5}, {4, 6, 2, 2}}, {1, 6, 10, 10}, 4 * (100 + 96 + 600), 2 * 100 * 24};
  EXPECT_EQ(cost_of(c).flops, c.flops);
}

}  // namespace
}  // namespace kw::profile
