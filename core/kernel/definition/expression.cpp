#include "core/kernel/definition/expression.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace kw::kernel {
namespace {

std::shared_ptr<Expression> make(Op op, DType type, std::vector<Expr> operands = {}) {
  auto e = std::make_shared<Expression>();
  e->op = op;
  e->type = type;
  e->operands = std::move(operands);
  return e;
}

bool floating(DType type) { return type == DType::f32 || type == DType::f64; }
bool is_literal(const Expr& e) { return e->op == Op::constant; }
double literal(const Expr& e) { return floating(e->type) ? e->number : static_cast<double>(e->integer); }

// boolean < i32 < i64 < f32 < f64
int width(DType type) {
  switch (type) {
    case DType::boolean: return 0;
    case DType::i32: return 1;
    case DType::i64: return 2;
    case DType::f32: return 3;
    default: return 4;
  }
}

bool gives_boolean(Op op) {
  return op == Op::logical_not || op == Op::is_nan || op == Op::is_inf || (op >= Op::eq && op <= Op::logical_xor);
}
bool takes_boolean(Op op) { return op == Op::logical_not || (op >= Op::logical_and && op <= Op::logical_xor); }

// Sums and quotients of two floats, computed in double and rounded once to f32, are the f32 results exactly.
std::optional<double> fold_floating(Op op, double a, double b) {
  switch (op) {
    case Op::add: return a + b;
    case Op::sub: return a - b;
    case Op::mul: return a * b;
    case Op::div: return a / b;
    default: return std::nullopt;
  }
}

std::optional<std::int64_t> fold_integral(Op op, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  const bool overflows = op == Op::add   ? __builtin_add_overflow(a, b, &result)
                         : op == Op::sub ? __builtin_sub_overflow(a, b, &result)
                         : op == Op::mul ? __builtin_mul_overflow(a, b, &result)
                                         : true;
  return overflows ? std::nullopt : std::optional(result);
}

Expr fold_constants(Op op, const Expr& a, const Expr& b) {
  if (!is_literal(a) || !is_literal(b)) return nullptr;
  if (a->type == DType::i64) {
    const auto value = fold_integral(op, a->integer, b->integer);
    return value ? constant_i(*value) : nullptr;
  }
  if (!floating(a->type)) return nullptr;
  const auto value = fold_floating(op, a->number, b->number);
  return value ? constant_f(*value, a->type) : nullptr;
}

// x*1, 1*x, x/1, x-0, and for integers x+0.
Expr fold_identity(Op op, const Expr& a, const Expr& b) {
  const auto positive_zero = [](const Expr& e) { return is_constant(e, 0) && !std::signbit(literal(e)); };
  if ((op == Op::mul || (op == Op::div && floating(a->type))) && is_constant(b, 1)) return a;
  if (op == Op::mul && is_constant(a, 1)) return b;
  if (op == Op::sub && positive_zero(b)) return a;
  if (op == Op::add && !floating(a->type) && is_constant(b, 0)) return a;
  if (op == Op::add && !floating(a->type) && is_constant(a, 0)) return b;
  if (op == Op::logical_and && is_constant(a, 1)) return b;
  if (op == Op::logical_and && is_constant(b, 1)) return a;
  return nullptr;
}

}  // namespace

const char* name(Op op) {
  static constexpr const char* names[] = {
      "constant", "index", "read", "reg", "lane", "cast", "in_bounds",
      "neg", "abs", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "rsqrt", "reciprocal",
      "sin", "cos", "tan", "tanh", "sigmoid", "erf", "erfc", "one_plus_erf",
      "floor", "ceil", "round", "trunc", "sign", "as_bf16", "as_f16", "logical_not", "bitwise_not", "is_nan", "is_inf",
      "add", "sub", "mul", "div", "floor_divide", "trunc_divide", "remainder", "fmod", "pow", "maximum", "minimum", "atan2",
      "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor",
      "bitwise_and", "bitwise_or", "bitwise_xor", "shift_left", "shift_right", "select"};
  static_assert(sizeof(names) / sizeof(*names) == static_cast<std::size_t>(Op::select) + 1);
  return names[static_cast<std::size_t>(op)];
}

