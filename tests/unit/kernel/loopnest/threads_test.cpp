// Nests with blocks and threads: what the verifier accepts and refuses, and what the interpreter sees.
#include <gtest/gtest.h>

#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;
constexpr DType f32 = DType::f32;
constexpr int g = 0, t = 1;                        // variables

Statement barrier() {
  Statement s;
  s.kind = StatementKind::barrier;
  return s;
}

Statement only(int variable, std::int64_t begin, std::int64_t end, Block body) {
  Statement s;
  s.kind = StatementKind::only;
  s.variable = variable;
  s.begin = begin;
  s.end = end;
  s.body = std::move(body);
  return s;
}

// Three blocks of eight threads. x and y hold 24 elements, a block has a tile of 8.
LoopNest blocks(Block body, std::int64_t threads = 8) {
  LoopNest nest;
  nest.name = "blocks";
  nest.variables = {"g", "t"};
  nest.buffers = {{"x", f32, 24, Space::global, 0}, {"y", f32, 24, Space::global, 1}, {"s", f32, 8, Space::tile, -1}};
  nest.registers = {{"m", f32, 1}, {"other", f32, 1}};
  nest.body = {loop(g, 0, 3, 1, LoopKind::grid, {loop(t, 0, threads, 1, LoopKind::thread, std::move(body))})};
  return nest;
}

const Index place = affine(0, {{g, 8}, {t, 1}}), mirrored = affine(7, {{t, -1}});
Expr x_here() { return read(0, {place}, f32); }

// Each thread leaves its element in the tile and takes that of another one.
Block through_the_tile(bool wait) {
  Block body = {store(2, variable(t), x_here())};
  if (wait) body.push_back(barrier());
  body.push_back(store(1, place, read(2, {mirrored}, f32)));
  return body;
}

std::string reason(const LoopNest& nest) {
  const auto status = verify(nest);
  return status ? "accepted" : status.error().message;
}

void expect_reason(const LoopNest& nest, const std::string& part) {
  EXPECT_NE(reason(nest).find(part), std::string::npos) << "reason: " << reason(nest) << "\nwanted: " << part;
}

std::vector<std::vector<double>> memory() {
  std::vector<std::vector<double>> m(3);
  for (int k = 0; k < 24; ++k) m[0].push_back(k);
  m[1].assign(24, -1);
  return m;
}

TEST(Threads, ABarrierPartsTheAccessesOfABlock) {
  EXPECT_EQ(reason(blocks(through_the_tile(true))), "accepted");
  expect_reason(blocks(through_the_tile(false)), "race: iteration");
  auto seen = memory();
  ASSERT_TRUE(interpret(blocks(through_the_tile(true)), seen).ok());
  for (std::size_t k = 0; k < 24; ++k) EXPECT_EQ(seen[1][k], static_cast<double>(k / 8 * 8 + 7 - k % 8));
  auto raced = memory();
  const auto status = interpret(blocks(through_the_tile(false)), raced);
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("no barrier between them"), std::string::npos);
}

TEST(Threads, BlocksAndThreadsDoNotMeetInMemory) {
  EXPECT_EQ(reason(blocks({store(1, place, x_here())})), "accepted");
  expect_reason(blocks({store(1, variable(t), x_here())}), "loop g");                    // all blocks write the first eight
  expect_reason(blocks({store(1, affine(0, {{g, 8}}), x_here())}), "loop t");            // all threads write one element
  EXPECT_EQ(reason(blocks({only(t, 0, 1, {store(1, affine(0, {{g, 8}}), x_here())})})), "accepted");
  expect_reason(blocks({only(t, 0, 2, {store(1, affine(0, {{g, 8}}), x_here())})}), "loop t");
  // A rest of its own in the last block: the guards exclude each other, though the offsets overlap.
  EXPECT_EQ(reason(blocks({only(g, 0, 2, {store(1, place, x_here())}), only(g, 2, 3, {store(1, affine(7, {{g, 8}, {t, -1}}), x_here())})})), "accepted");
}

