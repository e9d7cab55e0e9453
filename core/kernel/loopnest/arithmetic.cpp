#include "core/kernel/loopnest/arithmetic.h"

#include <cmath>
#include <limits>
#include <map>
#include <string>

namespace kw::kernel {
namespace {

using UnaryNumber = double (*)(double);
using BinaryNumber = double (*)(double, double);
using BinaryInteger = std::int64_t (*)(std::int64_t, std::int64_t);
using U = std::uint64_t;

std::int64_t wrap(U value) { return static_cast<std::int64_t>(value); }

// Conversion of a float to an integer as x86 does it: out of range and NaN give the smallest integer.
std::int64_t truncated(double value) {
  if (!(value >= -0x1p63 && value < 0x1p63)) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(value);
}

double sign(double x) { return (x > 0 ? 1.0 : 0.0) - (x < 0 ? 1.0 : 0.0); }
double remainder_of(double a, double b) {
  const double r = std::fmod(a, b);
  return r != 0 && (b < 0) != (r < 0) ? r + b : r;
}
double floor_quotient(double a, double b) {
  if (b == 0) return a / b;
  const double r = std::fmod(a, b);
  double q = (a - r) / b;
  if (r != 0 && (b < 0) != (r < 0)) q -= 1;
  if (q == 0) return std::copysign(0.0, a / b);
  const double down = std::floor(q);
  return q - down > 0.5 ? down + 1 : down;
}
double maximum(double a, double b) { return std::isnan(a) || std::isnan(b) ? a + b : a > b ? a : b; }
double minimum(double a, double b) { return std::isnan(a) || std::isnan(b) ? a + b : a < b ? a : b; }

std::int64_t quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  return b == -1 ? wrap(-static_cast<U>(a)) : a / b;
}
std::int64_t rest(std::int64_t a, std::int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  const std::int64_t r = rest(a, b);
  return quotient(a, b) - (r != 0 && (r < 0) != (b < 0) ? 1 : 0);
}
std::int64_t floor_rest(std::int64_t a, std::int64_t b) {
  const std::int64_t r = rest(a, b);
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
std::int64_t power(std::int64_t a, std::int64_t b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 != 0 ? -1 : 1) : 0;
  U result = 1, base = static_cast<U>(a);
  for (; b > 0; b >>= 1, base *= base)
    if ((b & 1) != 0) result *= base;
  return wrap(result);
}

// Round to nearest even with `bits` of significand and exponents from `least`; overflow beyond `limit` becomes infinite.
double round_half(double value, int bits, int least, double limit) {
  if (!std::isfinite(value) || value == 0) return value;
  const int exponent = std::max(std::ilogb(value), least);
  const double unit = std::ldexp(1.0, exponent - bits + 1);
  const double rounded = std::nearbyint(value / unit) * unit;
  return std::fabs(rounded) > limit ? std::copysign(HUGE_VAL, value) : std::copysign(rounded, value);
}

double as_bf16(double value) { return round_half(value, 8, -126, 0x1.fep127); }
double as_f16(double value) { return round_half(value, 11, -14, 65504); }

const std::map<Op, UnaryNumber>& unary_numbers() {
  static const std::map<Op, UnaryNumber> table = {
      {Op::neg, [](double x) { return -x; }}, {Op::abs, [](double x) { return std::fabs(x); }},
      {Op::exp, [](double x) { return std::exp(x); }}, {Op::exp2, [](double x) { return std::exp2(x); }},
      {Op::expm1, [](double x) { return std::expm1(x); }}, {Op::log, [](double x) { return std::log(x); }},
      {Op::log2, [](double x) { return std::log2(x); }}, {Op::log10, [](double x) { return std::log10(x); }},
      {Op::log1p, [](double x) { return std::log1p(x); }}, {Op::sqrt, [](double x) { return std::sqrt(x); }},
      {Op::rsqrt, [](double x) { return 1 / std::sqrt(x); }}, {Op::reciprocal, [](double x) { return 1 / x; }},
      {Op::sin, [](double x) { return std::sin(x); }}, {Op::cos, [](double x) { return std::cos(x); }},
      {Op::tan, [](double x) { return std::tan(x); }}, {Op::tanh, [](double x) { return std::tanh(x); }},
      {Op::sigmoid, [](double x) { return 1 / (1 + std::exp(-x)); }}, {Op::erf, [](double x) { return std::erf(x); }},
      {Op::erfc, [](double x) { return std::erfc(x); }}, {Op::one_plus_erf, [](double x) { return std::erfc(-x); }}, {Op::floor, [](double x) { return std::floor(x); }},
      {Op::ceil, [](double x) { return std::ceil(x); }}, {Op::round, [](double x) { return std::nearbyint(x); }},
      {Op::trunc, [](double x) { return std::trunc(x); }}, {Op::sign, sign}, {Op::as_bf16, as_bf16}, {Op::as_f16, as_f16}};
  return table;
}

const std::map<Op, BinaryNumber>& binary_numbers() {
  static const std::map<Op, BinaryNumber> table = {
      {Op::add, [](double a, double b) { return a + b; }}, {Op::sub, [](double a, double b) { return a - b; }},
      {Op::mul, [](double a, double b) { return a * b; }}, {Op::div, [](double a, double b) { return a / b; }},
      {Op::floor_divide, floor_quotient}, {Op::trunc_divide, [](double a, double b) { return std::trunc(a / b); }},
      {Op::remainder, remainder_of}, {Op::fmod, [](double a, double b) { return std::fmod(a, b); }},
      {Op::pow, [](double a, double b) { return std::pow(a, b); }}, {Op::maximum, maximum}, {Op::minimum, minimum},
      {Op::atan2, [](double a, double b) { return std::atan2(a, b); }}};
  return table;
}

const std::map<Op, BinaryInteger>& binary_integers() {
  using I = std::int64_t;
  static const std::map<Op, BinaryInteger> table = {
      {Op::add, [](I a, I b) { return wrap(static_cast<U>(a) + static_cast<U>(b)); }},
      {Op::sub, [](I a, I b) { return wrap(static_cast<U>(a) - static_cast<U>(b)); }},
      {Op::mul, [](I a, I b) { return wrap(static_cast<U>(a) * static_cast<U>(b)); }},
      {Op::div, quotient}, {Op::trunc_divide, quotient}, {Op::floor_divide, floor_quotient},
      {Op::remainder, floor_rest}, {Op::fmod, rest}, {Op::pow, power},
      {Op::maximum, [](I a, I b) { return a > b ? a : b; }}, {Op::minimum, [](I a, I b) { return a < b ? a : b; }},
      {Op::bitwise_and, [](I a, I b) { return a & b; }}, {Op::bitwise_or, [](I a, I b) { return a | b; }},
      {Op::bitwise_xor, [](I a, I b) { return a ^ b; }},
      {Op::logical_and, [](I a, I b) { return I{a != 0 && b != 0}; }},
      {Op::logical_or, [](I a, I b) { return I{a != 0 || b != 0}; }},
      {Op::logical_xor, [](I a, I b) { return I{(a != 0) != (b != 0)}; }}};
  return table;
}

std::int64_t shift(Op op, std::int64_t a, std::int64_t b, int bits) {
  const bool outside = b < 0 || b >= bits;
  if (op == Op::shift_left) return outside ? 0 : wrap(static_cast<U>(a) << b);
  return a >> (outside ? bits - 1 : b);
}

template <typename T>
bool compare(Op op, T a, T b) {
  switch (op) {
    case Op::eq: return a == b;
    case Op::ne: return a != b;
    case Op::lt: return a < b;
    case Op::le: return a <= b;
    case Op::gt: return a > b;
    default: return a >= b;
  }
}

bool on_booleans(Op op) {
  return op == Op::add || op == Op::mul || op == Op::maximum || op == Op::minimum || (op >= Op::eq && op <= Op::bitwise_xor);
}

base::Error unknown(Op op, DType type) {
  return {base::ErrorCode::internal, std::string(name(op)) + " is not defined on " + std::string(graph::name(type)), "interpreter"};
}

template <typename T>
double narrowed(std::int64_t value) { return static_cast<double>(static_cast<T>(value)); }

}  // namespace

