// Programs as text against hand-worked ones, what refuses, and how outputs are stored.
#include "core/kernel/definition/definition.h"

#include <gtest/gtest.h>

#include "tests/fakes/evaluate_program.h"
#include "tests/unit/kernel/definition/graph_builder.h"

namespace kw::kernel {
namespace {

using fakes::arg;
using fakes::In;
using fakes::Ints;
using fakes::ordered;
using fakes::rows;
using graph::OpClass;

std::string program_text(const GraphBuilder& b) {
  const auto program = define(b.graph);
  return program.ok() ? text(*program) : program.error().text();
}

TEST(Define, SoftmaxIsFourDefinitions) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::bf16, {4, 8}));
  b.output(b.node("aten.softmax.int", rows(DType::bf16, {4, 8}), {arg("self", In{x}), arg("dim", -1)}));
  EXPECT_EQ(program_text(b),
            "input x: bf16[4, 8]\n"
            "softmax.max[i0<4]: f32 = max[r0<8] x[i0, r0]\n"
            "softmax.exp[i0<4, i1<8]: f32 = exp((x[i0, i1] - softmax.max[i0]))\n"
            "softmax.sum[i0<4]: f32 = sum[r0<8] softmax.exp[i0, r0]\n"
            "softmax[i0<4, i1<8]: bf16 -> output 0 = (softmax.exp[i0, i1] / softmax.sum[i0])\n");
}

TEST(Define, ViewsComposeIntoReads) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {2, 6, 4}));
  const int y = b.input("y", rows(DType::f32, {}));
  const int split = b.node("aten.view.default", rows(DType::f32, {2, 6, 2, 2}), {arg("self", In{x}), arg("size", Ints{2, 6, 2, 2})});
  const int turned = b.node("aten.transpose.int", ordered(DType::f32, {2, 2, 6, 2}, {0, 2, 1, 3}),
                            {arg("self", In{split}), arg("dim0", 1), arg("dim1", 2)});
  b.output(b.node("aten.mul.Tensor", rows(DType::f32, {2, 2, 6, 2}), {arg("self", In{turned}), arg("other", In{y})}));
  EXPECT_EQ(program_text(b),
            "input x: f32[2, 6, 4]\n"
            "input y: f32[]\n"
            "mul[i0<2, i1<2, i2<6, i3<2]: f32 -> output 0 = (x[i0, i2, 2*i1 + i3] * y[])\n");
}

TEST(Define, BatchNormInferenceCentresBeforeItScales) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {2, 3, 5}));
  const int m = b.input("m", rows(DType::f32, {3})), v = b.input("v", rows(DType::f32, {3}));
  const int w = b.input("w", rows(DType::f32, {3})), c = b.input("c", rows(DType::f32, {3}));
  b.output(b.node("aten.batch_norm.default", rows(DType::f32, {2, 3, 5}),
                  {arg("input", In{x}), arg("weight", In{w}), arg("bias", In{c}), arg("running_mean", In{m}), arg("running_var", In{v}),
                   arg("training", false), arg("momentum", 0.1), arg("eps", 0.5), arg("cudnn_enabled", true)}));
  EXPECT_EQ(program_text(b),
            "input x: f32[2, 3, 5]\ninput m: f32[3]\ninput v: f32[3]\ninput w: f32[3]\ninput c: f32[3]\n"
            "batch_norm.scale[i0<3]: f32 = (w[i0] * rsqrt((v[i0] + 0.5)))\n"
            "batch_norm[i0<2, i1<3, i2<5]: f32 -> output 0 = (((x[i0, i1, i2] - m[i1]) * batch_norm.scale[i1]) + c[i1])\n");
}

TEST(Define, APaddedMaximumReadsUnderItsBounds) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {1, 8}));
  b.output(b.node("aten.max_pool1d.default", rows(DType::f32, {1, 4}),
                  {arg("self", In{x}), arg("kernel_size", Ints{3}), arg("stride", Ints{2}), arg("padding", Ints{1})}));
  EXPECT_EQ(program_text(b),
            "input x: f32[1, 8]\n"
            "max_pool1d[i0<1, i1<4]: f32 -> output 0 = "
            "max[r0<3] select(in_bounds(2*i1 + r0 - 1 < 8), x[0, 2*i1 + r0 - 1], -inf)\n");
}

