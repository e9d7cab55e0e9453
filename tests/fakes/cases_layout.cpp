// Copies, conversions, joins, rearrangements, padding.
#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

const Arguments self = {arg("self", In{0})};

template <typename... Rest>
Arguments with(const Rest&... rest) {
  return {arg("self", In{0}), rest...};
}

void each_type(Cases& cases, const std::string& op, const Sizes& sizes, const Arguments& arguments) {
  for_floats(cases, op, sizes, {Domain::normal}, arguments);
  one(cases, op, {{rows(DType::i32, sizes), Domain::small}}, arguments);
  one(cases, op, {{rows(DType::boolean, sizes), Domain::boolean}}, arguments);
}

void copies(Cases& cases) {
  for (const char* op : {"aten.clone.default", "aten.lift_fresh_copy.default", "aten.contiguous.default"}) each_type(cases, op, {3, 4, 5}, self);
  const std::vector<DType> all = {DType::f32, DType::f64, DType::bf16, DType::f16, DType::i64, DType::i32, DType::i8, DType::boolean};
  for (const DType from : all)
    for (const DType to : all) {
      const CaseInput x{rows(from, {4, 5}), from == DType::boolean ? Domain::boolean : Domain::small};
      for (const char* op : {"aten.to.dtype", "aten.to.dtype_layout", "aten._to_copy.default"}) one(cases, op, {x}, with(arg("dtype", to)));
      if (from == DType::f32) {
        const CaseInput other{rows(to, {2}), Domain::naturals};
        one(cases, "aten.type_as.default", {x, other}, with(arg("other", In{1})));
        one(cases, "aten.to.other", {x, other}, with(arg("other", In{1})));
        one(cases, "aten.copy.default", {{rows(to, {4, 5}), Domain::naturals}, {rows(from, {5}), Domain::small}}, with(arg("src", In{1})));
      }
    }
  for (const DType to : {DType::f32, DType::f16, DType::bf16, DType::i64})
    one(cases, "aten.to.dtype", {{rows(DType::f32, {40}), Domain::normal}}, with(arg("dtype", to)));
  one(cases, "aten.to.dtype", {{rows(DType::f32, {40}), Domain::special}}, with(arg("dtype", DType::bf16)));
  one(cases, "aten.to.dtype", {{rows(DType::i64, {40}), Domain::wide}}, with(arg("dtype", DType::i8)));
  one(cases, "aten.to.device", {{rows(DType::f32, {4}), Domain::normal}},
      with(graph::Argument{"device", false, graph::DeviceArg{"cpu", -1}}, arg("dtype", DType::f64)));
}

void joins(Cases& cases) {
  for (const char* op : {"aten.cat.default", "aten.concat.default"}) {
    for (const graph::TensorType& type : floating_types({3, 4}))
      one(cases, op, {{type, Domain::normal}, {rows(type.dtype, {2, 4}), Domain::normal}, {rows(type.dtype, {1, 4}), Domain::normal}},
          {arg("tensors", Ins{{0, 1, 2}}), arg("dim", 0)});
    one(cases, op, {{rows(DType::f32, {3, 4}), Domain::normal}, {rows(DType::f64, {3, 2}), Domain::normal}},
        {arg("tensors", Ins{{0, 1, 0}}), arg("dim", -1)});
    one(cases, op, {{rows(DType::i64, {3, 4}), Domain::small}, {rows(DType::f32, {3, 2}), Domain::normal}},
        {arg("tensors", Ins{{0, 1}}), arg("dim", 1)});
  }
  for (const int dim : {0, 1, -1})
    for (const DType dtype : {DType::f32, DType::bf16, DType::i64})
      one(cases, "aten.stack.default", {{rows(dtype, {3, 4}), Domain::normal}, {rows(dtype, {3, 4}), Domain::normal}},
          {arg("tensors", Ins{{0, 1, 1}}), arg("dim", dim)});
}

void rearrangements(Cases& cases) {
  each_type(cases, "aten.flip.default", {3, 4, 5}, with(arg("dims", Ints{0, -1})));
  each_type(cases, "aten.roll.default", {3, 5}, with(arg("shifts", Ints{2, -1}), arg("dims", Ints{1, 0})));
  each_type(cases, "aten.roll.default", {3, 5}, with(arg("shifts", Ints{4})));
  each_type(cases, "aten.repeat.default", {3, 4}, with(arg("repeats", Ints{2, 1, 3})));
  each_type(cases, "aten.tile.default", {3, 4}, with(arg("dims", Ints{2})));
  each_type(cases, "aten.repeat_interleave.self_int", {3, 4}, with(arg("repeats", 3), arg("dim", 1)));
  each_type(cases, "aten.repeat_interleave.self_int", {3, 4}, with(arg("repeats", 2)));
  for_floats(cases, "aten.pixel_shuffle.default", {2, 8, 3, 5}, {Domain::normal}, with(arg("upscale_factor", 2)));
  for_floats(cases, "aten.pixel_unshuffle.default", {2, 3, 4, 6}, {Domain::normal}, with(arg("downscale_factor", 2)));
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16})
    one(cases, "aten.channel_shuffle.default", {{rows(dtype, {2, 6, 3, 4}), Domain::normal}}, with(arg("groups", 3)));
}

void paddings(Cases& cases) {
  each_type(cases, "aten.constant_pad_nd.default", {3, 4, 5}, with(arg("pad", Ints{1, 2, 0, 3}), arg("value", 1)));
  each_type(cases, "aten.constant_pad_nd.default", {3, 4, 5}, with(arg("pad", Ints{-1, 2})));
  each_type(cases, "aten.pad.default", {3, 4, 5}, with(arg("pad", Ints{2, 1})));
  for (const char* mode : {"reflect", "replicate", "circular"}) {
    for_floats(cases, "aten.pad.default", {2, 3, 4, 5}, {Domain::normal}, with(arg("pad", Ints{2, 1, 1, 2}), arg("mode", mode)));
    for_floats(cases, "aten.pad.default", {2, 3, 5}, {Domain::normal}, with(arg("pad", Ints{0, 2}), arg("mode", mode)));
  }
  for (const char* kind : {"reflection", "replication"}) {
    const std::string op = std::string("aten.") + kind + "_pad";
    for_floats(cases, op + "1d.default", {2, 3, 5}, {Domain::normal}, with(arg("padding", Ints{3, 1})));
    for_floats(cases, op + "2d.default", {2, 3, 4, 5}, {Domain::normal}, with(arg("padding", Ints{2, 1, 1, 3})));
    for_floats(cases, op + "3d.default", {1, 2, 3, 4, 3}, {Domain::normal}, with(arg("padding", Ints{1, 1, 2, 0, 1, 2})));
  }
  one(cases, "aten.replication_pad1d.default", {{rows(DType::f32, {2, 3, 1}), Domain::normal}}, with(arg("padding", Ints{3, 2})));
}

}  // namespace

void add_layout_cases(Cases& cases) {
  copies(cases);
  joins(cases);
  rearrangements(cases);
  paddings(cases);
}

}  // namespace kw::fakes