Scalar of_number(DType type, double value) {
  return {type, type == DType::f32 ? static_cast<double>(static_cast<float>(value)) : value, 0};
}

Scalar of_integer(DType type, std::int64_t value) {
  if (type == DType::boolean) value = value != 0;
  return {type, 0, type == DType::i32 ? static_cast<std::int32_t>(value) : value};
}

Scalar convert(const Scalar& v, DType to) {
  const bool from_float = graph::is_floating(v.type);
  if (graph::is_floating(to)) {
    if (from_float) return of_number(to, v.number);
    return to == DType::f32 ? Scalar{to, static_cast<double>(static_cast<float>(v.integer)), 0}
                            : Scalar{to, static_cast<double>(v.integer), 0};
  }
  if (to == DType::boolean) return of_integer(to, from_float ? v.number != 0 : v.integer != 0);
  if (!from_float) return of_integer(to, v.integer);
  if (to == DType::i32 && !(v.number > -0x1p31 - 1 && v.number < 0x1p31)) return {to, 0, std::numeric_limits<std::int32_t>::min()};
  return of_integer(to, truncated(v.number));
}

double stored(const Scalar& value, DType storage) {
  switch (storage) {
    case DType::f64: return convert(value, DType::f64).number;
    case DType::f32: return convert(value, DType::f32).number;
    case DType::bf16: return as_bf16(convert(value, DType::f32).number);
    case DType::f16: return as_f16(convert(value, DType::f32).number);
    case DType::boolean: return static_cast<double>(convert(value, DType::boolean).integer);
    case DType::i32: return static_cast<double>(convert(value, DType::i32).integer);
    case DType::i16: return narrowed<std::int16_t>(convert(value, DType::i64).integer);
    case DType::i8: return narrowed<std::int8_t>(convert(value, DType::i64).integer);
    case DType::u8: return narrowed<std::uint8_t>(convert(value, DType::i64).integer);
    default: return static_cast<double>(convert(value, DType::i64).integer);
  }
}

