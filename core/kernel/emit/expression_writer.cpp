#include "core/kernel/emit/expression_writer.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/kernel/emit/operators.h"

namespace kw::kernel {
namespace {

std::string grouped(const Written& w) { return w.atomic ? w.text : "(" + w.text + ")"; }

std::string number_text(double value, DType type) {
  const std::string suffix = type == DType::f32 ? "f" : "";
  if (std::isnan(value)) return "__builtin_nan" + suffix + "(\"\")";
  if (std::isinf(value)) return (value < 0 ? "-" : "") + std::string("__builtin_inf") + suffix + "()";
  char buffer[64];
  const auto end = type == DType::f32 ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<float>(value))
                                      : std::to_chars(buffer, buffer + sizeof buffer, value);
  std::string text(buffer, end.ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text + suffix;
}

bool leaf(const Expression& e) { return e.op == Op::constant || e.op == Op::reg || e.op == Op::lane; }

}  // namespace

std::string vector_type(DType type, int lanes) {
  if (lanes == 1) return type == DType::boolean ? "bool" : std::string(graph::name(type));
  return (type == DType::boolean ? "i32" : std::string(graph::name(type))) + "x" + std::to_string(lanes);
}

std::string index_type(const LoopNest& nest, Dialect dialect) {
  if (dialect == Dialect::cpp) return "i64";
  const bool small = std::all_of(nest.buffers.begin(), nest.buffers.end(), [](const NestBuffer& b) { return b.elements < (std::int64_t{1} << 30); });
  return small && iterations(grid_shape(nest).grid) < (std::int64_t{1} << 30) ? "i32" : "i64";
}

std::string storage_type(DType type) { return type == DType::boolean ? "u8" : std::string(graph::name(type)); }

// Equal expressions, shared or not, get one number.
int ExpressionWriter::intern(const Expr& e) {
  if (const auto found = ids_.find(e.get()); found != ids_.end()) return found->second;
  std::string key = std::to_string(static_cast<int>(e->op)) + ":" + std::to_string(static_cast<int>(e->type)) + ":" +
                    std::to_string(e->source) + ":" + std::to_string(e->integer);
  if (e->op == Op::constant) key += ":" + number_text(e->number, DType::f64) + (std::signbit(e->number) ? "-" : "");
  for (std::size_t k = 0; k < e->maps.size(); ++k) {
    key += ";" + kernel::text(e->maps[k]);
    if (k < e->limits.size()) key += "<" + std::to_string(e->limits[k]);
  }
  for (const Expr& operand : e->operands) key += "," + std::to_string(intern(operand));
  const int id = keys_.emplace(key, static_cast<int>(keys_.size())).first->second;
  return ids_[e.get()] = id;
}

void ExpressionWriter::count_uses(const Expr& e) {
  if (++uses_[intern(e)] > 1) return;
  for (const Expr& operand : e->operands) count_uses(operand);
}

bool ExpressionWriter::always_inside(const Expression& read) const {
  const Range r = interval(read.maps[0], scope_);
  return r.low >= 0 && r.high < nest_.buffers[static_cast<std::size_t>(read.source)].elements;
}

// Whether the expression may be evaluated outside the selects around it.
bool ExpressionWriter::closed(const Expression& e) const {
  if (e.op == Op::read) return always_inside(e);
  if (e.op == Op::select) return closed(*e.operands[0]);
  for (const Expr& operand : e.operands)
    if (!closed(*operand)) return false;
  return true;
}

Written ExpressionWriter::written(const Expr& e, std::vector<std::string>& before) {
  before_ = &before;
  ids_.clear();
  keys_.clear();
  uses_.clear();
  temporaries_.clear();
  count_uses(e);
  return write(e, {});
}

std::string ExpressionWriter::value(const Expr& e, DType type, int lanes, std::vector<std::string>& before) {
  const Written w = converted(written(e, before), e->type, type);
  return w.lanes == lanes ? w.text : splatted(w, type, lanes);
}

Written ExpressionWriter::write(const Expr& e, const Guard& guard) {
  const int id = intern(e);
  if (const auto found = temporaries_.find(id); found != temporaries_.end()) return found->second;
  const bool name_it = uses_[id] > 1 && !leaf(*e) && (!guard.inside || closed(*e));
  Written w = node(*e, name_it ? Guard{} : guard);
  if (!name_it) return w;
  const std::string name = names_.fresh("t");
  before_->push_back("const " + vector_type(e->type, w.lanes) + " " + name + " = " + w.text + ";");
  return temporaries_[id] = Written{name, w.lanes, true};
}

Written ExpressionWriter::node(const Expression& e, const Guard& guard) {
  switch (e.op) {
    case Op::constant: return constant(e);
    case Op::index: return index_value(e);
    case Op::read: return read(e, guard);
    case Op::reg: return {names_.reg(e.source), nest_.registers[static_cast<std::size_t>(e.source)].lanes, true};
    case Op::lane: {
      const std::string element = names_.reg(e.operands[0]->source) + "[" + std::to_string(e.integer) + "]";
      return e.type == DType::boolean ? Written{element + " != 0", 1, false} : Written{element, 1, true};
    }
    case Op::in_bounds: return bounds(e);
    case Op::select: return select(e, guard);
    default: break;
  }
  const Written a = write(e.operands[0], guard);
  if (e.op == Op::cast) return converted(a, e.operands[0]->type, e.type);
  return e.operands.size() == 1 ? unary(e, a) : binary(e, a, write(e.operands[1], guard));
}

Written ExpressionWriter::constant(const Expression& e) const {
  if (e.type == DType::boolean) return {e.integer != 0 ? "true" : "false", 1, true};
  if (graph::is_floating(e.type)) {
    const bool negative = std::signbit(e.number) && !std::isnan(e.number);
    return {number_text(e.number, e.type), 1, !negative};
  }
  if (e.type == DType::i32) return {std::to_string(e.integer), 1, e.integer >= 0};
  if (e.integer == INT64_MIN) return {"(-9223372036854775807L - 1)", 1, true};
  return {std::to_string(e.integer) + "L", 1, e.integer >= 0};
}

Written ExpressionWriter::converted(const Written& w, DType from, DType to) const {
  if (from == to) return w;
  const std::string type = vector_type(to, w.lanes);
  if (w.lanes == 1)
    return to == DType::boolean ? Written{grouped(w) + " != 0", 1, false} : Written{"(" + type + ")" + grouped(w), 1, true};
  if (to == DType::boolean) return {"mask(" + grouped(w) + " != 0)", w.lanes, true};
  if (from == DType::boolean) return {"from_mask<" + type + ">(" + w.text + ")", w.lanes, true};
  return {"convert<" + type + ">(" + w.text + ")", w.lanes, true};
}

std::string ExpressionWriter::splatted(const Written& w, DType type, int lanes) const {
  if (w.lanes == lanes) return w.text;
  const std::string text = type == DType::boolean ? "-(i32)" + grouped(w) : w.text;
  return "splat<" + vector_type(type, lanes) + ">(" + text + ")";
}

Written ExpressionWriter::select(const Expression& e, const Guard& guard) {
  const bool lazy = !closed(*e.operands[1]) || !closed(*e.operands[2]);
  Written test = write(e.operands[0], guard);
  Guard then = guard, otherwise = guard;
  if (lazy) then.inside = otherwise.inside = true;
  if (lazy && test.lanes > 1) {
    if (closed(*e.operands[0]) && temporaries_.count(intern(e.operands[0])) == 0) {
      const std::string name = names_.fresh("m");
      before_->push_back("const " + vector_type(DType::boolean, test.lanes) + " " + name + " = " + test.text + ";");
      test = temporaries_[intern(e.operands[0])] = Written{name, test.lanes, true};
    }
    const std::string outer = guard.mask.empty() ? "" : guard.mask + " & ";
    then.mask = outer.empty() ? grouped(test) : "(" + outer + grouped(test) + ")";
    otherwise.mask = "(" + outer + "~" + grouped(test) + ")";
  }
  const Written a = write(e.operands[1], then), b = write(e.operands[2], otherwise);
  const int lanes = std::max({test.lanes, a.lanes, b.lanes});
  const std::string x = splatted(a, e.type, lanes), y = splatted(b, e.type, lanes);
  if (test.lanes > 1) return {"select(" + test.text + ", " + x + ", " + y + ")", lanes, true};
  const auto side = [&](const Written& w, const std::string& text) { return w.atomic || w.lanes != lanes ? text : "(" + text + ")"; };
  return {grouped(test) + " ? " + side(a, x) + " : " + side(b, y), lanes, false};
}

Written ExpressionWriter::unary(const Expression& e, const Written& a) const {
  const DType type = e.operands[0]->type;
  if (e.op == Op::logical_not || (e.op == Op::bitwise_not && type == DType::boolean)) {
    const Written test = converted(a, type, DType::boolean);
    return {(a.lanes > 1 ? "~" : "!") + grouped(test), a.lanes, false};
  }
  return write_unary(e.op, type, a);
}

Written ExpressionWriter::boolean(Op op, const Written& a, const Written& b) const {
  const int lanes = std::max(a.lanes, b.lanes);
  const Written x{splatted(a, DType::boolean, lanes), lanes, a.atomic || a.lanes != lanes};
  const Written y{splatted(b, DType::boolean, lanes), lanes, b.atomic || b.lanes != lanes};
  return write_boolean(op, x, y);
}

Written ExpressionWriter::binary(const Expression& e, Written a, Written b) const {
  DType type = e.operands[0]->type;
  if (e.op >= Op::logical_and && e.op <= Op::logical_xor) {
    a = converted(a, type, DType::boolean);
    b = converted(b, e.operands[1]->type, DType::boolean);
    type = DType::boolean;
  }
  if (type == DType::boolean) return boolean(e.op, a, b);
  const int lanes = std::max(a.lanes, b.lanes);
  if (!is_infix(e.op, type)) {
    const std::string x = splatted(a, type, lanes), y = splatted(b, type, lanes);
    return {call_name(e.op, type) + "(" + x + ", " + y + ")", lanes, true};
  }
  return write_infix(e.op, type, a, b);
}

}  // namespace kw::kernel
