#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/kernel/loopnest/arithmetic.h"
#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Interpret, SoftmaxRowsSumToOne) {
  const LoopNest nest = softmax_rows();
  std::vector<std::vector<double>> memory(3);
  memory[0].resize(64 * 515);
  memory[1].assign(64 * 515, -1);
  for (std::size_t i = 0; i < memory[0].size(); ++i) memory[0][i] = static_cast<double>(i % 17) / 4 - 2;
  ASSERT_TRUE(interpret(nest, memory));
  for (const std::size_t r : {0U, 63U}) {
    double sum = 0, truth = 0;
    for (std::size_t c = 0; c < 515; ++c) sum += std::exp(memory[0][r * 515 + c]);
    for (const std::size_t c : {0U, 255U, 514U}) {
      truth = std::exp(memory[0][r * 515 + c]) / sum;
      EXPECT_NEAR(memory[1][r * 515 + c], truth, truth / 200);      // bf16
    }
  }
}

TEST(Interpret, PaddingIsNotRead) {
  const LoopNest nest = padded_pool();
  std::vector<std::vector<double>> memory{std::vector<double>(4096), std::vector<double>(1024)};
  for (std::size_t i = 0; i < 4096; ++i) memory[0][i] = static_cast<double>((i * 37) % 101) - 200;
  ASSERT_TRUE(interpret(nest, memory));
  for (int h = 0; h < 16; ++h) {
    for (int w = 0; w < 16; ++w) {
      double best = -HUGE_VAL;
      for (int y = 2 * h - 1; y <= 2 * h + 1; ++y)
        for (int x = 2 * w - 1; x <= 2 * w + 1; ++x)
          if (x >= 0 && y >= 0 && x < 32 && y < 32) best = std::max(best, memory[0][static_cast<std::size_t>(1024 + 32 * y + x)]);
      EXPECT_EQ(memory[1][static_cast<std::size_t>(256 + 16 * h + w)], best);
    }
  }
}

TEST(Interpret, SaysWhatLeavesItsBuffer) {
  LoopNest nest = padded_pool();
  nest.buffers[1].elements = 1000;
  std::vector<std::vector<double>> memory{std::vector<double>(4096), std::vector<double>(1000)};
  const auto status = interpret(nest, memory);
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().message, "offset 1000 of y is outside its 1000 elements");
  memory.pop_back();
  EXPECT_FALSE(interpret(nest, memory));
}

TEST(Arithmetic, FollowsATen) {
  const auto number = [](Op op, double a, double b) { return apply(op, DType::f64, of_number(DType::f64, a), of_number(DType::f64, b))->number; };
  EXPECT_TRUE(std::isnan(number(Op::maximum, nan, 1)) && std::isnan(number(Op::minimum, 1, nan)));
  EXPECT_EQ(number(Op::remainder, -7, 3), 2);
  EXPECT_EQ(number(Op::remainder, 7, -3), -2);
  EXPECT_EQ(number(Op::fmod, -7, 3), -1);
  EXPECT_EQ(number(Op::floor_divide, -7, 2), -4);
  EXPECT_EQ(number(Op::floor_divide, 1, 0), HUGE_VAL);
  EXPECT_EQ(apply(Op::round, DType::f64, of_number(DType::f64, 2.5))->number, 2);
  EXPECT_EQ(apply(Op::sign, DType::f64, of_number(DType::f64, nan))->number, 0);
  const auto integer = [](Op op, std::int64_t a, std::int64_t b) { return apply(op, DType::i64, of_integer(DType::i64, a), of_integer(DType::i64, b))->integer; };
  EXPECT_EQ(integer(Op::floor_divide, -7, 2), -4);
  EXPECT_EQ(integer(Op::trunc_divide, -7, 2), -3);
  EXPECT_EQ(integer(Op::remainder, -7, 3), 2);
  EXPECT_EQ(integer(Op::floor_divide, 5, 0), 0);
  EXPECT_EQ(integer(Op::add, INT64_MAX, 1), INT64_MIN);
  EXPECT_EQ(integer(Op::pow, -1, -3), -1);
  EXPECT_EQ(integer(Op::shift_left, 1, 64), 0);
  EXPECT_EQ(integer(Op::shift_right, -8, 70), -1);
}

TEST(Arithmetic, StoresRoundToNearestEven) {
  const auto at = [](double value, DType storage) { return stored(of_number(DType::f32, value), storage); };
  EXPECT_EQ(at(1 + 0x1p-8, DType::bf16), 1);                   // a tie goes to the even neighbour
  EXPECT_EQ(at(1 + 3 * 0x1p-8, DType::bf16), 1 + 0x1p-6);
  EXPECT_EQ(at(3.4e38, DType::bf16), HUGE_VAL);
  EXPECT_EQ(at(65519, DType::f16), 65504);
  EXPECT_EQ(at(65520, DType::f16), HUGE_VAL);
  EXPECT_EQ(at(0x1p-25, DType::f16), 0);
  EXPECT_EQ(at(0x1.8p-25, DType::f16), 0x1p-24);
  EXPECT_TRUE(std::isnan(at(nan, DType::bf16)));
  EXPECT_EQ(stored(of_integer(DType::i64, 300), DType::u8), 44);
  EXPECT_EQ(stored(of_integer(DType::i64, 200), DType::i8), -56);
}

}  // namespace
}  // namespace kw::kernel