Scalar loaded(double element, DType computing) {
  if (graph::is_floating(computing)) return of_number(computing, element);
  return of_integer(computing, truncated(element));
}

bool defined(Op op, DType operand) {
  const Scalar one{operand, 1, 1};
  const DType result = op >= Op::eq && op <= Op::logical_xor ? DType::boolean : operand;
  return op < Op::add ? apply(op, result, one).ok() : apply(op, result, one, one).ok();
}

base::Result<Scalar> apply(Op op, DType type, const Scalar& a) {
  if (op == Op::cast) return convert(a, type);
  const bool is_float = graph::is_floating(a.type);
  if (op == Op::is_nan) return of_integer(type, is_float && std::isnan(a.number));
  if (op == Op::is_inf) return of_integer(type, is_float && std::isinf(a.number));
  if (op == Op::logical_not) return of_integer(type, is_float ? a.number == 0 : a.integer == 0);
  if (is_float) {
    const auto row = unary_numbers().find(op);
    return row == unary_numbers().end() ? base::Result<Scalar>(unknown(op, a.type)) : of_number(type, row->second(a.number));
  }
  const std::int64_t x = a.integer;
  if (a.type == DType::boolean && op != Op::bitwise_not) return unknown(op, a.type);
  switch (op) {
    case Op::neg: return of_integer(type, wrap(-static_cast<U>(x)));
    case Op::abs: return of_integer(type, x < 0 ? wrap(-static_cast<U>(x)) : x);
    case Op::sign: return of_integer(type, (x > 0) - (x < 0));
    case Op::bitwise_not: return of_integer(type, a.type == DType::boolean ? x == 0 : ~x);
    case Op::floor:
    case Op::ceil:
    case Op::round:
    case Op::trunc: return of_integer(type, x);
    default: return unknown(op, a.type);
  }
}

base::Result<Scalar> apply(Op op, DType type, const Scalar& a, const Scalar& b) {
  const bool is_float = graph::is_floating(a.type);
  if (a.type == DType::boolean && !on_booleans(op)) return unknown(op, a.type);
  if (op >= Op::eq && op <= Op::ge)
    return of_integer(type, is_float ? compare(op, a.number, b.number) : compare(op, a.integer, b.integer));
  if (!is_float && (op == Op::shift_left || op == Op::shift_right))
    return of_integer(type, shift(op, a.integer, b.integer, a.type == DType::i32 ? 32 : 64));
  if (op >= Op::logical_and && op <= Op::logical_xor && is_float)
    return apply(op, type, of_integer(DType::boolean, a.number != 0), of_integer(DType::boolean, b.number != 0));
  if (is_float) {
    const auto row = binary_numbers().find(op);
    return row == binary_numbers().end() ? base::Result<Scalar>(unknown(op, a.type))
                                         : of_number(type, row->second(a.number, b.number));
  }
  const auto row = binary_integers().find(op);
  return row == binary_integers().end() ? base::Result<Scalar>(unknown(op, a.type))
                                        : of_integer(type, row->second(a.integer, b.integer));
}

}  // namespace kw::kernel
