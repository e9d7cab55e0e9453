// Views, factories.
#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

const Arguments self = {arg("self", In{0})};

template <typename... Rest>
Arguments with(const Rest&... rest) {
  return {arg("self", In{0}), rest...};
}

std::vector<graph::TensorType> types(const Sizes& sizes) {
  std::vector<graph::TensorType> all = floating_types(sizes);
  all.push_back(rows(DType::i64, sizes));
  all.push_back(rows(DType::boolean, sizes));
  return all;
}

// A view of every type and layout.
void each_type(Cases& cases, const std::string& op, const Sizes& sizes, const Arguments& arguments) {
  for (const graph::TensorType& type : types(sizes))
    one(cases, op, {{type, type.dtype == DType::boolean ? Domain::boolean : Domain::normal}}, arguments);
}

void row_major(Cases& cases, const std::string& op, const Sizes& sizes, const Arguments& arguments) {
  for (const DType dtype : {DType::f32, DType::bf16, DType::i64}) one(cases, op, {{rows(dtype, sizes), Domain::normal}}, arguments);
}

void reshapes(Cases& cases) {
  for (const Ints& to : {Ints{20, 3}, Ints{3, -1}, Ints{60}, Ints{5, 2, 3, 2, 1}, Ints{12, 5}}) {
    row_major(cases, "aten.view.default", {4, 5, 3}, with(arg("size", to)));
    row_major(cases, "aten._unsafe_view.default", {4, 5, 3}, with(arg("size", to)));
    each_type(cases, "aten.reshape.default", {4, 5, 3}, with(arg("shape", to)));
  }
  row_major(cases, "aten.view.default", {1}, with(arg("size", Ints{})));
  for (const char* op : {"aten.view_as.default", "aten.reshape_as.default"})
    one(cases, op, {{rows(DType::f32, {4, 5, 3}), Domain::normal}, {rows(DType::f32, {6, 10}), Domain::normal}}, with(arg("other", In{1})));
  each_type(cases, "aten.flatten.using_ints", {2, 3, 4, 5}, with(arg("start_dim", 1)));
  each_type(cases, "aten.flatten.using_ints", {2, 3, 4, 5}, with(arg("start_dim", 1), arg("end_dim", 2)));
  each_type(cases, "aten.ravel.default", {2, 3, 4}, self);
  row_major(cases, "aten.unflatten.int", {2, 12}, with(arg("dim", 1), arg("sizes", Ints{3, -1})));
  each_type(cases, "aten.squeeze.default", {1, 3, 1, 4}, self);
  each_type(cases, "aten.squeeze.dim", {1, 3, 1, 4}, with(arg("dim", 2)));
  each_type(cases, "aten.squeeze.dims", {1, 3, 1, 4}, with(arg("dim", Ints{0, 2})));
  each_type(cases, "aten.unsqueeze.default", {3, 4}, with(arg("dim", -2)));
}

void permutations(Cases& cases) {
  each_type(cases, "aten.permute.default", {2, 3, 4, 5}, with(arg("dims", Ints{0, 3, 1, -2})));
  each_type(cases, "aten.transpose.int", {2, 3, 4}, with(arg("dim0", 1), arg("dim1", -1)));
  each_type(cases, "aten.swapaxes.default", {2, 3, 4}, with(arg("axis0", 0), arg("axis1", 2)));
  each_type(cases, "aten.t.default", {3, 4}, self);
  each_type(cases, "aten.t.default", {5}, self);
  each_type(cases, "aten.numpy_T.default", {3, 4}, self);
  each_type(cases, "aten.mT.default", {2, 3, 4}, self);
  each_type(cases, "aten.movedim.int", {2, 3, 4}, with(arg("source", 0), arg("destination", -1)));
  each_type(cases, "aten.movedim.intlist", {2, 3, 4, 5}, with(arg("source", Ints{0, 2}), arg("destination", Ints{3, 0})));
}

