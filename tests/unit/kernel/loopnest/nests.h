#pragma once
// For tests: short ways to write statements, and a few nests that several tests use.

#include <utility>

#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel::testing {

inline Statement loop(int variable, std::int64_t begin, std::int64_t end, std::int64_t step, LoopKind kind, Block body) {
  Statement s;
  s.variable = variable;
  s.begin = begin;
  s.end = end;
  s.step = step;
  s.loop_kind = kind;
  s.body = std::move(body);
  return s;
}

inline Statement assign(StatementKind kind, int target, Expr value) {
  Statement s;
  s.kind = kind;
  s.target = target;
  s.value = std::move(value);
  return s;
}
inline Statement let(int target, Expr value) { return assign(StatementKind::let, target, std::move(value)); }
inline Statement update(int target, Expr value) { return assign(StatementKind::update, target, std::move(value)); }

inline Statement store(int buffer, Index index, Expr value) {
  Statement s;
  s.kind = StatementKind::store;
  s.buffer = buffer;
  s.index = std::move(index);
  s.value = std::move(value);
  return s;
}

inline Expr reg(int source, DType type) {
  auto e = std::make_shared<Expression>();
  e->op = Op::reg;
  e->type = type;
  e->source = source;
  return e;
}

inline Expr lane(int source, DType type, int number) {
  auto e = std::make_shared<Expression>();
  e->op = Op::lane;
  e->type = type;
  e->integer = number;
  e->operands = {reg(source, type)};
  return e;
}

inline Index affine(std::int64_t constant_part, std::vector<std::pair<int, std::int64_t>> terms) {
  Index sum = constant(constant_part);
  for (const auto& [v, coefficient] : terms) sum = add(sum, scale(variable(v), coefficient));
  return sum;
}

LoopNest softmax_rows();      // bf16 rows of 515 with a tail loop, a tile and a lane reduction
LoopNest padded_pool();       // f32 3x3 max-pool of stride 2 with padding, 8 lanes
LoopNest masked_fill();       // boolean mask, i64 index arithmetic, 16 lanes

}  // namespace kw::kernel::testing