TEST(Define, AReshapedOrPermutedOutputIsStoredInPlace) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {2, 3, 4}));
  const int e = b.node("aten.exp.default", rows(DType::f32, {2, 3, 4}), {arg("self", In{x})});
  b.output(b.node("aten.flatten.using_ints", rows(DType::f32, {2, 12}), {arg("self", In{e}), arg("start_dim", 1)}));
  const int t = b.node("aten.tanh.default", rows(DType::f32, {2, 3, 4}), {arg("self", In{x})});
  const int turned = b.node("aten.permute.default", ordered(DType::f32, {4, 2, 3}, {1, 2, 0}), {arg("self", In{t}), arg("dims", Ints{2, 0, 1})});
  b.output(b.node("aten.contiguous.default", rows(DType::f32, {4, 2, 3}), {arg("self", In{turned})}));
  EXPECT_EQ(program_text(b),
            "input x: f32[2, 3, 4]\n"
            "exp[i0<2, i1<3, i2<4]: f32 -> output 0 = exp(x[i0, i1, i2])\n"
            "tanh[i0<2, i1<3, i2<4]: f32 strides (3, 1, 6) -> output 1 = tanh(x[i0, i1, i2])\n");
}

TEST(Define, OutputsThatShareAValueShareATensorOrAreCopied) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {2, 3}));
  const int e = b.node("aten.exp.default", rows(DType::f32, {2, 3}), {arg("self", In{x})});
  b.output(e);
  b.output(b.node("aten.clone.default", rows(DType::f32, {2, 3}), {arg("self", In{e})}));
  b.output(b.node("aten.clone.default", ordered(DType::f32, {2, 3}, {1, 0}), {arg("self", In{e})}));
  b.output(x);
  EXPECT_EQ(program_text(b),
            "input x: f32[2, 3]\n"
            "exp[i0<2, i1<3]: f32 -> output 0 -> output 1 = exp(x[i0, i1])\n"
            "v2.out[i0<2, i1<3]: f32 strides (1, 2) -> output 2 = exp[i0, i1]\n"
            "x.out[i0<2, i1<3]: f32 -> output 3 = x[i0, i1]\n");
}

TEST(Define, NamesAreUniqueAndUnusedResultsVanish) {
  GraphBuilder b;
  const int x = b.input("exp", rows(DType::f32, {3}));
  const int one = b.node("aten.exp.default", rows(DType::f32, {3}), {arg("self", In{x})});
  b.node("aten.tanh.default", rows(DType::f32, {3}), {arg("self", In{one})});
  b.output(b.node("aten.exp.default", rows(DType::f32, {3}), {arg("self", In{one})}));
  EXPECT_EQ(program_text(b),
            "input exp: f32[3]\n"
            "exp_2[i0<3]: f32 = exp(exp[i0])\n"
            "exp_3[i0<3]: f32 -> output 0 = exp(exp_2[i0])\n");
}

TEST(Define, GetitemPicksAMemberOfAList) {
  GraphBuilder b;
  const int x = b.input("x", rows(DType::f32, {5}));
  graph::Value list;
  list.name = "list";
  list.kind = graph::ValueKind::tensor_list;
  list.elements = {b.value("a", rows(DType::f32, {3})), b.value("c", rows(DType::f32, {2}))};
  b.graph.values.push_back(list);
  const auto id = static_cast<graph::ValueId>(b.graph.values.size()) - 1;
  b.graph.nodes.push_back({"aten.split.Tensor", {arg("self", In{x}), arg("split_size", 3)}, {id}, {}, ""});
  const int second = b.node("_operator.getitem", rows(DType::f32, {2}), {arg("", In{id}), arg("", 1)});
  b.output(b.node("aten.neg.default", rows(DType::f32, {2}), {arg("self", In{second})}));
  EXPECT_EQ(program_text(b), "input x: f32[5]\nneg[i0<2]: f32 -> output 0 = neg(x[i0 + 3])\n");
}

TEST(Define, InPlaceOperatorsComputeWhatTheirFunctionalFormsDo) {
  const auto body = [](const char* op) {
    GraphBuilder b;
    const int x = b.input("x", rows(DType::f32, {6}));
    const int fresh = b.node("aten.neg.default", rows(DType::f32, {6}), {arg("self", In{x})});
    b.output(b.node(op, rows(DType::f32, {6}), {arg("self", In{fresh})}));
    const auto program = define(b.graph);
    return program ? text(program->definitions.back().body[0]) : program.error().text();
  };
  EXPECT_EQ(body("aten.relu_.default"), body("aten.relu.default"));
  EXPECT_EQ(body("aten.relu.default"), "maximum(t1[i0], 0)");
}

