#include "core/kernel/loopnest/verify_expression.h"

#include "core/kernel/loopnest/arithmetic.h"

namespace kw::kernel {
namespace {

using base::Status;

base::Error fail(std::string message) { return {base::ErrorCode::internal, std::move(message), {}}; }
std::string name_of(DType type) { return std::string(graph::name(type)); }

bool computing(DType t) {
  return t == DType::f32 || t == DType::f64 || t == DType::i64 || t == DType::i32 || t == DType::boolean;
}

std::size_t arity(Op op) {
  if (op == Op::select) return 3;
  if (op >= Op::add) return 2;
  return op >= Op::neg || op == Op::lane || op == Op::cast ? 1 : 0;
}

Status check_maps(const Expression& e) {
  const bool one = e.op == Op::read || e.op == Op::index;
  if (one && e.maps.size() != 1) return fail(std::string(name(e.op)) + " has " + std::to_string(e.maps.size()) + " index maps; 1 is needed");
  if (e.op == Op::in_bounds && e.maps.size() != e.limits.size()) return fail("in_bounds has not one limit a map");
  if (!one && e.op != Op::in_bounds && !e.maps.empty()) return fail(std::string(name(e.op)) + " has index maps");
  return base::done();
}

// Storage converts to its computing type, small integers also to i32.
Status check_read(const Expression& e, const LoopNest& nest) {
  if (e.source < 0 || static_cast<std::size_t>(e.source) >= nest.buffers.size()) return fail("a read names no buffer");
  const NestBuffer& b = nest.buffers[static_cast<std::size_t>(e.source)];
  const bool small = graph::is_integral(b.type) && b.type != DType::i64 && e.type == DType::i32;
  if (e.type != compute_type(b.type) && !small)
    return fail("a read of " + b.name + " (" + name_of(b.type) + ") gives " + name_of(e.type));
  return base::done();
}

Status check_register(const Expression& e, const LoopNest& nest, const std::function<bool(int)>& defined_register) {
  if (e.source < 0 || static_cast<std::size_t>(e.source) >= nest.registers.size()) return fail("an expression names no register");
  const Register& r = nest.registers[static_cast<std::size_t>(e.source)];
  if (!defined_register(e.source)) return fail("register " + r.name + " is not defined here");
  if (r.type != e.type) return fail("register " + r.name + " (" + name_of(r.type) + ") is read as " + name_of(e.type));
  return base::done();
}

Status check_lane(const Expression& e, const LoopNest& nest) {
  const Expression& operand = *e.operands[0];
  if (operand.op != Op::reg) return fail("lane of something that is no register");
  const Register& r = nest.registers[static_cast<std::size_t>(operand.source)];
  if (e.integer < 0 || e.integer >= r.lanes || r.lanes == 1)
    return fail("lane " + std::to_string(e.integer) + " of register " + r.name + ", which has " + std::to_string(r.lanes));
  return e.type == r.type ? base::done() : Status(fail("a lane of register " + r.name + " changes its type"));
}

bool gives_boolean(Op op) { return op == Op::is_nan || op == Op::is_inf || op == Op::logical_not || (op >= Op::eq && op <= Op::logical_xor); }

Status check_arithmetic(const Expression& e) {
  const DType operand = e.operands[0]->type;
  const std::string what = name(e.op);
  if (e.op == Op::select) {
    if (operand != DType::boolean) return fail("the condition of a select is " + name_of(operand));
    if (e.operands[1]->type != e.type || e.operands[2]->type != e.type) return fail("the sides of a select differ in type");
    return base::done();
  }
  if (e.op == Op::cast) return base::done();
  if (e.operands.size() == 2 && e.operands[1]->type != operand)
    return fail(what + " of " + name_of(operand) + " and " + name_of(e.operands[1]->type));
  if (!defined(e.op, operand)) return fail(what + " is not defined on " + name_of(operand));
  if (e.type != (gives_boolean(e.op) ? DType::boolean : operand)) return fail(what + " of " + name_of(operand) + " gives " + name_of(e.type));
  return base::done();
}

Status check_leaf(const Expression& e, const LoopNest& nest, const std::function<bool(int)>& register_defined) {
  switch (e.op) {
    case Op::read: return check_read(e, nest);
    case Op::reg: return check_register(e, nest, register_defined);
    case Op::index: return e.type == DType::i64 ? base::done() : Status(fail("an index value is not i64"));
    case Op::in_bounds: return e.type == DType::boolean ? base::done() : Status(fail("in_bounds is not boolean"));
    default: return base::done();
  }
}

}  // namespace

Status open_variables(const Index& map, const LoopNest& nest, const Scope& scope) {
  for (const IndexTerm& term : map.terms) {
    if (term.kind != IndexTerm::Kind::variable) {
      if (term.divisor < 1) return fail("an index map divides by " + std::to_string(term.divisor));
      if (Status status = open_variables(*term.inner, nest, scope); !status) return status;
      continue;
    }
    if (term.variable < 0 || static_cast<std::size_t>(term.variable) >= nest.variables.size()) return fail("an index map names no variable");
    if (!scope.ranges[static_cast<std::size_t>(term.variable)].open)
      return fail("loop variable " + nest.variables[static_cast<std::size_t>(term.variable)] + " is used outside its loop");
  }
  return base::done();
}

Status check_expression(const Expression& e, const LoopNest& nest, const Scope& scope,
                        const std::function<bool(int)>& register_defined) {
  if (!computing(e.type)) return fail(std::string(name(e.op)) + " has storage type " + name_of(e.type));
  if (e.operands.size() != arity(e.op))
    return fail(std::string(name(e.op)) + " has " + std::to_string(e.operands.size()) + " operands");
  if (Status status = check_maps(e); !status) return status;
  for (const Index& map : e.maps)
    if (Status status = open_variables(map, nest, scope); !status) return status;
  for (const Expr& operand : e.operands) {
    if (operand == nullptr) return fail(std::string(name(e.op)) + " lacks an operand");
    if (Status status = check_expression(*operand, nest, scope, register_defined); !status) return status;
  }
  if (e.op == Op::lane) return check_lane(e, nest);
  return e.operands.empty() ? check_leaf(e, nest, register_defined) : check_arithmetic(e);
}

}  // namespace kw::kernel
