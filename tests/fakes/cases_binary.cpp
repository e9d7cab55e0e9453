// Arithmetic on two and three operands: broadcasting, promotion, numbers in the place of tensors.
#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

const Arguments both = {arg("self", In{0}), arg("other", In{1})};

Arguments with_number(const graph::Literal& number, const char* name = "other") {
  return {arg("self", In{0}), {name, false, number}};
}

// Broadcasts, mixed types and layouts for an operator of two tensors.
void two_tensors(Cases& cases, const std::string& op, Domain left, Domain right) {
  for_floats(cases, op, {3, 7}, {left, right}, both);
  const graph::TensorType permuted = ordered(DType::f32, {5, 3, 4}, {2, 0, 1});
  one(cases, op, {{permuted, left}, {rows(DType::f32, {3, 1}), right}}, both);
  one(cases, op, {{rows(DType::f32, {1, 4}), left}, {rows(DType::f32, {5, 3, 4}), right}}, both);
  one(cases, op, {{rows(DType::bf16, {5, 4}), left}, {rows(DType::f32, {4}), right}}, both);
  one(cases, op, {{rows(DType::f32, {5, 4}), left}, {rows(DType::f64, {}), right}}, both);
  one(cases, op, {{rows(DType::f64, {}), left}, {rows(DType::f64, {}), right}}, both);
}

void integers(Cases& cases, const std::string& op, Domain left, Domain right) {
  for (const DType dtype : {DType::i64, DType::i32, DType::i8})
    one(cases, op, {{rows(dtype, {5, 3}), left}, {rows(dtype, {3}), right}}, both);
  one(cases, op, {{rows(DType::i32, {5, 3}), left}, {rows(DType::i64, {}), right}}, both);
}

void mixed(Cases& cases, const std::string& op, Domain right) {
  one(cases, op, {{rows(DType::i64, {5, 3}), Domain::small}, {rows(DType::f32, {3}), right}}, both);
  one(cases, op, {{rows(DType::f16, {5, 3}), Domain::normal}, {rows(DType::i64, {3}), Domain::nonzero}}, both);
}

void numbers(Cases& cases, const std::string& op, double number, Domain domain = Domain::normal) {
  for_floats(cases, op, {4, 5}, {domain}, with_number(number));
  for_floats(cases, op, {4, 5}, {domain}, with_number(std::int64_t{3}));
  one(cases, op, {{rows(DType::i64, {4, 5}), Domain::small}}, with_number(std::int64_t{3}));
}

void sums(Cases& cases) {
  for (const char* op : {"aten.add.Tensor", "aten.sub.Tensor", "aten.mul.Tensor"}) {
    two_tensors(cases, op, Domain::normal, Domain::normal);
    integers(cases, op, Domain::small, Domain::small);
    mixed(cases, op, Domain::normal);
    numbers(cases, op, 1.7);
    one(cases, op, {{rows(DType::i8, {7}), Domain::wide}, {rows(DType::i8, {7}), Domain::wide}}, both);
    one(cases, op, {{rows(DType::u8, {7}), Domain::wide}, {rows(DType::u8, {7}), Domain::wide}}, both);
    one(cases, op, {{rows(DType::i64, {7}), Domain::small}}, with_number(0.5));
    one(cases, op, {{rows(DType::f32, {40}), Domain::special}, {rows(DType::f32, {40}), Domain::special}}, both);
  }
  for (const char* op : {"aten.add.Scalar", "aten.sub.Scalar", "aten.mul.Scalar", "aten.rsub.Scalar"}) numbers(cases, op, 1.7);
  for (const char* op : {"aten.subtract.Tensor", "aten.multiply.Tensor", "aten.rsub.Tensor"})
    two_tensors(cases, op, Domain::normal, Domain::normal);
  for (const char* op : {"aten.add.Tensor", "aten.mul.Tensor"})
    one(cases, op, {{rows(DType::boolean, {9}), Domain::boolean}, {rows(DType::boolean, {9}), Domain::boolean}}, both);
  for (const char* op : {"aten.add.Tensor", "aten.sub.Tensor", "aten.rsub.Tensor"}) {
    Arguments alpha = both;
    alpha.push_back(arg("alpha", 2.5));
    for_floats(cases, op, {3, 5}, {Domain::normal, Domain::normal}, alpha);
    alpha.back() = arg("alpha", 3);
    one(cases, op, {{rows(DType::i64, {6}), Domain::small}, {rows(DType::i64, {6}), Domain::small}}, alpha);
  }
}

