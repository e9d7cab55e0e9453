#include <gtest/gtest.h>

#include "core/engine/conductor/model_tasks.h"
#include "core/engine/conductor/session_tasks.h"
#include "core/engine/conductor/spans.h"

namespace kw::conductor {
namespace {

TEST(Spans, TheUnionCountsOverlapsOnceAndIsClipped) {
  // [0,10]: 1..3 and 2..4 overlap, 3.5..3.8 inside, 9..12 clipped, -5..0.5 clipped -> 0.5 + 3 + 1
  EXPECT_DOUBLE_EQ(covered_s({{"a", 2, 4}, {"b", 1, 3}, {"c", 3.5, 3.8}, {"d", 9, 12}, {"e", -5, 0.5}}, 0, 10), 4.5);
  EXPECT_DOUBLE_EQ(covered_s({}, 0, 10), 0);
  EXPECT_DOUBLE_EQ(covered_s({{"a", 11, 12}}, 0, 10), 0);
}

TEST(ModelTasks, NamesAreShort) {
  EXPECT_EQ(short_name("aten._softmax.default"), "softmax");
  EXPECT_EQ(short_name("aten.layer_norm.default"), "layer_norm");
  EXPECT_EQ(short_name("_operator.getitem"), "getitem");
}

TEST(Limits, ComeFromTheMachineThatTheWorkerSaw) {
  protocol::Environment gpu;
  gpu.target = "cuda";
  gpu.threads = 16;
  gpu.multiprocessors = 132;
  gpu.shared_bytes = 227 << 10;
  const auto over_the_wire = nlohmann::json(gpu).get<protocol::Environment>();
  const kernel::Limits limits = limits_of(over_the_wire);
  EXPECT_EQ(limits.target, "cuda");
  EXPECT_EQ(limits.threads, 132);
  EXPECT_EQ(limits.shared_bytes, 227 << 10);
  protocol::Environment older = gpu;
  older.shared_bytes = 0;                // a session from before it was known
  EXPECT_EQ(limits_of(older).shared_bytes, kernel::Limits{}.shared_bytes);
  protocol::Environment cpu;
  cpu.threads = 2;
  cpu.vector_bytes = 64;
  EXPECT_EQ(limits_of(cpu).threads, 2);
  EXPECT_EQ(limits_of(cpu).vector_bytes, 64);
}

graph::Value tensor(std::vector<std::int64_t> sizes, graph::DType dtype = graph::DType::f32) {
  graph::Value v;
  v.type = {dtype, sizes, graph::contiguous_strides(sizes)};
  return v;
}

TEST(ModelTasks, RankedByShareWithCallsTimeBytesAndSource) {
  graph::Graph model;
  for (int i = 0; i < 4; ++i) {
    graph::Node node;
    node.op = i == 1 ? "aten.softmax.int" : "aten.relu.default";
    node.source = {"m.py", 10 + i};
    node.module_path = "m" + std::to_string(i);
    model.nodes.push_back(node);
  }
  graph::Task relu, both;
  relu.graph.values = {tensor({4, 8}), tensor({4, 8}, graph::DType::bf16)};
  relu.graph.inputs = {0};
  relu.graph.outputs = {{1, graph::OutputKind::user, graph::no_value}};
  relu.graph.nodes = {model.nodes[0]};
  relu.instances = {{{0}, {}, {}}, {{3}, {}, {}}};
  both.graph = relu.graph;
  both.graph.nodes = {model.nodes[1], model.nodes[2]};
  both.instances = {{{1, 2}, {}, {}}};
  protocol::Profile profile;
  profile.node_us = {10, 50, 20, 20};
  const auto ranked = rank_tasks(model, {relu, both}, profile);
  ASSERT_EQ(ranked.size(), 2u);
  EXPECT_EQ(ranked[0].id, "t00-softmax");
  EXPECT_DOUBLE_EQ(ranked[0].share, 0.7);
  EXPECT_EQ(ranked[0].source, "m.py:11");
  EXPECT_EQ(ranked[0].operators, (std::vector<std::string>{"aten.softmax.int", "aten.relu.default"}));
  EXPECT_EQ(ranked[1].id, "t01-relu");
  EXPECT_DOUBLE_EQ(ranked[1].share, 0.3);
  EXPECT_EQ(ranked[1].calls, 2);
  EXPECT_DOUBLE_EQ(ranked[1].time_us, 15);
  EXPECT_EQ(ranked[1].bytes, 32 * 4 + 32 * 2);
}

}  // namespace
}  // namespace kw::conductor
