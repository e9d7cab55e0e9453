#include "tests/unit/kernel/loopnest/nests.h"

#include <cmath>

namespace kw::kernel::testing {
namespace {

constexpr DType f32 = DType::f32;

Expr lanes_joined(Op op, int source, int lanes) {
  Expr all = lane(source, f32, 0);
  for (int l = 1; l < lanes; ++l) all = binary(op, all, lane(source, f32, l));
  return all;
}

}  // namespace

LoopNest softmax_rows() {
  LoopNest nest;
  nest.name = "softmax_rows";
  nest.comment = "softmax over rows of 515\nreads 66 kB, writes 66 kB";
  nest.threads = 2;
  nest.buffers = {{"x", DType::bf16, 64 * 515, Space::global, 0}, {"y", DType::bf16, 64 * 515, Space::global, 1}, {"row", f32, 515, Space::tile, -1}};
  nest.variables = {"r", "c", "tail"};
  nest.registers = {{"m", f32, 8}, {"largest", f32, 1}, {"s", f32, 8}, {"sum", f32, 1}, {"e", f32, 8}, {"et", f32, 1}, {"scale", f32, 1}};
  const Index at = affine(0, {{0, 515}, {1, 1}}), at_tail = affine(0, {{0, 515}, {2, 1}});
  const auto wide = [](Block body) { return loop(1, 0, 512, 8, LoopKind::vector, std::move(body)); };
  const auto tail = [](Block body) { return loop(2, 512, 515, 1, LoopKind::serial, std::move(body)); };
  const auto exponential = [&](const Index& i) { return unary(Op::exp, binary(Op::sub, read(2, {i}, f32), reg(1, f32))); };
  nest.body = {loop(0, 0, 64, 1, LoopKind::parallel, {
      let(0, constant_f(-HUGE_VAL)),
      wide({store(2, variable(1), read(0, {at}, DType::bf16)), update(0, binary(Op::maximum, reg(0, f32), read(2, {variable(1)}, f32)))}),
      let(1, lanes_joined(Op::maximum, 0, 8)),
      tail({store(2, variable(2), read(0, {at_tail}, DType::bf16)), update(1, binary(Op::maximum, reg(1, f32), read(2, {variable(2)}, f32)))}),
      let(2, constant_f(0)),
      wide({let(4, exponential(variable(1))), store(2, variable(1), reg(4, f32)), update(2, binary(Op::add, reg(2, f32), reg(4, f32)))}),
      let(3, lanes_joined(Op::add, 2, 8)),
      tail({let(5, exponential(variable(2))), store(2, variable(2), reg(5, f32)), update(3, binary(Op::add, reg(3, f32), reg(5, f32)))}),
      let(6, unary(Op::reciprocal, reg(3, f32))),
      wide({store(1, at, binary(Op::mul, read(2, {variable(1)}, f32), reg(6, f32)))}),
      tail({store(1, at_tail, binary(Op::mul, read(2, {variable(2)}, f32), reg(6, f32)))})})};
  return nest;
}

LoopNest padded_pool() {
  LoopNest nest;
  nest.name = "padded_pool";
  nest.buffers = {{"x", f32, 4 * 32 * 32, Space::global, 0}, {"y", f32, 4 * 16 * 16, Space::global, 1}};
  nest.variables = {"p", "h", "w", "kh", "kw"};
  nest.registers = {{"best", f32, 8}};
  const Index row = affine(-1, {{1, 2}, {3, 1}}), column = affine(-1, {{2, 2}, {4, 1}});
  const Index offset = add(affine(0, {{0, 1024}}), add(scale(row, 32), column));
  const Expr value = select(in_bounds({row, column}, {32, 32}, {4, 16, 16, 3, 3}), read(0, {offset}, f32), constant_f(-HUGE_VAL));
  const auto serial = [](int v, std::int64_t end, Block body) { return loop(v, 0, end, 1, LoopKind::serial, std::move(body)); };
  nest.body = {loop(0, 0, 4, 1, LoopKind::parallel, {serial(1, 16, {loop(2, 0, 16, 8, LoopKind::vector, {
      let(0, constant_f(-HUGE_VAL)),
      serial(3, 3, {serial(4, 3, {update(0, binary(Op::maximum, reg(0, f32), value))})}),
      store(1, affine(0, {{0, 256}, {1, 16}, {2, 1}}), reg(0, f32))})})})};
  return nest;
}

LoopNest masked_fill() {
  LoopNest nest;
  nest.name = "masked_fill";
  nest.buffers = {{"mask", DType::boolean, 96, Space::global, 0}, {"x", DType::f16, 96, Space::global, 1}, {"y", f32, 96, Space::global, 2}};
  nest.variables = {"i"};
  const Expr place = cast(index_value(floor_div(variable(0), 3, {96})), f32);
  nest.body = {loop(0, 0, 96, 16, LoopKind::vector, {
      store(2, variable(0), select(read(0, {variable(0)}, DType::boolean), place, read(1, {variable(0)}, DType::f16)))})};
  return nest;
}

}  // namespace kw::kernel::testing