TEST(CanLower, SaysWhyNot) {
  const auto reason = [](const graph::TensorType& in, const graph::TensorType& out, const std::string& op, fakes::Arguments more = {}) {
    GraphBuilder b;
    more.insert(more.begin(), arg("self", In{b.input("x", in)}));
    b.node(op, out, more);
    const base::Status status = can_lower(b.graph, b.graph.nodes[0]);
    return status.ok() ? std::string("accepted") : status.error().text();
  };
  const auto f = [](Ints sizes) { return rows(DType::f32, sizes); };
  EXPECT_EQ(reason(f({3, 4}), f({3, 4}), "aten.relu.default"), "accepted");
  EXPECT_EQ(reason(f({3, 4}), f({3, 4}), "aten.convolution.default"), "aten.convolution.default: no lowering for this operator");
  EXPECT_EQ(reason(rows(DType::c64, {3}), rows(DType::c64, {3}), "aten.exp.default"), "aten.exp.default: x is complex");
  EXPECT_EQ(reason(f({3, 0}), f({3, 0}), "aten.exp.default"), "aten.exp.default: x is an empty tensor");
  EXPECT_EQ(reason(f({std::int64_t{1} << 40, std::int64_t{1} << 40}), f({3}), "aten.exp.default"), "aten.exp.default: x is too large");
  EXPECT_EQ(reason(f({3, 4}), f({3}), "aten.softmax.int", {arg("dim", 2)}), "aten.softmax.int: argument 'dim' is not a dimension of the tensor");
  EXPECT_EQ(reason(f({3, 4}), f({3}), "aten.softmax.int", {arg("dim", 1)}),
            "aten.softmax.int: the graph gives v0 the sizes [3], the operator gives [3, 4]");
  EXPECT_EQ(reason(f({3}), f({3}), "aten.dropout.default", {arg("p", 0.5), arg("train", true)}), "aten.dropout.default: draws random numbers");
  EXPECT_EQ(reason(f({3}), f({4}), "aten.reshape.default"), "aten.reshape.default: a reshape changes the number of elements");
  EXPECT_EQ(reason(f({3}), f({3}), "aten.add.Tensor"), "aten.add.Tensor: argument 'other' is missing");
  EXPECT_EQ(reason(f({3, 1}), f({3, 4}), "aten.add.Tensor", {arg("other", In{77})}),
            "aten.add.Tensor: an argument names a value that does not exist");
}

TEST(Classify, KnowsViewsCopiesWorkAndBorders) {
  const auto of = [](const std::string& op, const graph::TensorType& in, const graph::TensorType& out, fakes::Arguments more = {}) {
    GraphBuilder b;
    more.insert(more.begin(), arg("self", In{b.input("x", in)}));
    b.node(op, out, more);
    return classify(b.graph, b.graph.nodes[0]);
  };
  const auto plain = rows(DType::f32, {3, 4}), turned = ordered(DType::f32, {3, 4}, {1, 0});
  EXPECT_EQ(of("aten.relu.default", plain, plain), OpClass::fusable);
  EXPECT_EQ(of("aten.mm.default", plain, plain), OpClass::border);
  EXPECT_EQ(of("aten.t.default", plain, ordered(DType::f32, {4, 3}, {1, 0})), OpClass::view);
  EXPECT_EQ(of("aten.contiguous.default", plain, plain), OpClass::view);
  EXPECT_EQ(of("aten.contiguous.default", turned, plain), OpClass::fusable);
  EXPECT_EQ(of("aten.reshape.default", plain, rows(DType::f32, {12})), OpClass::view);
  EXPECT_EQ(of("aten.reshape.default", turned, rows(DType::f32, {12})), OpClass::fusable);
  EXPECT_EQ(of("aten.to.dtype", plain, plain), OpClass::view);
  EXPECT_EQ(of("aten.to.dtype", plain, rows(DType::f64, {3, 4})), OpClass::fusable);
  EXPECT_EQ(of("aten.clone.default", plain, plain), OpClass::fusable);
  EXPECT_EQ(of("aten.dropout.default", plain, plain, {arg("p", 0.1), arg("train", false)}), OpClass::view);
  EXPECT_EQ(of("aten.dropout.default", plain, plain, {arg("p", 0.1), arg("train", true)}), OpClass::border);
  for (const char* op : {"aten._assert_tensor_metadata.default", "aten._assert_scalar.default", "aten._assert_async.msg",
                         "aten.sym_constrain_range.default", "aten.sym_constrain_range_for_size.default", "aten.sym_size.int"})
    EXPECT_EQ(of(op, plain, plain), OpClass::nothing) << op;
}

// A graph whose types contradict its operators is refused or lowered, never a crash.
TEST(Define, WrongTypesNeverCrash) {
  const std::vector<graph::TensorType> types = {rows(DType::f32, {}), rows(DType::f32, {3}), rows(DType::i64, {2, 3}),
                                                rows(DType::f32, {1, 2, 3, 4}), rows(DType::boolean, {5, 1, 2})};
  int accepted = 0;
  for (const OperatorRow& row : operators())
    for (const auto& in : types)
      for (const auto& out : types)
        for (const char* name : {"self", "input", "tensors"}) {
          GraphBuilder b;
          const int x = b.input("x", in);
          b.output(b.node(row.op, out, {arg(name, In{x}), arg("dim", 1), arg("kernel_size", Ints{2}), arg("other", 2), arg("size", Ints{7, -1})}));
          accepted += define(b.graph).ok();
        }
  EXPECT_GT(accepted, 100);
}

}  // namespace
}  // namespace kw::kernel
