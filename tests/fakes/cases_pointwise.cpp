// Unary arithmetic and activations.
#include "tests/fakes/case_builder.h"

namespace kw::fakes {
namespace {

const Arguments self = {arg("self", In{0})};

struct UnaryRow {
  const char* op;
  Domain domain;
  bool integers;       // an integer input is accepted (the result is f32 where the function is not on integers)
  double slack = 1;
};

constexpr UnaryRow unary_rows[] = {
    {"abs", Domain::normal, true}, {"neg", Domain::normal, true}, {"exp", Domain::normal, true},
    {"exp2", Domain::normal, true}, {"expm1", Domain::normal, true}, {"log", Domain::positive, true},
    {"log2", Domain::positive, true}, {"log10", Domain::positive, true}, {"log1p", Domain::positive, true},
    {"sqrt", Domain::positive, true}, {"rsqrt", Domain::positive, true}, {"reciprocal", Domain::positive, true},
    {"sin", Domain::normal, true}, {"cos", Domain::normal, true}, {"tan", Domain::inside, true},
    {"atan", Domain::normal, true}, {"tanh", Domain::normal, true}, {"sigmoid", Domain::normal, true},
    {"erf", Domain::normal, true}, {"erfc", Domain::normal, true}, {"floor", Domain::normal, true},
    {"ceil", Domain::normal, true}, {"round", Domain::quarters, true}, {"trunc", Domain::normal, true},
    {"sign", Domain::quarters, true}, {"square", Domain::normal, true}, {"frac", Domain::normal, false},
    {"positive", Domain::normal, true}, {"relu", Domain::normal, true}, {"relu6", Domain::normal, false},
    {"hardtanh", Domain::normal, false}, {"leaky_relu", Domain::normal, false}, {"gelu", Domain::normal, false},
    {"silu", Domain::normal, false}, {"mish", Domain::normal, false}, {"softplus", Domain::normal, false},
    {"elu", Domain::normal, false}, {"selu", Domain::normal, false}, {"celu", Domain::normal, false},
    {"hardsigmoid", Domain::normal, false}, {"hardswish", Domain::normal, false}, {"log_sigmoid", Domain::normal, false},
    {"hardshrink", Domain::quarters, false}, {"softshrink", Domain::normal, false},
};

// Where ATen itself gives different answers for infinities in its vector and scalar code.
bool unsteady_at_infinity(const std::string& op) { return op == "log_sigmoid" || op == "silu" || op == "mish"; }

void add_unary(Cases& cases, const UnaryRow& row) {
  const std::string op = std::string("aten.") + row.op + ".default";
  for_floats(cases, op, {3, 7}, {row.domain}, self, row.slack);
  for_floats(cases, op, {}, {row.domain}, self, row.slack);
  one(cases, op, {{ordered(DType::f32, {5, 3, 4}, {1, 2, 0}), row.domain}}, self, row.slack);
  if (!unsteady_at_infinity(row.op))
    for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) one(cases, op, {{rows(dtype, {67}), Domain::special}}, self, row.slack);
  if (!row.integers) return;
  for (const DType dtype : {DType::i64, DType::i32, DType::i8}) {
    const Domain domain = row.domain == Domain::positive ? Domain::naturals : Domain::small;
    one(cases, op, {{rows(dtype, {5, 3}), domain}}, self);
  }
}

void activations_with_arguments(Cases& cases) {
  const auto with = [&](const char* op, const Arguments& more, Domain domain = Domain::normal) {
    Arguments all = self;
    all.insert(all.end(), more.begin(), more.end());
    for_floats(cases, std::string("aten.") + op + ".default", {4, 9}, {domain}, all);
  };
  with("gelu", {arg("approximate", "tanh")});
  with("gelu", {arg("approximate", "none")});
  with("leaky_relu", {arg("negative_slope", 0.2)});
  with("elu", {arg("alpha", 1.5), arg("scale", 0.5), arg("input_scale", 2.0)});
  with("celu", {arg("alpha", 1.5)});
  with("hardtanh", {arg("min_val", -0.5), arg("max_val", 1.25)});
  with("softplus", {arg("beta", 2), arg("threshold", 3)});
  with("hardshrink", {arg("lambd", 0.75)}, Domain::quarters);
  with("softshrink", {arg("lambd", 0.25)});
  with("threshold", {arg("threshold", 0.25), arg("value", -7.5)}, Domain::quarters);
  with("glu", {arg("dim", 0)});
  one(cases, "aten.glu.default", {{rows(DType::f32, {3, 6, 5}), Domain::normal}}, {arg("self", In{0}), arg("dim", 1)});
  one(cases, "aten.hardtanh.default", {{rows(DType::i64, {9}), Domain::small}},
      {arg("self", In{0}), arg("min_val", -2), arg("max_val", 3)});
}

void prelu(Cases& cases) {
  const Arguments both = {arg("self", In{0}), arg("weight", In{1})};
  for (const DType dtype : {DType::f32, DType::f64, DType::bf16}) {
    one(cases, "aten.prelu.default", {{rows(dtype, {2, 5, 3}), Domain::normal}, {rows(dtype, {5}), Domain::normal}}, both);
    one(cases, "aten.prelu.default", {{rows(dtype, {2, 5}), Domain::normal}, {rows(dtype, {1}), Domain::normal}}, both);
    one(cases, "aten._prelu_kernel.default", {{rows(dtype, {2, 5, 3}), Domain::normal}, {rows(dtype, {1, 5, 1}), Domain::normal}}, both);
  }
}

}  // namespace

void add_pointwise_cases(Cases& cases) {
  for (const UnaryRow& row : unary_rows) add_unary(cases, row);
  activations_with_arguments(cases);
  prelu(cases);
  for (const DType dtype : {DType::i64, DType::i32, DType::i8, DType::u8})
    one(cases, "aten.bitwise_not.default", {{rows(dtype, {9}), Domain::naturals}}, self);
  one(cases, "aten.bitwise_not.default", {{rows(DType::boolean, {9}), Domain::boolean}}, self);
  one(cases, "aten.neg.default", {{rows(DType::u8, {9}), Domain::naturals}}, self);
  one(cases, "aten.square.default", {{rows(DType::i8, {9}), Domain::wide}}, self);
  one(cases, "aten.exp.default", {{rows(DType::boolean, {9}), Domain::boolean}}, self);
}

}  // namespace kw::fakes
