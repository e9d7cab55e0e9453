#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/plan/plan.h"
#include "tests/unit/graph/builder.h"

namespace kw::graph {
namespace {

Graph every_literal() {
  Builder b;
  const auto x = b.input("x"), y = b.node("aten.neg.default", {x});
  std::vector<Literal> literals{None{}, ValueRef{x}, ValueList{{x, no_value}}, std::int64_t{7}, 2.5, -HUGE_VAL, true, std::string("none"),
                                std::vector<IntOrValue>{{3, no_value}}, std::vector<double>{0.5}, std::vector<bool>{true, false}, DType::bf16,
                                LayoutArg{0}, MemoryFormatArg{2}, DeviceArg{"cpu", -1}};
  for (const Literal& l : literals) b.graph.nodes[0].arguments.push_back({"a", true, l});
  b.graph.nodes[0].source = {"m.py", 3};
  b.output(y);
  return b.graph;
}

TEST(GraphJson, EveryLiteralSurvives) {
  const Graph g = every_literal();
  const auto back = graph_from_json(nlohmann::json::parse(to_json(g).dump()));
  ASSERT_TRUE(back) << back.error().text();
  ASSERT_EQ(back->nodes[0].arguments.size(), g.nodes[0].arguments.size());
  for (std::size_t i = 0; i < g.nodes[0].arguments.size(); ++i) EXPECT_TRUE(back->nodes[0].arguments[i].value == g.nodes[0].arguments[i].value) << i;
  EXPECT_EQ(back->nodes[0].source.line, 3);
  EXPECT_EQ(text(*back), text(g));
}

TEST(GraphJson, DamagedGraphsAreRefused) {
  const auto refused = [](auto damage) {
    nlohmann::json j = to_json(every_literal());
    damage(j);
    const auto r = graph_from_json(j);
    return !r && r.error().code == base::ErrorCode::bad_input;
  };
  EXPECT_TRUE(refused([](auto& j) { j["nodes"][0]["outputs"][0] = 99; }));
  EXPECT_TRUE(refused([](auto& j) { j["nodes"][0]["arguments"][0]["value"] = -7; }));
  EXPECT_TRUE(refused([](auto& j) { j["values"][0]["type"]["sizes"][0] = -4; }));
  EXPECT_TRUE(refused([](auto& j) { j["values"][0]["type"]["sizes"] = {1ll << 40, 1ll << 40}; }));
  EXPECT_TRUE(refused([](auto& j) { j["values"][0]["type"]["dtype"] = "f31"; }));
  EXPECT_TRUE(refused([](auto& j) { j["inputs"][0] = 1; }));
  EXPECT_TRUE(refused([](auto& j) { j.erase("nodes"); }));
  EXPECT_TRUE(refused([](auto& j) { j = nullptr; }));
}

TEST(TensorType, SpanAndContiguity) {
  EXPECT_EQ((TensorType{DType::f32, {3, 4}, {4, 1}}.span()), 12);
  EXPECT_EQ((TensorType{DType::f32, {3, 4}, {1, 3}}.span()), 12);
  EXPECT_FALSE((TensorType{DType::f32, {3, 4}, {1, 3}}.contiguous()));
  EXPECT_TRUE((TensorType{DType::f32, {3, 1, 4}, {4, 99, 1}}.contiguous()));
  EXPECT_EQ((TensorType{DType::f32, {3, 0}, {1, 1}}.span()), 0);
  EXPECT_EQ((TensorType{DType::f32, {}, {}}.span()), 1);
  EXPECT_FALSE(checked_span({DType::f32, {1ll << 62, 4}, {1ll << 62, 1}}));
}

plan::Plan small_plan() {
  plan::Plan p;
  p.target = "cpu";
  p.buffers = {{"x", plan::BufferRole::input, {DType::f32, {4}, {1}}}, {"y", plan::BufferRole::output, {DType::f32, {4}, {1}}}};
  p.steps = {{plan::StepKind::kernel, "k0", {0, 1}, true, {}}};
  p.source = "void k0();";
  return p;
}

TEST(Plan, SurvivesAndHashes) {
  const plan::Plan p = small_plan();
  const auto back = plan::plan_from_json(nlohmann::json::parse(to_json(p).dump()));
  ASSERT_TRUE(back);
  EXPECT_EQ(plan::hash(*back), plan::hash(p));
  plan::Plan other = p;
  other.source += " ";
  EXPECT_NE(plan::hash(other), plan::hash(p));
}

TEST(Plan, RefusesWhatCannotRun) {
  const auto refused = [](auto damage) {
    plan::Plan p = small_plan();
    damage(p);
    return !plan::validate(p);
  };
  EXPECT_FALSE(refused([](auto&) {}));
  EXPECT_TRUE(refused([](auto& p) { p.steps[0].buffers[0] = 2; }));
  EXPECT_TRUE(refused([](auto& p) { p.steps[0].name = "k0; system"; }));
  EXPECT_TRUE(refused([](auto& p) { p.steps.clear(); }));
  EXPECT_TRUE(refused([](auto& p) { std::swap(p.buffers[0], p.buffers[1]); }));
  EXPECT_TRUE(refused([](auto& p) { p.buffers[0].type.strides = {}; }));
  EXPECT_TRUE(refused([](auto& p) { p.threads = 0; }));
  EXPECT_TRUE(refused([](auto& p) { p.target = "tpu"; }));
}

TEST(Plan, ALaunchBelongsToEveryCudaKernel) {
  plan::Plan p = small_plan();
  EXPECT_FALSE(plan::to_json(p)["steps"][0].contains("launch"));
  p.target = "cuda";
  p.steps[0].launch = {{4096, 2, 1}, {256, 1, 1}, 1024};
  const auto again = plan::plan_from_json(plan::to_json(p));
  ASSERT_TRUE(again.ok()) << again.error().text();
  EXPECT_EQ(plan::text(*again), plan::text(p));
  EXPECT_NE(plan::hash(p), plan::hash(small_plan()));
  nlohmann::json without = plan::to_json(p);
  without["steps"][0].erase("launch");
  EXPECT_FALSE(plan::plan_from_json(without).ok());
  const std::vector<plan::Launch> impossible = {{{0, 1, 1}, {1, 1, 1}, 0}, {{1, 1, 1}, {0, 1, 1}, 0}, {{1, 1, 1}, {1024, 2, 1}, 0}, {{1, 70000, 1}, {1, 1, 1}, 0},
                                                {{1, 1, 1}, {1, 1, 65}, 0}, {{1, 1, 1}, {1, 1, 1}, -1}, {{1, 1, 1}, {1, 1, 1}, 1 << 20}};
  for (const plan::Launch& launch : impossible) {
    p.steps[0].launch = launch;
    EXPECT_FALSE(plan::validate(p).ok());
  }
}

}  // namespace
}  // namespace kw::graph
