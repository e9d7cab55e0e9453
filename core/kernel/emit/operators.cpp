#include "core/kernel/emit/operators.h"

#include <algorithm>
#include <map>

namespace kw::kernel {
namespace {

std::string grouped(const Written& w) { return w.atomic ? w.text : "(" + w.text + ")"; }

const std::map<Op, const char*>& signs() {
  static const std::map<Op, const char*> table = {
      {Op::add, "+"}, {Op::sub, "-"}, {Op::mul, "*"}, {Op::div, "/"}, {Op::eq, "=="}, {Op::ne, "!="}, {Op::lt, "<"},
      {Op::le, "<="}, {Op::gt, ">"}, {Op::ge, ">="}, {Op::bitwise_and, "&"}, {Op::bitwise_or, "|"}, {Op::bitwise_xor, "^"}};
  return table;
}

// Functions of one name for all types, and those with a suffix for the type.
struct Call {
  const char* floating;
  const char* integral;
  bool typed = false;                        // floating: the name goes on with _f32 or _f64
};
const std::map<Op, Call>& calls() {
  static const std::map<Op, Call> table = {
      {Op::div, {nullptr, "quotient"}}, {Op::trunc_divide, {"trunc_divide", "quotient"}},
      {Op::floor_divide, {"floor_divide", "floor_quotient"}}, {Op::remainder, {"remainder_of", "floor_rest"}},
      {Op::fmod, {"fmod_of", "rest"}}, {Op::pow, {"pow", "power", true}}, {Op::atan2, {"atan2", nullptr, true}},
      {Op::maximum, {"maximum", "maximum"}}, {Op::minimum, {"minimum", "minimum"}},
      {Op::shift_left, {nullptr, "shift_left"}}, {Op::shift_right, {nullptr, "shift_right"}},
      {Op::abs, {"absolute", "absolute"}}, {Op::sign, {"sign_of", "sign_of"}}, {Op::sqrt, {"square_root", nullptr}},
      {Op::floor, {"rounded<1>", ""}}, {Op::ceil, {"rounded<2>", ""}}, {Op::round, {"rounded<0>", ""}},
      {Op::trunc, {"rounded<3>", ""}}, {Op::as_bf16, {"as_bf16", nullptr}}, {Op::as_f16, {"as_f16", nullptr}},
      {Op::exp, {"exp", nullptr, true}}, {Op::exp2, {"exp2", nullptr, true}}, {Op::expm1, {"expm1", nullptr, true}},
      {Op::log, {"log", nullptr, true}}, {Op::log2, {"log2", nullptr, true}}, {Op::log10, {"log10", nullptr, true}},
      {Op::log1p, {"log1p", nullptr, true}}, {Op::sin, {"sin", nullptr, true}}, {Op::cos, {"cos", nullptr, true}},
      {Op::tan, {"tan", nullptr, true}}, {Op::tanh, {"tanh", nullptr, true}}, {Op::sigmoid, {"sigmoid", nullptr, true}},
      {Op::erf, {"erf", nullptr, true}}, {Op::erfc, {"erfc", nullptr, true}}, {Op::one_plus_erf, {"one_plus_erf", nullptr, true}}};
  return table;
}

bool comparison(Op op) { return op >= Op::eq && op <= Op::ge; }

// Comparisons of 64-bit lanes give 64-bit masks; ours have 32.
Written as_mask(std::string text, DType type, int lanes) {
  if (lanes > 1 && graph::byte_size(type) == 8) return {"mask(" + text + ")", lanes, true};
  return {std::move(text), lanes, false};
}

std::string one(DType type) { return type == DType::f32 ? "1.0f" : "1.0"; }

}  // namespace

bool is_infix(Op op, DType type) {
  if (op == Op::div && !graph::is_floating(type)) return false;
  return signs().contains(op);
}

std::string call_name(Op op, DType type) {
  const Call& call = calls().at(op);
  if (!graph::is_floating(type)) return call.integral;
  return call.typed ? std::string(call.floating) + "_" + std::string(graph::name(type)) : call.floating;
}

Written write_unary(Op op, DType type, const Written& a) {
  const bool floating = graph::is_floating(type);
  switch (op) {
    case Op::neg: return {"-" + grouped(a), a.lanes, false};
    case Op::bitwise_not: return {"~" + grouped(a), a.lanes, false};
    case Op::reciprocal: return {one(type) + " / " + grouped(a), a.lanes, false};
    case Op::rsqrt: return {one(type) + " / square_root(" + a.text + ")", a.lanes, false};
    case Op::is_nan: return floating ? as_mask(grouped(a) + " != " + grouped(a), type, a.lanes) : Written{"false", 1, true};
    case Op::is_inf:
      if (!floating) return {"false", 1, true};
      return as_mask("absolute(" + a.text + ") == " + (type == DType::f32 ? "__builtin_inff()" : "__builtin_inf()"), type, a.lanes);
    default: break;
  }
  const std::string name = call_name(op, type);
  return name.empty() ? a : Written{name + "(" + a.text + ")", a.lanes, true};
}

Written write_infix(Op op, DType type, const Written& a, const Written& b) {
  const int lanes = std::max(a.lanes, b.lanes);
  const std::string text = grouped(a) + " " + signs().at(op) + " " + grouped(b);
  return comparison(op) ? as_mask(text, type, lanes) : Written{text, lanes, false};
}

// Set lanes are -1, so an order of masks is the order of booleans turned round.
Written write_boolean(Op op, const Written& a, const Written& b) {
  const bool vector = a.lanes > 1;
  static const std::map<Op, std::pair<const char*, const char*>> table = {
      {Op::logical_and, {"&&", "&"}}, {Op::bitwise_and, {"&&", "&"}}, {Op::mul, {"&&", "&"}}, {Op::minimum, {"&&", "&"}},
      {Op::logical_or, {"||", "|"}}, {Op::bitwise_or, {"||", "|"}}, {Op::add, {"||", "|"}}, {Op::maximum, {"||", "|"}},
      {Op::logical_xor, {"!=", "^"}}, {Op::bitwise_xor, {"!=", "^"}}, {Op::ne, {"!=", "!="}}, {Op::eq, {"==", "=="}},
      {Op::lt, {"<", ">"}}, {Op::le, {"<=", ">="}}, {Op::gt, {">", "<"}}, {Op::ge, {">=", "<="}}};
  const auto& row = table.at(op);
  return {grouped(a) + " " + (vector ? row.second : row.first) + " " + grouped(b), a.lanes, false};
}

}  // namespace kw::kernel