DType compute_type(DType storage) {
  switch (storage) {
    case DType::f64: return DType::f64;
    case DType::f32:
    case DType::f16:
    case DType::bf16: return DType::f32;
    case DType::boolean: return DType::boolean;
    default: return DType::i64;
  }
}

Expr constant_f(double value, DType type) {
  auto e = make(Op::constant, type);
  e->number = type == DType::f32 ? static_cast<double>(static_cast<float>(value)) : value;
  return e;
}

Expr constant_i(std::int64_t value, DType type) {
  auto e = make(Op::constant, type);
  e->integer = type == DType::boolean ? (value != 0) : value;
  return e;
}

Expr index_value(const Index& index) {
  if (index.terms.empty()) return constant_i(index.constant);
  auto e = make(Op::index, DType::i64);
  e->maps = {index};
  return e;
}

Expr read(int source, std::vector<Index> maps, DType storage, int component) {
  auto e = make(Op::read, compute_type(storage));
  e->source = source;
  e->component = component;
  e->maps = std::move(maps);
  return e;
}

Expr cast(const Expr& value, DType type) {
  if (value->type == type) return value;
  if (is_literal(value)) {
    if (floating(type)) return constant_f(literal(value), type);
    if (type == DType::boolean) return constant_i(literal(value) != 0, type);
    if (!floating(value->type)) return constant_i(value->integer, type);
  }
  return make(Op::cast, type, {value});
}

Expr unary(Op op, const Expr& a) {
  if (takes_boolean(op)) return make(op, DType::boolean, {cast(a, DType::boolean)});
  if (op == Op::neg && is_literal(a) && floating(a->type)) return constant_f(-a->number, a->type);
  return make(op, gives_boolean(op) ? DType::boolean : a->type, {a});
}

Expr binary(Op op, const Expr& a, const Expr& b) {
  DType type = width(a->type) >= width(b->type) ? a->type : b->type;
  if (takes_boolean(op)) type = DType::boolean;
  const Expr x = cast(a, type), y = cast(b, type);
  if (Expr folded = fold_constants(op, x, y)) return folded;
  if (Expr folded = fold_identity(op, x, y)) return folded;
  return make(op, gives_boolean(op) ? DType::boolean : type, {x, y});
}

Expr select(const Expr& condition, const Expr& then, const Expr& otherwise) {
  const Expr test = cast(condition, DType::boolean);
  const DType type = width(then->type) >= width(otherwise->type) ? then->type : otherwise->type;
  const Expr x = cast(then, type), y = cast(otherwise, type);
  if (is_literal(test)) return test->integer != 0 ? x : y;
  return make(Op::select, type, {test, x, y});
}

Expr in_bounds(std::vector<Index> maps, std::vector<std::int64_t> limits, const Extents& extents) {
  auto e = make(Op::in_bounds, DType::boolean);
  for (std::size_t k = 0; k < maps.size(); ++k) {
    const Range r = range(maps[k], extents);
    if (r.low >= 0 && r.high < limits[k]) continue;
    if (r.high < 0 || r.low >= limits[k]) return constant_i(0, DType::boolean);
    e->maps.push_back(std::move(maps[k]));
    e->limits.push_back(limits[k]);
  }
  if (e->maps.empty()) return constant_i(1, DType::boolean);
  return e;
}

bool is_constant(const Expr& e, double value) { return is_literal(e) && literal(e) == value; }

bool equal(const Expr& a, const Expr& b) {
  if (a == b) return true;
  if (a->op != b->op || a->type != b->type || a->source != b->source || a->component != b->component ||
      a->integer != b->integer || std::bit_cast<std::uint64_t>(a->number) != std::bit_cast<std::uint64_t>(b->number) ||
      a->limits != b->limits || a->operands.size() != b->operands.size() || !(a->maps == b->maps))
    return false;
  for (std::size_t k = 0; k < a->operands.size(); ++k)
    if (!equal(a->operands[k], b->operands[k])) return false;
  return true;
}

}  // namespace kw::kernel
