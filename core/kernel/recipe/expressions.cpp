#include "core/kernel/recipe/expressions.h"

#include <algorithm>
#include <unordered_set>

namespace kw::kernel::lowering {

Expr Rewriter::operator()(const Expr& e) {
  if (const auto found = done_.find(e.get()); found != done_.end()) return found->second;
  std::vector<Expr> operands;
  bool changed = false;
  for (const Expr& operand : e->operands) {
    operands.push_back((*this)(operand));
    changed = changed || operands.back() != operand;
  }
  Expr node = changed ? with_operands(e, operands) : e;
  // A node that folded into one of its operands has been changed already.
  const bool folded = std::find(operands.begin(), operands.end(), node) != operands.end();
  Expr result = folded ? node : change_(node);
  alive_.push_back(e);
  done_.emplace(e.get(), result);
  return result;
}

namespace {
void visit_once(const Expr& e, std::unordered_set<const Expression*>& seen, const std::function<void(const Expression&)>& see) {
  if (!seen.insert(e.get()).second) return;
  for (const Expr& operand : e->operands) visit_once(operand, seen, see);
  see(*e);
}
}  // namespace

void visit(const Expr& e, const std::function<void(const Expression&)>& see) {
  std::unordered_set<const Expression*> seen;
  visit_once(e, seen, see);
}

std::vector<const Expression*> distinct_reads(const Expr& e) {
  std::vector<const Expression*> found;
  visit(e, [&](const Expression& node) {
    if (node.op == Op::read) found.push_back(&node);
  });
  return found;
}

Expr with_operands(const Expr& e, std::vector<Expr> operands) {
  if (e->op == Op::select) return select(operands[0], operands[1], operands[2]);
  if (e->op == Op::cast) return cast(operands[0], e->type);
  if (operands.size() == 1 && e->op != Op::lane) return unary(e->op, operands[0]);
  if (operands.size() == 2) return binary(e->op, operands[0], operands[1]);
  auto copy = std::make_shared<Expression>(*e);
  copy->operands = std::move(operands);
  return copy;
}

Expr with_maps(const Expr& e, std::vector<Index> maps) {
  auto copy = std::make_shared<Expression>(*e);
  copy->maps = std::move(maps);
  return copy;
}

Expr register_read(int reg, DType type, int component) {
  auto e = std::make_shared<Expression>();
  e->op = Op::reg;
  e->type = type;
  e->source = reg;
  e->component = component;
  return e;
}

Expr lane_of(const Expr& reg, int lane) {
  auto e = std::make_shared<Expression>();
  e->op = Op::lane;
  e->type = reg->type;
  e->integer = lane;
  e->operands = {reg};
  return e;
}

Expr element(int buffer, Index offset, DType computing) {
  auto e = std::make_shared<Expression>();
  e->op = Op::read;
  e->type = computing;
  e->source = buffer;
  e->maps = {std::move(offset)};
  return e;
}

int work(Op op) {
  switch (op) {
    case Op::constant: case Op::index: case Op::reg: case Op::lane: case Op::cast: return 0;
    case Op::exp: case Op::exp2: case Op::log: case Op::log2: case Op::log10: case Op::sigmoid: return 12;
    case Op::expm1: case Op::log1p: case Op::tanh: case Op::sin: case Op::cos: return 16;
    case Op::erf: case Op::erfc: case Op::one_plus_erf: case Op::tan: case Op::pow: case Op::atan2: return 24;
    case Op::div: case Op::sqrt: case Op::rsqrt: case Op::reciprocal: return 4;
    case Op::floor_divide: case Op::trunc_divide: case Op::remainder: case Op::fmod: return 8;
    case Op::maximum: case Op::minimum: return 2;
    default: return 1;
  }
}

int work(const Expr& e) {
  int sum = 0;
  visit(e, [&](const Expression& node) { sum += work(node.op); });
  return sum;
}

bool is_variable(const Index& map, int* v) {
  if (map.constant != 0 || map.terms.size() != 1) return false;
  const IndexTerm& term = map.terms[0];
  if (term.kind != IndexTerm::Kind::variable || term.coefficient != 1) return false;
  if (v != nullptr) *v = term.variable;
  return true;
}

std::int64_t coefficient(const Index& map, int v) {
  for (const IndexTerm& term : map.terms)
    if (term.kind == IndexTerm::Kind::variable && term.variable == v) return term.coefficient;
  return 0;
}

bool affine_in(const Index& map, int v) {
  for (const IndexTerm& term : map.terms)
    if (term.kind != IndexTerm::Kind::variable && depends_on(*term.inner, v)) return false;
  return true;
}

}  // namespace kw::kernel::lowering
