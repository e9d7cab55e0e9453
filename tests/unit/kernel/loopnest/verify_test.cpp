#include <gtest/gtest.h>

#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;
constexpr DType f32 = DType::f32;

std::string reason(const LoopNest& nest) {
  const auto status = verify(nest);
  return status ? "accepted" : status.error().message;
}

void expect_reason(const LoopNest& nest, const std::string& part) {
  EXPECT_NE(reason(nest).find(part), std::string::npos) << "reason: " << reason(nest) << "\nwanted: " << part;
}

// y[map] = x[0] in a parallel loop p around a serial loop q.
LoopNest scattered(std::int64_t p, std::int64_t q, Index map, std::int64_t elements, std::int64_t p_step = 1) {
  LoopNest nest;
  nest.name = "scattered";
  nest.buffers = {{"x", f32, 1, Space::global, 0}, {"y", f32, elements, Space::global, 1}};
  nest.variables = {"p", "q"};
  nest.body = {loop(0, 0, p, p_step, LoopKind::parallel, {loop(1, 0, q, 1, LoopKind::serial, {store(1, std::move(map), read(0, {constant(0)}, f32))})})};
  return nest;
}

TEST(Verify, AcceptsGoodNests) {
  EXPECT_EQ(reason(softmax_rows()), "accepted");
  EXPECT_EQ(reason(padded_pool()), "accepted");
  EXPECT_EQ(reason(masked_fill()), "accepted");
}

TEST(Verify, BoundsOfStoresAndReads) {
  LoopNest nest = softmax_rows();
  nest.buffers[0].elements -= 1;
  expect_reason(nest, "read of x[515*r + tail] is not shown to stay in bounds: offset 32959 of 32959 elements");
  nest = softmax_rows();
  nest.buffers[2].elements = 512;
  expect_reason(nest, "store to row[tail] is not shown to stay in bounds: offset 512 of 512");
  nest = padded_pool();
  nest.buffers[0].elements = 4 * 32 * 32 - 1;
  expect_reason(nest, "read of x[");
}

// Without its guard, or guarded by too weak a one, the padded read is refused.
TEST(Verify, AGuardIsNeededAndUsed) {
  const Index column = affine(-1, {{0, 1}});
  LoopNest nest;
  nest.name = "guarded";
  nest.buffers = {{"x", f32, 30, Space::global, 0}, {"y", f32, 32, Space::global, 1}};
  nest.variables = {"i"};
  const auto with = [&](Expr value) {
    LoopNest copy = nest;
    copy.body = {loop(0, 0, 32, 8, LoopKind::vector, {store(1, variable(0), std::move(value))})};
    return copy;
  };
  const Expr value = read(0, {column}, f32), zero = constant_f(0);
  EXPECT_EQ(reason(with(select(in_bounds({column}, {30}, {32}), value, zero))), "accepted");
  EXPECT_EQ(reason(with(select(unary(Op::logical_not, in_bounds({column}, {30}, {32})), zero, value))), "accepted");
  EXPECT_EQ(reason(with(select(binary(Op::logical_and, binary(Op::ge, index_value(variable(0)), constant_i(1)),
                                                       binary(Op::lt, index_value(variable(0)), constant_i(31))), value, zero))), "accepted");
  expect_reason(with(value), "offset -1 of 30");
  expect_reason(with(select(in_bounds({column}, {31}, {32}), value, zero)), "offset 30 of 30");
  expect_reason(with(select(in_bounds({column}, {30}, {32}), zero, value)), "not shown to stay in bounds");
}

TEST(Verify, ElseSideOfAConcatenation) {
  LoopNest nest;
  nest.name = "concatenated";
  nest.buffers = {{"a", f32, 5 * 3, Space::global, 0}, {"b", f32, 5 * 4, Space::global, 1}, {"y", f32, 5 * 7, Space::global, 2}};
  nest.variables = {"r", "c"};
  const Expr value = select(in_bounds({variable(1)}, {3}, {5, 7}), read(0, {affine(0, {{0, 3}, {1, 1}})}, f32), read(1, {affine(-3, {{0, 4}, {1, 1}})}, f32));
  nest.body = {loop(0, 0, 5, 1, LoopKind::parallel, {loop(1, 0, 7, 1, LoopKind::serial, {store(2, affine(0, {{0, 7}, {1, 1}}), value)})})};
  EXPECT_EQ(reason(nest), "accepted");
}

TEST(Verify, DisjointWritesByStrides) {
  constexpr std::int64_t large = 1 << 23;                       // too many to enumerate
  const Extents extents{large, 64};
  EXPECT_EQ(reason(scattered(large, 64, affine(0, {{0, 64}, {1, 1}}), large * 64)), "accepted");
  EXPECT_EQ(reason(scattered(large, 64, affine(0, {{0, 1}, {1, large}}), large * 64)), "accepted");
  // p = (p / 1024, p % 1024), transposed.
  const Index high = floor_div(variable(0), 1024, extents), low = mod(variable(0), 1024, extents);
  EXPECT_EQ(reason(scattered(large, 64, add(add(scale(low, 8192 * 64), scale(high, 64)), variable(1)), large * 64)), "accepted");
  EXPECT_EQ(reason(scattered(large, 64, add(add(scale(low, 8192), high), scale(variable(1), large)), large * 64)), "accepted");
  expect_reason(scattered(large, 64, affine(0, {{0, 63}, {1, 1}}), large * 64), "race not excluded: the offsets into y");
  expect_reason(scattered(large, 64, scale(high, 64), large * 64), "race not excluded");
  EXPECT_EQ(reason(scattered(1 << 12, 64, affine(0, {{0, 1}}), 1 << 12)), "accepted");
}

