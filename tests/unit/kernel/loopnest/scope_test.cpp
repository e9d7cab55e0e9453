#include "core/kernel/loopnest/scope.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;

struct Open {
  LoopNest nest;
  Scope scope;
  explicit Open(std::vector<Statement> loops) : nest(named(loops.size())), scope(nest) {
    for (const Statement& s : loops) scope.enter(s);
  }
  static LoopNest named(std::size_t n) {
    LoopNest nest;
    nest.variables.resize(n);
    return nest;
  }
};

TEST(Scope, LaneStrideOfDivisions) {
  const Open open({loop(0, 0, 16, 1, LoopKind::serial, {}), loop(1, 0, 64, 8, LoopKind::vector, {})});
  const Extents extents{16, 64};
  EXPECT_EQ(lane_stride(affine(3, {{0, 100}, {1, 2}}), open.scope), 2);
  EXPECT_EQ(lane_stride(floor_div(variable(1), 16, extents), open.scope), 0);
  EXPECT_EQ(lane_stride(mod(variable(1), 32, extents), open.scope), 1);
  EXPECT_EQ(lane_stride(floor_div(variable(1), 3, extents), open.scope), std::nullopt);
  EXPECT_EQ(lane_stride(mod(affine(1, {{1, 1}}), 8, extents), open.scope), std::nullopt);
  EXPECT_EQ(lane_stride(variable(0), open.scope), 0);
}

// Intervals contain, congruences and lane strides hold at, every point of random maps.
TEST(Scope, AgreesWithEvaluation) {
  std::mt19937 random(7);
  const auto draw = [&](int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); };
  int strides = 0;
  for (int round = 0; round < 400; ++round) {
    const std::int64_t begin = draw(0, 5), step = draw(1, 4), width = 4;
    const Open open({loop(0, begin, begin + step * draw(1, 4), step, LoopKind::serial, {}), loop(1, 8, 8 + width * draw(1, 5), width, LoopKind::vector, {})});
    const Extents extents{32, 64};
    Index map = affine(draw(-9, 9), {{0, draw(-8, 8)}, {1, draw(-3, 3)}});
    const int d = draw(2, 24);
    if (draw(0, 2) != 0) map = add(scale(draw(0, 1) != 0 ? floor_div(map, d, extents) : mod(map, d, extents), draw(1, 3)), affine(0, {{1, draw(0, 1)}}));
    const Range range = interval(map, open.scope);
    const Congruence c = congruence(map, open.scope);
    const auto stride = lane_stride(map, open.scope);
    strides += stride.has_value();
    for (std::int64_t u = begin; u <= open.scope.ranges[0].last; u += step) {
      for (std::int64_t v = 8; v <= open.scope.ranges[1].last; v += width) {
        const std::int64_t base = evaluate(map, {u, v});
        EXPECT_TRUE(c.modulus == 0 ? base == c.residue : (base - c.residue) % c.modulus == 0) << text(map);
        for (std::int64_t l = 0; l < width; ++l) {
          const std::int64_t value = evaluate(map, {u, v + l});
          EXPECT_LE(range.low, value);
          EXPECT_GE(range.high, value);
          if (stride) {
            EXPECT_EQ(value - base, *stride * l) << text(map);
          }
        }
      }
    }
  }
  EXPECT_GT(strides, 100);
}

}  // namespace
}  // namespace kw::kernel