void quotients(Cases& cases) {
  for (const char* op : {"aten.div.Tensor", "aten.divide.Tensor", "aten.true_divide.Tensor"}) {
    two_tensors(cases, op, Domain::normal, Domain::positive);
    integers(cases, op, Domain::small, Domain::nonzero);
    numbers(cases, op, 1.7);
  }
  numbers(cases, "aten.div.Scalar", 0.3);
  for (const char* mode : {"floor", "trunc"}) {
    Arguments arguments = both;
    arguments.push_back(arg("rounding_mode", mode));
    for_floats(cases, "aten.div.Tensor_mode", {4, 9}, {Domain::quarters, Domain::nonzero}, arguments);
    for (const DType dtype : {DType::i64, DType::i8})
      one(cases, "aten.div.Tensor_mode", {{rows(dtype, {30}), Domain::small}, {rows(dtype, {30}), Domain::nonzero}}, arguments);
    one(cases, "aten.div.Scalar_mode", {{rows(DType::f32, {30}), Domain::quarters}},
        {arg("self", In{0}), arg("other", 2), arg("rounding_mode", mode)});
  }
  Arguments plain = both;
  plain.push_back(arg("rounding_mode", graph::None{}));
  one(cases, "aten.div.Tensor_mode", {{rows(DType::i64, {9}), Domain::small}, {rows(DType::i64, {9}), Domain::nonzero}}, plain);
  for (const char* op : {"aten.floor_divide.default", "aten.remainder.Tensor", "aten.fmod.Tensor"}) {
    for_floats(cases, op, {4, 9}, {Domain::quarters, Domain::nonzero}, both);
    integers(cases, op, Domain::small, Domain::nonzero);
  }
  for (const char* op : {"aten.remainder.Scalar", "aten.fmod.Scalar"}) {
    numbers(cases, op, -1.5, Domain::quarters);
    numbers(cases, op, 1.5, Domain::quarters);
  }
}

void powers(Cases& cases) {
  for (const double e : {0.5, -0.5, -1.0, -2.0, 2.0, 1.0, 0.0, 2.5, 3.0}) {
    for_floats(cases, "aten.pow.Tensor_Scalar", {4, 5}, {Domain::positive}, with_number(e, "exponent"));
    one(cases, "aten.pow.Tensor_Scalar", {{rows(DType::f32, {40}), Domain::special}}, with_number(e, "exponent"));
  }
  for (const std::int64_t e : {0, 1, 2, 3, 4})
    for (const DType dtype : {DType::f32, DType::i64, DType::i8})
      one(cases, "aten.pow.Tensor_Scalar", {{rows(dtype, {9}), Domain::small}}, with_number(e, "exponent"));
  for_floats(cases, "aten.pow.Tensor_Tensor", {4, 5}, {Domain::positive, Domain::normal},
             {arg("self", In{0}), arg("exponent", In{1})}, 4);
  for_floats(cases, "aten.pow.Scalar", {4, 5}, {Domain::normal}, {arg("self", 2.5), arg("exponent", In{0})}, 4);
}

