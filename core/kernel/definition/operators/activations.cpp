// Activation functions, by the formulas of ATen.
#include <cmath>

#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

// The input in the computing type, its output, and shorthand for arithmetic on it.
struct Activation {
  explicit Activation(Lowering& lowering) : l(lowering) {
    const DType storage = l.result().dtype;
    x = cast(l.read(l.first(), l.result().sizes), compute_type(storage));
    type = x->type;
  }
  Expr c(double value) const { return literal_of(value, type); }
  Expr arg(const char* name, double otherwise) const { return cast(l.scalar(name, otherwise), type); }
  void give(const Expr& y) const {
    l.give(l.pointwise("", l.result().sizes, l.result().dtype, wrapped(cast(y, type), l.result().dtype)));
  }

  Lowering& l;
  Expr x;
  DType type = DType::f32;
};

Expr operator+(const Expr& a, const Expr& b) { return binary(Op::add, a, b); }
Expr operator-(const Expr& a, const Expr& b) { return binary(Op::sub, a, b); }
Expr operator*(const Expr& a, const Expr& b) { return binary(Op::mul, a, b); }
Expr operator/(const Expr& a, const Expr& b) { return binary(Op::div, a, b); }
Expr larger(const Expr& a, const Expr& b) { return binary(Op::maximum, a, b); }
Expr smaller(const Expr& a, const Expr& b) { return binary(Op::minimum, a, b); }
Expr above(const Expr& a, const Expr& b) { return binary(Op::gt, a, b); }

Expr softplus_of(const Activation& a) { return unary(Op::log1p, unary(Op::exp, a.x)); }

void relu(Lowering& l) {
  const Activation a(l);
  a.give(larger(a.x, a.c(0)));
}

void relu6(Lowering& l) {
  const Activation a(l);
  a.give(smaller(larger(a.x, a.c(0)), a.c(6)));
}

void hardtanh(Lowering& l) {
  const Activation a(l);
  a.give(smaller(larger(a.x, a.arg("min_val", -1)), a.arg("max_val", 1)));
}

void leaky_relu(Lowering& l) {
  const Activation a(l);
  a.give(select(above(a.x, a.c(0)), a.x, a.x * a.arg("negative_slope", 0.01)));
}

// x/2 (1 + erf(x/sqrt 2)), the sum an operation of its own: it has fast forms that erf has not; or with tanh(sqrt(2/pi) (x + 0.044715 x^3))
void gelu(Lowering& l) {
  const Activation a(l);
  const std::string approximate = l.word("approximate", "none");
  if (approximate == "none")
    return a.give(a.x * a.c(0.5) * unary(Op::one_plus_erf, a.x * a.c(1 / std::sqrt(2.0))));
  if (approximate != "tanh") refuse("unknown approximation of gelu");
  const Expr inner = a.c(std::sqrt(2 / M_PI)) * (a.x + a.c(0.044715) * (a.x * a.x * a.x));
  a.give(a.c(0.5) * a.x * (a.c(1) + unary(Op::tanh, inner)));
}

void silu(Lowering& l) {
  const Activation a(l);
  a.give(a.x / (a.c(1) + unary(Op::exp, unary(Op::neg, a.x))));
}

void mish(Lowering& l) {
  const Activation a(l);
  a.give(a.x * unary(Op::tanh, softplus_of(a)));
}

void softplus(Lowering& l) {
  const Activation a(l);
  const Expr beta = a.arg("beta", 1);
  const Expr scaled = a.x * beta;
  const Expr curve = unary(Op::log1p, unary(Op::exp, scaled)) / beta;
  a.give(select(above(scaled, a.arg("threshold", 20)), a.x, curve));
}

Expr elu_of(const Activation& a, const Expr& alpha, const Expr& scale, const Expr& input_scale) {
  const Expr negative = unary(Op::expm1, a.x * input_scale) * (alpha * scale);
  return select(binary(Op::le, a.x, a.c(0)), negative, a.x * scale);
}

void elu(Lowering& l) {
  const Activation a(l);
  a.give(elu_of(a, a.arg("alpha", 1), a.arg("scale", 1), a.arg("input_scale", 1)));
}

void selu(Lowering& l) {
  const Activation a(l);
  a.give(elu_of(a, a.c(1.6732632423543772848170429916717), a.c(1.0507009873554804934193349852946), a.c(1)));
}