void slices(Cases& cases) {
  each_type(cases, "aten.slice.Tensor", {4, 9}, with(arg("dim", 1), arg("start", 1), arg("end", 8), arg("step", 3)));
  each_type(cases, "aten.slice.Tensor", {4, 9}, with(arg("dim", -1), arg("start", -4)));
  each_type(cases, "aten.slice.Tensor", {4, 9}, with(arg("dim", 0), arg("start", 1), arg("end", 1000)));
  each_type(cases, "aten.select.int", {4, 9}, with(arg("dim", 1), arg("index", -2)));
  each_type(cases, "aten.narrow.default", {4, 9}, with(arg("dim", 1), arg("start", 2), arg("length", 5)));
  each_type(cases, "aten.unfold.default", {3, 10}, with(arg("dimension", 1), arg("size", 4), arg("step", 3)));
  each_type(cases, "aten.diagonal.default", {4, 5}, self);
  each_type(cases, "aten.diagonal.default", {2, 4, 5}, with(arg("offset", -1), arg("dim1", 1), arg("dim2", 2)));
  each_type(cases, "aten.split.Tensor", {4, 7}, with(arg("split_size", 3), arg("dim", 1)));
  each_type(cases, "aten.split_with_sizes.default", {4, 7}, with(arg("split_sizes", Ints{2, 1, 4}), arg("dim", 1)));
  each_type(cases, "aten.split.sizes", {4, 7}, with(arg("split_size", Ints{2, 5}), arg("dim", 1)));
  each_type(cases, "aten.chunk.default", {4, 7}, with(arg("chunks", 3), arg("dim", -1)));
  each_type(cases, "aten.unbind.int", {3, 5}, with(arg("dim", 1)));
}

void expansions(Cases& cases) {
  row_major(cases, "aten.expand.default", {3, 1}, with(arg("size", Ints{2, -1, 4})));
  row_major(cases, "aten.broadcast_to.default", {3, 1}, with(arg("size", Ints{2, 3, 4})));
  one(cases, "aten.expand_as.default", {{rows(DType::f32, {3, 1}), Domain::normal}, {rows(DType::f32, {2, 3, 4}), Domain::normal}},
      with(arg("other", In{1})));
  one(cases, "aten.broadcast_tensors.default", {{rows(DType::f32, {3, 1}), Domain::normal}, {rows(DType::i64, {2, 1, 4}), Domain::small}},
      {arg("tensors", Ins{{0, 1}})});
}

void factories(Cases& cases) {
  const CaseInput like{rows(DType::f32, {3, 4}), Domain::normal};
  for (const DType dtype : {DType::f32, DType::bf16, DType::i64, DType::u8, DType::boolean}) {
    for (const char* op : {"aten.zeros.default", "aten.ones.default"}) one(cases, op, {}, {arg("size", Ints{2, 3}), arg("dtype", dtype)});
    for (const char* op : {"aten.zeros_like.default", "aten.ones_like.default"}) one(cases, op, {like}, with(arg("dtype", dtype)));
    for (const char* op : {"aten.new_zeros.default", "aten.new_ones.default"})
      one(cases, op, {like}, with(arg("size", Ints{5}), arg("dtype", dtype)));
    one(cases, "aten.full.default", {}, {arg("size", Ints{2, 3}), arg("fill_value", 1.7), arg("dtype", dtype)});
    one(cases, "aten.full_like.default", {like}, with(arg("fill_value", 3), arg("dtype", dtype)));
    one(cases, "aten.new_full.default", {like}, with(arg("size", Ints{2}), arg("fill_value", 3), arg("dtype", dtype)));
    one(cases, "aten.scalar_tensor.default", {}, {arg("s", 2.5), arg("dtype", dtype)});
  }
  for (const DType dtype : {DType::f32, DType::f64, DType::i64, DType::i32}) {
    one(cases, "aten.arange.default", {}, {arg("end", 7), arg("dtype", dtype)});
    one(cases, "aten.arange.start", {}, {arg("start", 2), arg("end", 9), arg("dtype", dtype)});
    one(cases, "aten.arange.start_step", {}, {arg("start", 9), arg("end", 2), arg("step", -2), arg("dtype", dtype)});
  }
  one(cases, "aten.arange.start_step", {}, {arg("start", 0.5), arg("end", 2.0), arg("step", 0.3), arg("dtype", DType::f32)});
}

}  // namespace

void add_view_cases(Cases& cases) {
  reshapes(cases);
  permutations(cases);
  slices(cases);
  expansions(cases);
  factories(cases);
  for (const char* op : {"aten.alias.default", "aten.detach.default"}) each_type(cases, op, {3, 4}, self);
  for_floats(cases, "aten.dropout.default", {3, 4}, {Domain::normal}, {arg("input", In{0}), arg("p", 0.5), arg("train", false)});
}

}  // namespace kw::fakes