TEST(Threads, BarriersAreReachedByAll) {
  expect_reason(blocks({only(t, 0, 4, {barrier()})}), "not reached by all threads");
  EXPECT_EQ(reason(blocks({only(g, 0, 1, {barrier()})})), "accepted");
  LoopNest looped = blocks({loop(2, 0, 2, 1, LoopKind::serial, {barrier()})});
  looped.variables.push_back("k");
  expect_reason(looped, "stands inside a loop");
  expect_reason(blocks({store(1, place, x_here())}, 2048), "at most 1024");
}

Statement sum_over_t() {
  Statement s;
  s.kind = StatementKind::combine;
  s.variable = t;
  s.parts = {0};
  s.others = {1};
  s.values = {binary(Op::add, reg(0, f32), reg(1, f32))};
  return s;
}

TEST(Threads, CombineGivesTheWholeToEveryThread) {
  const LoopNest nest = blocks({let(0, x_here()), sum_over_t(), store(1, place, reg(0, f32))});
  EXPECT_EQ(reason(nest), "accepted");
  auto seen = memory();
  ASSERT_TRUE(interpret(nest, seen).ok());
  for (std::size_t k = 0; k < 24; ++k) EXPECT_EQ(seen[1][k], static_cast<double>(8 * (k / 8 * 8) + 28));
  expect_reason(blocks({let(0, x_here()), only(t, 0, 4, {sum_over_t()})}), "not reached by all of its threads");
  expect_reason(blocks({sum_over_t()}), "before it is declared");
  LoopNest odd = blocks({let(0, read(0, {affine(0, {{g, 8}})}, f32)), sum_over_t()}, 6);
  expect_reason(odd, "no power of two");
}

// Three blocks of four rows of two threads, each of which has two lanes of a row of four elements.
LoopNest rows(Block body) {
  LoopNest nest = blocks({});
  nest.variables = {"g", "t", "u", "lane"};
  nest.registers = {{"m", f32, 2}, {"other", f32, 2}};
  nest.buffers[0].elements = 48;
  nest.body = {loop(g, 0, 3, 1, LoopKind::grid, {loop(2, 0, 4, 1, LoopKind::thread, {loop(t, 0, 2, 1, LoopKind::thread, {loop(3, 0, 2, 2, LoopKind::vector, std::move(body))})})})};
  return nest;
}

Statement sum_over_rows() {
  Statement s = sum_over_t();
  s.variable = 2;
  return s;
}

TEST(Threads, CombineOverRowsKeepsLanesApart) {
  const Expr x_lanes = read(0, {affine(0, {{g, 16}, {2, 4}, {t, 2}, {3, 1}})}, f32);
  const Index column = affine(0, {{g, 4}, {t, 2}, {3, 1}});
  const LoopNest nest = rows({let(0, x_lanes), sum_over_rows(), only(2, 0, 1, {store(1, column, reg(0, f32))})});
  EXPECT_EQ(reason(nest), "accepted");
  auto seen = memory();
  seen[0].clear();
  for (int k = 0; k < 48; ++k) seen[0].push_back(k);
  ASSERT_TRUE(interpret(nest, seen).ok());
  for (std::size_t k = 0; k < 12; ++k) EXPECT_EQ(seen[1][k], static_cast<double>(4 * (k / 4 * 16 + k % 4) + 4 + 8 + 12));
  // The union goes through barriers, which a thread without an element of its own must reach, too.
  expect_reason(rows({let(0, x_lanes), only(t, 0, 1, {sum_over_rows()})}), "not reached by all of its threads");
  expect_reason(rows({let(0, x_lanes), sum_over_t()}), "cannot be combined over t");
  expect_reason(rows({let(0, x_lanes), sum_over_rows(), store(1, column, reg(0, f32))}), "loop u");
}

}  // namespace
}  // namespace kw::kernel