void celu(Lowering& l) {
  const Activation a(l);
  const double alpha = l.number("alpha", 1);
  if (alpha == 0) refuse("celu with alpha 0");
  a.give(elu_of(a, a.c(alpha), a.c(1), a.c(1 / alpha)));
}

Expr hard_gate(const Activation& a) { return smaller(larger(a.x + a.c(3), a.c(0)), a.c(6)); }

void hardsigmoid(Lowering& l) {
  const Activation a(l);
  a.give(hard_gate(a) / a.c(6));
}

void hardswish(Lowering& l) {
  const Activation a(l);
  a.give(a.x * hard_gate(a) / a.c(6));
}

void log_sigmoid(Lowering& l) {
  const Activation a(l);
  const Expr tail = unary(Op::log1p, unary(Op::exp, unary(Op::neg, unary(Op::abs, a.x))));
  a.give(smaller(a.c(0), a.x) - tail);
}

void hardshrink(Lowering& l) {
  const Activation a(l);
  const Expr lambda = a.arg("lambd", 0.5);
  const Expr inside = binary(Op::logical_and, binary(Op::ge, a.x, unary(Op::neg, lambda)), binary(Op::le, a.x, lambda));
  a.give(select(inside, a.c(0), a.x));
}

// NaN stays NaN.
void softshrink(Lowering& l) {
  const Activation a(l);
  const Expr lambda = a.arg("lambd", 0.5);
  const Expr low = select(binary(Op::lt, a.x, unary(Op::neg, lambda)), a.x + lambda, a.x * a.c(0));
  a.give(select(above(a.x, lambda), a.x - lambda, low));
}

void threshold(Lowering& l) {
  const Activation a(l);
  a.give(select(binary(Op::le, a.x, a.arg("threshold", 0)), a.arg("value", 0), a.x));
}

// weight: one value, or one for each channel (dimension 1)
void prelu(Lowering& l) {
  const Activation a(l);
  Operand weight = l.tensor("weight");
  const Sizes& sizes = l.result().sizes;
  if (weight.rank() == 1 && weight.sizes[0] > 1) {
    if (sizes.size() < 2 || sizes[1] != weight.sizes[0]) refuse("a weight that is not one for each channel");
    Sizes shape(sizes.size(), 1);
    shape[1] = weight.sizes[0];
    weight = reshaped(weight, shape);
  }
  const Expr w = cast(l.read(weight, sizes), a.type);
  a.give(select(above(a.x, a.c(0)), a.x, w * a.x));
}

// The first half along `dim` times the sigmoid of the second.
void glu(Lowering& l) {
  const Operand x = l.tensor("self");
  const int dim = l.dim("dim", x.rank(), -1);
  const auto d = static_cast<std::size_t>(dim);
  if (x.rank() == 0 || x.sizes[d] % 2 != 0) refuse("an odd number of elements to split");
  Sizes half = x.sizes;
  half[d] /= 2;
  std::vector<Index> second = point(half);
  second[d] = add(second[d], constant(half[d]));
  const DType type = compute_type(l.result().dtype);
  const Expr gate = unary(Op::sigmoid, cast(l.at(x, second, half), type));
  l.give(l.pointwise("", half, l.result().dtype, cast(l.at(x, point(half), half), type) * gate));
}

constexpr Row rows[] = {
    {"aten.relu.default", relu, "NaN propagates"},
    {"aten.relu6.default", relu6},
    {"aten.hardtanh.default", hardtanh},
    {"aten.leaky_relu.default", leaky_relu},
    {"aten.gelu.default", gelu, "both approximations"},
    {"aten.silu.default", silu},
    {"aten.mish.default", mish},
    {"aten.softplus.default", softplus},
    {"aten.elu.default", elu},
    {"aten.selu.default", selu},
    {"aten.celu.default", celu},
    {"aten.hardsigmoid.default", hardsigmoid},
    {"aten.hardswish.default", hardswish},
    {"aten.log_sigmoid.default", log_sigmoid},
    {"aten.hardshrink.default", hardshrink},
    {"aten.softshrink.default", softshrink},
    {"aten.threshold.default", threshold},
    {"aten.prelu.default", prelu},
    {"aten._prelu_kernel.default", prelu},
    {"aten.glu.default", glu},
};

}  // namespace

std::span<const Row> activation_rows() { return rows; }

}  // namespace kw::kernel::table
