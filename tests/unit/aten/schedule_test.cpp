#include "core/worker/aten/schedule.h"

#include <gtest/gtest.h>

#include "core/worker/aten/policy.h"
#include "tests/unit/aten/graphs.h"

namespace kw::aten {
namespace {

// n0 = neg(x); n1 = neg(n0); n2 = neg(n0); n3 = add(n1, x)   -> n2, n3
Graphs chain() {
  Graphs g;
  const auto x = g.input("x", {2});
  const auto a = g.node("aten.neg.default", {ref(x)});
  const auto b = g.node("aten.neg.default", {ref(a)});
  const auto c = g.node("aten.neg.default", {ref(a)});
  const auto d = g.node("aten.add.Tensor", {ref(b), ref(x)});
  g.output(c);
  g.output(d);
  return g;
}

std::vector<int> order(const std::vector<Step>& steps) {   // substitutions as -1 - k
  std::vector<int> result;
  for (const Step& step : steps) result.push_back(step.node >= 0 ? step.node : -1 - step.substitution);
  return result;
}

TEST(Schedule, ValuesDieAfterTheirLastUse) {
  const Graphs g = chain();
  const auto steps = make_schedule(g.graph, {}, std::vector<bool>(4, false));
  ASSERT_TRUE(steps.ok());
  EXPECT_EQ(order(*steps), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ((*steps)[2].dead, (std::vector<graph::ValueId>{1}));      // n0
  EXPECT_EQ((*steps)[3].dead, (std::vector<graph::ValueId>{0, 2}));   // x and n1, not the outputs
}

TEST(Schedule, ASubstitutionStandsAtItsLastNodeAndReadersMoveBehindIt) {
  const Graphs g = chain();
  // Nodes 0 and 3 are one instance whose output n0 is read by 1 and 2, and 3 reads n1: that is not convex.
  const auto bad = make_schedule(g.graph, {{{0, 3}, {0, 2}, {1, 4}}}, std::vector<bool>(4, false));
  EXPECT_FALSE(bad.ok());
  // Nodes 0 and 1 and 2 with output n0, n1, n2.
  const auto whole = make_schedule(g.graph, {{{0, 1, 2}, {0}, {2, 3}}}, std::vector<bool>(4, false));
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(order(*whole), (std::vector<int>{-1, 3}));
  // Nodes 0 and 2: node 1 stood between them and reads n0; it must wait.
  const auto moved = make_schedule(g.graph, {{{0, 2}, {0}, {1, 3}}}, std::vector<bool>(4, false));
  ASSERT_TRUE(moved.ok());
  EXPECT_EQ(order(*moved), (std::vector<int>{-1, 1, 3}));
}

TEST(Schedule, NothingMovesPastAWrite) {
  const Graphs g = chain();
  std::vector<bool> writes(4, false);
  writes[1] = true;
  EXPECT_FALSE(make_schedule(g.graph, {{{0, 2}, {0}, {1, 3}}}, writes).ok());
}

TEST(Schedule, InstancesMustFitTheGraph) {
  const Graphs g = chain();
  const std::vector<bool> writes(4, false);
  EXPECT_FALSE(make_schedule(g.graph, {{{7}, {0}, {1}}}, writes).ok());
  EXPECT_FALSE(make_schedule(g.graph, {{{0}, {99}, {1}}}, writes).ok());
  EXPECT_FALSE(make_schedule(g.graph, {{{0}, {0}, {1}}, {{0}, {0}, {1}}}, writes).ok());
  EXPECT_FALSE(make_schedule(g.graph, {{{}, {0}, {1}}}, writes).ok());
}

TEST(Policy, RefusesWhatReachesOut) {
  EXPECT_TRUE(allowed("aten.add.Tensor").ok());
  EXPECT_TRUE(allowed("aten.softmax.int").ok());
  EXPECT_TRUE(allowed("_operator.mul").ok());
  for (const char* op : {"aten.from_file.default", "aten.save.default", "aten._print.default", "aten.set_.source_Tensor", "aten.record_stream.default",
                         "aten._sparse_coo_tensor_unsafe.default", "aten.warn.default"}) {
    ASSERT_FALSE(allowed(op).ok()) << op;
    EXPECT_EQ(allowed(op).error().code, base::ErrorCode::bad_input) << op;
  }
  EXPECT_EQ(allowed("prims.convert_element_type.default").error().code, base::ErrorCode::unsupported);
  EXPECT_EQ(allowed("quantized.linear.default").error().code, base::ErrorCode::unsupported);
}

TEST(Policy, SplitsNames) {
  const OpName name = split_name("aten.add.Tensor");
  EXPECT_EQ(name.space + "|" + name.name + "|" + name.overload, "aten|add|Tensor");
  EXPECT_EQ(split_name("aten.relu.default").overload, "");
}

}  // namespace
}  // namespace kw::aten