void extrema(Cases& cases) {
  for (const char* op : {"aten.maximum.default", "aten.minimum.default", "aten.max.other", "aten.min.other", "aten.fmax.default",
                         "aten.fmin.default"}) {
    two_tensors(cases, op, Domain::normal, Domain::normal);
    integers(cases, op, Domain::small, Domain::small);
    one(cases, op, {{rows(DType::f32, {60}), Domain::special}, {rows(DType::f32, {60}), Domain::special}}, both);
  }
  two_tensors(cases, "aten.atan2.default", Domain::normal, Domain::normal);
  one(cases, "aten.xlogy.Tensor", {{rows(DType::f32, {60}), Domain::small}, {rows(DType::f32, {60}), Domain::positive}}, both);
  one(cases, "aten.xlogy.Tensor", {{rows(DType::f64, {60}), Domain::small}, {rows(DType::f64, {60}), Domain::special}}, both);
}

void bits(Cases& cases) {
  for (const char* name : {"and", "or", "xor"}) {
    const std::string op = std::string("aten.bitwise_") + name;
    integers(cases, op + ".Tensor", Domain::small, Domain::small);
    one(cases, op + ".Tensor", {{rows(DType::boolean, {9}), Domain::boolean}, {rows(DType::boolean, {9}), Domain::boolean}}, both);
    one(cases, op + ".Scalar", {{rows(DType::i64, {9}), Domain::small}}, with_number(std::int64_t{6}));
  }
}

void clamps(Cases& cases) {
  const auto bounds = [](const graph::Literal& low, const graph::Literal& high) {
    return Arguments{arg("self", In{0}), {"min", false, low}, {"max", false, high}};
  };
  for_floats(cases, "aten.clamp.default", {4, 5}, {Domain::normal}, bounds(-0.5, 1.25));
  for_floats(cases, "aten.clamp.default", {4, 5}, {Domain::normal}, bounds(graph::None{}, 0.75));
  one(cases, "aten.clamp.default", {{rows(DType::f32, {40}), Domain::special}}, bounds(-1.0, 1.0));
  one(cases, "aten.clamp.default", {{rows(DType::i64, {40}), Domain::small}}, bounds(std::int64_t{-2}, std::int64_t{1}));
  one(cases, "aten.clamp.default", {{rows(DType::i64, {40}), Domain::small}}, bounds(-1.5, graph::None{}));
  for_floats(cases, "aten.clamp.Tensor", {4, 5}, {Domain::normal, Domain::normal, Domain::positive}, bounds(graph::ValueRef{1}, graph::ValueRef{2}));
  one(cases, "aten.clamp.Tensor", {{rows(DType::f32, {4, 5}), Domain::special}, {rows(DType::f32, {5}), Domain::special}},
      bounds(graph::ValueRef{1}, graph::None{}));
  for (const char* side : {"min", "max"}) {
    const std::string op = std::string("aten.clamp_") + side;
    for_floats(cases, op + ".default", {4, 5}, {Domain::normal}, {arg("self", In{0}), arg(side, 0.3)});
    for_floats(cases, op + ".Tensor", {4, 5}, {Domain::normal, Domain::normal}, {arg("self", In{0}), arg(side, In{1})});
  }
}

void three_operands(Cases& cases) {
  const Arguments products = {arg("self", In{0}), arg("tensor1", In{1}), arg("tensor2", In{2}), arg("value", 0.5)};
  for (const char* op : {"aten.addcmul.default", "aten.addcdiv.default"})
    for_floats(cases, op, {3, 7}, {Domain::normal, Domain::normal, Domain::positive}, products);
  for (const double w : {0.2, 0.8, 1.0})
    for_floats(cases, "aten.lerp.Scalar", {3, 7}, {Domain::normal, Domain::normal},
               {arg("self", In{0}), arg("end", In{1}), arg("weight", w)});
  for_floats(cases, "aten.lerp.Tensor", {3, 7}, {Domain::normal, Domain::normal, Domain::unit},
             {arg("self", In{0}), arg("end", In{1}), arg("weight", In{2})});
}

}  // namespace

void add_binary_cases(Cases& cases) {
  sums(cases);
  quotients(cases);
  powers(cases);
  extrema(cases);
  bits(cases);
  clamps(cases);
  three_operands(cases);
}

}  // namespace kw::fakes
