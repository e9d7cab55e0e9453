#include <gtest/gtest.h>

#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;

TEST(LoopNestText, PrintsLoopsLetsAndGuards) {
  EXPECT_EQ(text(padded_pool()),
            "kernel padded_pool threads 1\n"
            "global x f32[4096] @0\n"
            "global y f32[1024] @1\n"
            "parallel for p in 0..4\n"
            "  for h in 0..16\n"
            "    vector for w in 0..16 step 8\n"
            "      let best:f32x8 = -inf\n"
            "      for kh in 0..3\n"
            "        for kw in 0..3\n"
            "          best = maximum(best, select(in_bounds(2*h + kh - 1 < 32, 2*w + kw - 1 < 32), x[1024*p + 64*h + 2*w + 32*kh + kw - 33], -inf))\n"
            "      y[256*p + 16*h + w] = best\n");
}

TEST(LoopNestHash, NamesCommentsAndNumberingDoNotCount) {
  const LoopNest nest = softmax_rows();
  LoopNest other = nest;
  other.name = "k7";
  other.comment = "something else";
  for (std::string& v : other.variables) v += "_";
  for (Register& r : other.registers) r.name += "_";
  for (NestBuffer& b : other.buffers) b.name += "_";
  EXPECT_EQ(structural_hash(nest), structural_hash(other));

  // The same nest with its variables declared in another order.
  LoopNest a, b;
  a.buffers = b.buffers = {{"x", DType::f32, 64, Space::global, 0}, {"y", DType::f32, 64, Space::global, 1}};
  a.variables = b.variables = {"i", "j"};
  const auto body = [](int i, int j) {
    const Index at = affine(0, {{i, 8}, {j, 1}});
    return Block{loop(i, 0, 8, 1, LoopKind::serial, {loop(j, 0, 8, 1, LoopKind::serial, {store(1, at, read(0, {at}, DType::f32))})})};
  };
  a.body = body(0, 1);
  b.body = body(1, 0);
  EXPECT_EQ(structural_hash(a), structural_hash(b));
}

TEST(LoopNestHash, WhatChangesTheCodeCounts) {
  const std::string hash = structural_hash(padded_pool());
  std::vector<LoopNest> others(6, padded_pool());
  others[0].threads = 2;
  others[1].registers[0].lanes = 4;
  others[2].buffers[0].plan_buffer = 1;
  others[3].body[0].end = 3;
  others[4].body[0].loop_kind = LoopKind::serial;
  others[5].buffers[0].type = DType::bf16;
  for (const LoopNest& other : others) EXPECT_NE(hash, structural_hash(other));
}

}  // namespace
}  // namespace kw::kernel