TEST(Verify, RacesByEnumeration) {
  expect_reason(scattered(4, 8, affine(0, {{0, 7}, {1, 1}}), 64), "race: iterations 0 and 1 of parallel loop p both write y[7]");
  expect_reason(scattered(4, 8, variable(1), 64), "race: iterations 0 and 1 of parallel loop p both write y[0]");
  EXPECT_EQ(reason(scattered(8, 3, affine(0, {{0, 3}, {1, 1}}), 64, 2)), "accepted");
  EXPECT_EQ(reason(scattered(8, 6, affine(0, {{0, 3}, {1, 1}}), 64, 2)), "accepted");
  expect_reason(scattered(8, 7, affine(0, {{0, 3}, {1, 1}}), 64, 2), "race: iterations 0 and 2");
  // Stride 5 and 3: not a mixed radix, yet disjoint for these ranges.
  EXPECT_EQ(reason(scattered(3, 3, affine(0, {{0, 5}, {1, 3}}), 64)), "accepted");
}

TEST(Verify, ReadsOfWhatAnotherIterationWrites) {
  LoopNest nest;
  nest.name = "scan";
  nest.buffers = {{"y", f32, 65, Space::global, 0}};
  nest.variables = {"p"};
  nest.body = {loop(0, 0, 64, 1, LoopKind::parallel, {store(0, affine(1, {{0, 1}}), read(0, {variable(0)}, f32))})};
  expect_reason(nest, "race: iteration 1 of parallel loop p reads y[1], which iteration 0 writes");
  nest.body[0].body[0].index = variable(0);
  EXPECT_EQ(reason(nest), "accepted");
}

TEST(Verify, Registers) {
  LoopNest nest = softmax_rows();
  nest.body[0].body.erase(nest.body[0].body.begin() + 8);       // let scale
  expect_reason(nest, "register scale is not defined here");
  nest = softmax_rows();
  nest.body[0].body.erase(nest.body[0].body.begin());           // let m
  expect_reason(nest, "register m is updated before it is declared");
  nest = softmax_rows();
  nest.body[0].body.push_back(let(0, constant_f(0)));
  expect_reason(nest, "register m is declared twice");
  nest = softmax_rows();
  nest.body.insert(nest.body.begin(), let(3, constant_f(0)));
  nest.body[0].value = constant_f(0);
  nest.body[1].body.erase(nest.body[1].body.begin() + 6);       // let sum
  expect_reason(nest, "race: register sum is declared outside parallel loop r and updated inside it");
  nest = padded_pool();
  nest.registers[0].lanes = 4;
  expect_reason(nest, "register best of 4 lanes is set in a vector loop of 8");
  nest = padded_pool();
  nest.registers[0].type = DType::f64;
  EXPECT_NE(reason(nest), "accepted");
}

TEST(Verify, LoopsLanesAndTiles) {
  LoopNest nest = masked_fill();
  nest.body[0].end = 90;
  expect_reason(nest, "the length of vector loop i is no multiple of its step");
  nest = masked_fill();
  nest.body[0].step = 12;
  expect_reason(nest, "vector loop i has step 12; lanes are 2, 4, 8, 16 or 32");
  nest = padded_pool();
  nest.body[0].body[0].loop_kind = LoopKind::parallel;
  expect_reason(nest, "parallel loop h stands inside another parallel loop");
  nest = padded_pool();
  nest.body[0].body[0].variable = 0;
  expect_reason(nest, "loop variable p is used by two nested loops");
  nest = padded_pool();
  nest.body.push_back(store(1, variable(2), constant_f(0)));
  expect_reason(nest, "store to y[w]: loop variable w is used outside its loop");
  nest = softmax_rows();
  nest.body.push_back(store(2, constant(0), constant_f(0)));
  expect_reason(nest, "tile row is used both inside and outside a parallel loop");
  nest = softmax_rows();
  nest.buffers[2].elements = 1 << 20;
  expect_reason(nest, "bytes of stack; the limit is 1048576");
}

TEST(Verify, TypesAndOperators) {
  const auto with = [](Expr value) {
    LoopNest nest = masked_fill();
    nest.body[0].body[0].value = std::move(value);
    return nest;
  };
  const auto raw = [](Op op, DType type, std::vector<Expr> operands) {
    auto e = std::make_shared<Expression>();
    e->op = op;
    e->type = type;
    e->operands = std::move(operands);
    return e;
  };
  expect_reason(with(raw(Op::add, f32, {constant_f(1), constant_i(1)})), "add of f32 and i64");
  expect_reason(with(raw(Op::exp, DType::i64, {constant_i(1)})), "exp is not defined on i64");
  expect_reason(with(raw(Op::add, f32, {constant_f(1)})), "add has 1 operands");
  expect_reason(with(raw(Op::shift_left, f32, {constant_f(1), constant_f(1)})), "shift_left is not defined on f32");
  expect_reason(with(read(7, {variable(0)}, f32)), "a read names no buffer");
  expect_reason(with(read(1, {variable(0)}, DType::f64)), "a read of x (f16) gives f64");
}

}  // namespace
}  // namespace kw::kernel
