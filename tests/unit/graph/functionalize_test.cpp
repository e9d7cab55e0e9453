#include <gtest/gtest.h>

#include "tests/unit/graph/builder.h"

namespace kw::graph {
namespace {

ValueId argument(const Graph& g, int node, int position) {
  return std::get<ValueRef>(g.nodes[static_cast<std::size_t>(node)].arguments[static_cast<std::size_t>(position)].value).id;
}

TEST(Functionalize, LaterUsesNameTheResult) {
  Builder b;
  const auto x = b.input("x"), y = b.node("aten.conv2d.default", {x}), r = b.node("aten.relu_.default", {y});
  b.node("aten.neg.default", {y});   // reads the overwritten value
  b.output(y);
  const Graph g = functionalize(b.graph);
  EXPECT_EQ(g.nodes[1].op, "aten.relu_.default");   // eager still runs what the user wrote
  EXPECT_EQ(argument(g, 2, 0), r);
  EXPECT_EQ(g.outputs[0].value, r);
}

TEST(Functionalize, ChainsOfWritesEndAtTheLast) {
  Builder b;
  const auto x = b.input("x"), y = b.node("aten.neg.default", {x});
  b.node("aten.relu_.default", {y});
  const auto last = b.node("aten.add_.Tensor", {y, x});
  b.node("aten.neg.default", {y});
  const Graph g = functionalize(b.graph);
  EXPECT_EQ(argument(g, 3, 0), last);
}

TEST(Functionalize, LeavesInputsBuffersAndLiveAliasesAlone) {
  Builder b;
  const auto x = b.input("x");
  b.node("aten.relu_.default", {x});                    // an input
  const auto y = b.node("aten.neg.default", {x});
  const auto view = b.node("aten.view.default", {y}, {8, 4});
  b.node("aten.mul_.Tensor", {y, x});                   // a view of y is read later
  b.node("aten.neg.default", {view}, {8, 4});
  b.node("aten.neg.default", {y});
  const Graph g = functionalize(b.graph);
  EXPECT_EQ(argument(g, 1, 0), x);
  EXPECT_EQ(argument(g, 5, 0), y);
}

TEST(Functionalize, AnAliasMadeAfterTheWriteSeesIt) {
  Builder b;
  const auto x = b.input("x"), y = b.node("aten.neg.default", {x}), r = b.node("aten.relu_.default", {y});
  const auto view = b.node("aten.view.default", {y}, {8, 4});
  b.node("aten.neg.default", {view}, {8, 4});
  const Graph g = functionalize(b.graph);
  EXPECT_EQ(argument(g, 2, 0), r);
}

TEST(Functionalize, TypeMustStay) {
  Builder b;
  const auto x = b.input("x"), y = b.node("aten.neg.default", {x});
  b.graph.values[static_cast<std::size_t>(y)].type = {DType::f32, {4, 8}, {16, 2}};   // not dense: a functional twin would choose other strides
  b.node("aten.relu_.default", {y});
  b.node("aten.neg.default", {y});
  EXPECT_EQ(argument(functionalize(b.graph), 2, 0), y);
}

TEST(Functionalize, AWiderOperandKeepsTheOperatorInPlace) {
  // f32.add_(f64 tensor) stays f32, add would give f64; a 0-d operand or a mask does not promote.
  struct Row { DType dtype; std::vector<std::int64_t> sizes; bool fresh; };
  for (const Row& row : {Row{DType::f64, {4, 8}, false}, Row{DType::f64, {}, true}, Row{DType::boolean, {4, 8}, true}, Row{DType::i64, {8}, true}}) {
    Builder b;
    const auto y = b.node("aten.neg.default", {b.input("x")}), other = b.value("other", row.sizes, Origin::input, row.dtype);
    const auto sum = b.node("aten.add_.Tensor", {y, other});
    b.node("aten.neg.default", {y});
    EXPECT_EQ(argument(functionalize(b.graph), 2, 0), row.fresh ? sum : y);
  }
}

TEST(Aliases, ViewsShareTheirSourcesMemory) {
  Builder b;
  const auto x = b.input("x"), y = b.node("aten.neg.default", {x}), v = b.node("aten.view_as.default", {y, x});
  EXPECT_EQ(Aliases(b.graph).root(v), y);
  b.node("aten.relu_.default", {v});
  b.node("aten.exp.default", {y});
  EXPECT_FALSE(fresh_in_place(b.graph, Aliases(b.graph), 2));   // y is read after the write through v
}

TEST(Aliases, ResultsOfAListMayShareAnyMembersMemory) {
  Builder b;
  const auto x = b.input("x"), y = b.node("aten.neg.default", {x}), m = b.node("aten.meshgrid.default", {});
  b.graph.nodes.back().arguments.push_back({"tensors", false, ValueList{{y, x}}});
  const Aliases aliases(b.graph);
  EXPECT_EQ(aliases.root(m), x);
  EXPECT_EQ(aliases.root(y), x);   // and nobody takes it for fresh
}

TEST(Functionalize, Names) {
  EXPECT_EQ(functional_name("aten.relu_.default"), "aten.relu.default");
  EXPECT_EQ(functional_name("aten.add_.Tensor"), "aten.add.Tensor");
  EXPECT_EQ(functional_name("aten.add.Tensor"), "aten.add.Tensor");
  EXPECT_EQ(functional_name("aten.__and__.Tensor"), "aten.__and__.Tensor");
}

}  // namespace
}  // namespace kw::graph
