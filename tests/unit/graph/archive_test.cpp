// The reader against archives that torch wrote (tests/data/make_archives.py).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "core/graph/pt2/reader.h"
#include "core/graph/pt2/source_lines.h"

namespace kw::graph::pt2 {
namespace {

std::string data(const std::string& name) { return std::string(std::getenv("KW_SOURCE_DIR")) + "/tests/data/" + name; }

const Value* by_target(const Graph& g, const std::string& target) {
  for (const Value& v : g.values)
    if (v.target == target) return &v;
  return nullptr;
}

TEST(Archive, ReadsTheGraph) {
  const auto m = read_model(data("small.pt2"));
  ASSERT_TRUE(m) << m.error().text();
  std::vector<std::string> ops;
  for (const Node& n : m->graph.nodes)
    if (n.op.find("_assert") == std::string::npos && n.op.find("lift_fresh") == std::string::npos && n.op.find("detach") == std::string::npos) ops.push_back(n.op);
  EXPECT_EQ(ops, (std::vector<std::string>{"aten.linear.default", "aten.relu_.default", "aten.add.Tensor", "aten.split_with_sizes.default", "aten.mul.Tensor",
                                           "aten.to.dtype", "aten.t.default", "aten.unsqueeze.default", "aten.add.Tensor"}));
  ASSERT_EQ(m->graph.inputs.size(), 2u);
  ASSERT_EQ(m->graph.outputs.size(), 2u);
  EXPECT_EQ(m->graph.values[static_cast<std::size_t>(m->graph.outputs[0].value)].type.dtype, DType::bf16);
  EXPECT_EQ(m->graph.nodes[0].module_path, "linear");
  EXPECT_NE(m->graph.nodes[0].source.file.find("make_archives.py"), std::string::npos);
  EXPECT_TRUE(m->torch_version.starts_with("2.11"));
}

TEST(Archive, WeightsAndBuffersAreWhereTheyShouldBe) {
  const auto m = read_model(data("small.pt2"));
  ASSERT_TRUE(m);
  const Value* offset = by_target(m->graph, "offset");
  ASSERT_NE(offset, nullptr);
  EXPECT_EQ(offset->origin, Origin::buffer);
  const auto bytes = stored_tensor(*m->archive, *offset);
  ASSERT_TRUE(bytes);
  float values[3];
  std::memcpy(values, bytes->bytes.data(), sizeof values);
  EXPECT_EQ(values[0], 0);
  EXPECT_EQ(values[2], 2);
  ASSERT_NE(by_target(m->graph, "linear.weight"), nullptr);
  EXPECT_EQ(by_target(m->graph, "linear.weight")->type.sizes, (std::vector<std::int64_t>{3, 4}));
}

TEST(Archive, ExampleInputs) {
  const auto m = read_model(data("small.pt2"));
  ASSERT_TRUE(m);
  const auto leaves = example_inputs(m->archive);
  ASSERT_TRUE(leaves) << leaves.error().text();
  ASSERT_EQ(leaves->leaves.size(), 2u);
  const auto& scale = std::get<StoredTensor>(leaves->leaves[1]);
  float value;
  std::memcpy(&value, scale.bytes.data(), 4);
  EXPECT_EQ(value, 2.0f);
}

TEST(Archive, DynamicDimensionsTakeTheSamplesAndSaySo) {
  const auto m = read_model(data("small_dynamic.pt2"));
  ASSERT_TRUE(m) << m.error().text();
  EXPECT_EQ(m->graph.values[static_cast<std::size_t>(m->graph.inputs[0])].type.sizes, (std::vector<std::int64_t>{5, 4}));
  ASSERT_FALSE(m->graph.notes.empty());
  EXPECT_NE(m->graph.notes[0].find("specialised to 5"), std::string::npos);
}

TEST(Archive, SavedTensorsFlattenInOrder) {
  const auto l = read_inputs_file(data("tensors.pt"));
  ASSERT_TRUE(l) << l.error().text();
  ASSERT_EQ(l->leaves.size(), 5u);
  EXPECT_EQ(std::get<StoredTensor>(l->leaves[0]).type, (TensorType{DType::f32, {3, 2}, {1, 3}}));
  EXPECT_EQ(std::get<StoredTensor>(l->leaves[1]).type.dtype, DType::boolean);
  EXPECT_EQ(std::get<std::int64_t>(l->leaves[2]), 3);
  EXPECT_EQ(std::get<double>(l->leaves[3]), 2.5);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(l->leaves[4]));
}

TEST(Archive, ErrorsNameTheFileAndTheCause) {
  EXPECT_EQ(read_model("/nonexistent.pt2").error().code, base::ErrorCode::not_found);
  EXPECT_NE(read_model(data("make_archives.py")).error().message.find("not a zip archive"), std::string::npos);
  EXPECT_NE(read_model(data("tensors.pt")).error().message.find("torch.export.save"), std::string::npos);
}

TEST(SourceLines, InnermostFrameOfTheUser) {
  const SourceLine line = innermost_line("File \"/u/model.py\", line 6, in forward\n  x\n  File \"/v/site-packages/torch/nn/modules/conv.py\", line 548, in forward\n");
  EXPECT_EQ(line.file, "/u/model.py");
  EXPECT_EQ(line.line, 6);
  EXPECT_EQ(innermost_line("").line, 0);
  EXPECT_EQ(module_path("L__self__,,M;L__self__a,layers.0,torch.nn.Linear"), "layers.0");
  EXPECT_EQ(module_path(""), "");
}

}  // namespace
}  // namespace kw::graph::pt2
