#include "core/worker/aten/executable.h"

#include <gtest/gtest.h>

#include "tests/unit/aten/graphs.h"

namespace kw::aten {
namespace {

std::vector<float> numbers(const at::Tensor& tensor) {
  const c10::InferenceMode inference;
  const at::Tensor flat = tensor.to(at::kFloat).contiguous();
  return {flat.const_data_ptr<float>(), flat.const_data_ptr<float>() + flat.numel()};
}

std::unique_ptr<Executable> bound(const Graphs& g, std::map<graph::ValueId, at::Tensor> constants = {}) {
  auto executable = Executable::bind(g.graph, std::move(constants));
  EXPECT_TRUE(executable.ok()) << (executable ? "" : executable.error().text());
  return executable ? std::move(executable).value() : nullptr;
}

// y = relu((x + b) * 2): y[0], y[1]
struct Simple {
  Graphs g;
  graph::ValueId x, b, sum, twice, y;
  Simple() {
    x = g.input("x", {2});
    b = g.buffer("b", {2});
    sum = g.node("aten.add.Tensor", {ref(x), ref(b)});
    twice = g.node("aten.mul.Tensor", {ref(sum), lit(2.0)});
    y = g.node("aten.relu.default", {ref(twice)});
    g.output(y);
  }
  std::map<graph::ValueId, at::Tensor> constants() const { return {{b, at::tensor({1.0f, -4.0f})}}; }
};

TEST(Executable, RunsAGraph) {
  const Simple s;
  auto outputs = bound(s.g, s.constants())->run({at::tensor({2.0f, 3.0f})});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(numbers((*outputs)[0]), (std::vector<float>{6, 0}));
}

TEST(Executable, KeepsBuffersAndInputsThatTheGraphWrites) {
  Graphs g;
  const auto x = g.input("x", {2});
  const auto b = g.buffer("b", {2});
  const auto view = g.node("aten.view.default", {ref(x), lit(std::vector<graph::IntOrValue>{{2, graph::no_value}})});
  g.node("aten.add_.Tensor", {ref(view), lit(1.0)});
  g.node("aten.mul_.Tensor", {ref(b), ref(x)});
  g.output(b);
  g.output(x);
  const at::Tensor input = at::tensor({2.0f, 3.0f}), buffer = at::tensor({5.0f, 7.0f});
  const auto executable = bound(g, {{b, buffer}});
  for (int repeat = 0; repeat < 3; ++repeat) {
    auto outputs = executable->run({input});
    ASSERT_TRUE(outputs.ok());
    EXPECT_EQ(numbers((*outputs)[0]), (std::vector<float>{15, 28}));   // x was 3, 4 when it was read
    EXPECT_EQ(numbers((*outputs)[1]), (std::vector<float>{3, 4}));
    EXPECT_EQ(numbers(input), (std::vector<float>{2, 3}));
    EXPECT_EQ(numbers(buffer), (std::vector<float>{5, 7}));
  }
}

TEST(Executable, KeepsRunningStatisticsThatBatchNormWritesSilently) {
  Graphs g;
  const auto x = g.input("x", {2, 1});
  const auto mean = g.buffer("mean", {1}), var = g.buffer("var", {1});
  const auto y = g.node("aten.batch_norm.default", {ref(x), lit(graph::None{}), lit(graph::None{}), ref(mean), ref(var), lit(true), lit(0.5), lit(0.0), lit(false)});
  g.output(y);
  const at::Tensor running_mean = at::zeros({1}), running_var = at::ones({1});
  auto outputs = bound(g, {{mean, running_mean}, {var, running_var}})->run({at::tensor({1.0f, 3.0f}).reshape({2, 1})});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(numbers((*outputs)[0]), (std::vector<float>{-1, 1}));
  EXPECT_EQ(numbers(running_mean), (std::vector<float>{0}));
  EXPECT_EQ(numbers(running_var), (std::vector<float>{1}));
}

TEST(Executable, WritesBackMutationOutputsAndRestores) {
  Graphs g;
  const auto x = g.input("x", {2});
  const auto b = g.buffer("b", {2});
  const auto next = g.node("aten.add.Tensor", {ref(b), ref(x)});
  g.graph.outputs.push_back({next, graph::OutputKind::buffer_mutation, b});
  g.output(next);
  const at::Tensor buffer = at::tensor({1.0f, 2.0f});
  auto outputs = bound(g, {{b, buffer}})->run({at::tensor({10.0f, 20.0f})});
  ASSERT_TRUE(outputs.ok());
  ASSERT_EQ(outputs->size(), 1u);
  EXPECT_EQ(numbers((*outputs)[0]), (std::vector<float>{11, 22}));
  EXPECT_EQ(numbers(buffer), (std::vector<float>{1, 2}));
}

TEST(Executable, ErrorsNameOperatorLineAndCause) {
  Graphs g;
  const auto x = g.input("x", {2});
  g.output(g.node("aten.view.default", {ref(x), lit(std::vector<graph::IntOrValue>{{3, graph::no_value}})}));
  auto outputs = bound(g)->run({at::zeros({2})});
  ASSERT_FALSE(outputs.ok());
  EXPECT_EQ(outputs.error().context, "aten.view.default (model.py:10)");
  EXPECT_NE(outputs.error().message.find("shape '[3]' is invalid for input of size 2"), std::string::npos) << outputs.error().message;
  EXPECT_EQ(outputs.error().message.find('\n'), std::string::npos);
}

TEST(Executable, ARunThatFailsLeavesEverythingRestored) {
  Graphs g;
  const auto x = g.input("x", {2});
  g.node("aten.add_.Tensor", {ref(x), lit(1.0)});
  g.output(g.node("aten.view.default", {ref(x), lit(std::vector<graph::IntOrValue>{{3, graph::no_value}})}));
  const at::Tensor input = at::tensor({1.0f, 2.0f});
  EXPECT_FALSE(bound(g)->run({input}).ok());
  EXPECT_EQ(numbers(input), (std::vector<float>{1, 2}));
}

TEST(Executable, CapturesValuesBeforeANode) {
  Graphs g;
  const auto x = g.input("x", {2, 2});
  const auto t = g.node("aten.t.default", {ref(x)});
  g.node("aten.add_.Tensor", {ref(x), lit(1.0)});
  g.output(g.node("aten.neg.default", {ref(t)}));
  const at::Tensor input = at::arange(4, at::kFloat).reshape({2, 2});
  const auto executable = bound(g);
  auto before = executable->capture({input}, {t}, 1), after = executable->capture({input}, {t}, 2);
  ASSERT_TRUE(before.ok() && after.ok());
  EXPECT_EQ((*before)[0].strides().vec(), (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(numbers((*before)[0]), (std::vector<float>{0, 2, 1, 3}));
  EXPECT_EQ(numbers((*after)[0]), (std::vector<float>{1, 3, 2, 4}));
  EXPECT_FALSE(executable->capture({input}, {3}, 0).ok());   // not there yet
}

TEST(Executable, CapturesExpandedTensorsWithTheirStrides) {
  Graphs g;
  const auto x = g.input("x", {1, 2});
  const auto wide = g.node("aten.expand.default", {ref(x), lit(std::vector<graph::IntOrValue>{{3, graph::no_value}, {2, graph::no_value}})});
  g.output(g.node("aten.neg.default", {ref(wide)}));
  auto captured = bound(g)->capture({at::tensor({1.0f, 2.0f}).reshape({1, 2})}, {wide}, 1);
  ASSERT_TRUE(captured.ok());
  EXPECT_EQ((*captured)[0].strides().vec(), (std::vector<std::int64_t>{0, 1}));
  EXPECT_EQ(numbers((*captured)[0]), (std::vector<float>{1, 2, 1, 2, 1, 2}));
}

TEST(Executable, ObservesTypesAndIntegers) {
  Graphs g;
  const auto x = g.input("x", {2, 3});
  const auto n = g.node("aten.sym_size.int", {ref(x), lit(std::int64_t{1})});
  g.graph.values[static_cast<std::size_t>(n)].kind = graph::ValueKind::integer;
  const auto twice = g.node("_operator.mul", {ref(n), lit(std::int64_t{2})});
  g.graph.values[static_cast<std::size_t>(twice)].kind = graph::ValueKind::integer;
  const auto y = g.node("aten.new_zeros.default", {ref(x), lit(std::vector<graph::IntOrValue>{{0, twice}, {4, graph::no_value}}), {"dtype", true, graph::DType::bf16}});
  g.output(y);
  auto seen = bound(g)->observe({at::zeros({2, 3})});
  ASSERT_TRUE(seen.ok()) << seen.error().text();
  EXPECT_EQ(seen->values[static_cast<std::size_t>(twice)].known_int, 6);
  EXPECT_EQ(seen->values[static_cast<std::size_t>(y)].type, (graph::TensorType{graph::DType::bf16, {6, 4}, {4, 1}}));
}

TEST(Executable, ListsFillTheirMembers) {
  Graphs g;
  const auto x = g.input("x", {5});
  const auto a = g.value("a", {}, graph::Origin::node, graph::DType::f32), b = g.value("b", {}, graph::Origin::node, graph::DType::f32);
  const auto list = g.value("list", {}, graph::Origin::node, graph::DType::f32);
  g.graph.values[static_cast<std::size_t>(list)].kind = graph::ValueKind::tensor_list;
  g.graph.values[static_cast<std::size_t>(list)].elements = {a, b};
  g.graph.nodes.push_back({"aten.split.Tensor", {ref(x), lit(std::int64_t{3})}, {list}, {}, ""});
  g.output(g.node("aten.cat.default", {lit(graph::ValueList{{b, a, b}})}));
  auto outputs = bound(g)->run({at::arange(5, at::kFloat)});
  ASSERT_TRUE(outputs.ok()) << outputs.error().text();
  EXPECT_EQ(numbers((*outputs)[0]), (std::vector<float>{3, 4, 0, 1, 2, 3, 4}));
}

TEST(Executable, SubstitutionsStandForTheirNodes) {
  const Simple s;
  const auto executable = bound(s.g, s.constants());
  int calls = 0;
  Substitution substitution;
  substitution.instance = {{1, 2}, {s.sum}, {s.y}};
  substitution.run = [&](const Tensors& inputs, Tensors& outputs) {
    ++calls;
    outputs.push_back(at::add(inputs[0], 100));
    return base::done();
  };
  ASSERT_TRUE(executable->substitute({substitution}).ok());
  auto outputs = executable->run({at::tensor({2.0f, 3.0f})});
  ASSERT_TRUE(outputs.ok());
  EXPECT_EQ(numbers((*outputs)[0]), (std::vector<float>{103, 99}));
  EXPECT_EQ(calls, 1);
  ASSERT_TRUE(executable->capture({at::tensor({2.0f, 3.0f})}, {s.twice}, 2).ok());   // captures see the model's own nodes
  ASSERT_TRUE(executable->substitute({}).ok());
  EXPECT_EQ(numbers((*executable->run({at::tensor({2.0f, 3.0f})}))[0]), (std::vector<float>{6, 0}));
}

TEST(Executable, ObserversSeeEveryNodeInOrder) {
  const Simple s;
  std::vector<int> seen;
  ASSERT_TRUE(bound(s.g, s.constants())->run_observed({at::zeros({2})}, [&](int n) { seen.push_back(n); }, [&](int n) { seen.push_back(-n); }).ok());
  EXPECT_EQ(seen, (std::vector<int>{0, 0, 1, -1, 2, -2}));
}

TEST(Executable, WrongGraphsAreRefusedWhenBound) {
  struct Row { const char* op; std::vector<graph::Argument> arguments; const char* message; };
  const std::vector<Row> rows = {
      {"aten.relu.default", {}, "is missing"},
      {"aten.relu.default", {lit(std::int64_t{1}, "nonsense")}, "has no argument 'nonsense'"},
      {"aten.relu.default", {lit(graph::None{})}, "cannot be None"},
      {"aten.made_up.default", {}, "has no operator aten.made_up.default"},
      {"_operator.imatmul", {}, "is not supported"},
      {"_operator.mul", {lit(std::int64_t{1})}, "takes 2 arguments"},
      {"aten.from_file.default", {lit(std::string("/etc/passwd"))}, "it opens or creates files"},
  };
  for (const Row& row : rows) {
    Graphs g;
    g.input("x", {2});
    g.output(g.node(row.op, row.arguments));
    const auto executable = Executable::bind(g.graph, {});
    ASSERT_FALSE(executable.ok()) << row.op;
    EXPECT_NE(executable.error().message.find(row.message), std::string::npos) << executable.error().message;
    EXPECT_NE(executable.error().context.find("model.py:10"), std::string::npos) << executable.error().context;
  }
  const Simple s;
  EXPECT_FALSE(Executable::bind(s.g.graph, {}).ok());   // no values for the buffer
  EXPECT_FALSE(bound(s.g, s.constants())->run({}).ok());
}

}  // namespace
}  // namespace kw::aten
