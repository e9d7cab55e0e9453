// The verdict's formula on hand-worked numbers, and against a second implementation written the obvious way.

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/worker/oracle/compare.h"
#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using graph::DType;
constexpr double infinity = std::numeric_limits<double>::infinity();
const double not_a_number = std::nan("");

OutputTruth truth_of(DType dtype, std::vector<double> values, double tolerance) {
  OutputTruth truth;
  truth.type = {dtype, {static_cast<std::int64_t>(values.size())}, {1}};
  truth.values = std::move(values);
  truth.rms = root_mean_square(truth.values);
  truth.tolerance_max = truth.tolerance_rms = tolerance;
  return truth;
}

template <typename T>
const std::byte* bytes(const std::vector<T>& values) { return reinterpret_cast<const std::byte*>(values.data()); }

TEST(Compare, FormulaByHand) {
  // RMS of (3, 4) is sqrt(12.5) = 3.5355...; e = 0.1 / (4 + 3.5355) for the second element.
  const OutputTruth truth = truth_of(DType::f32, {3, 4}, 1);
  const std::vector<float> x = {3, 4.1f};
  const Comparison result = compare(truth, truth.type, bytes(x), 0);
  EXPECT_NEAR(result.max, 0.1 / (4 + std::sqrt(12.5)), 1e-7);
  EXPECT_NEAR(result.rms, result.max / std::sqrt(2.0), 1e-7);
}

TEST(Compare, RootMeanSquareSkipsWhatIsNotFiniteAndDoesNotOverflow) {
  EXPECT_DOUBLE_EQ(root_mean_square({3, infinity, 4, not_a_number}), std::sqrt(12.5));
  EXPECT_DOUBLE_EQ(root_mean_square({1e300, 1e300}), 1e300);
  EXPECT_DOUBLE_EQ(root_mean_square({3e-310, 3e-310}), 3e-310);
  EXPECT_EQ(root_mean_square({}), 0);
}

TEST(Compare, SpecialValuesMustStandWhereTruthHasThem) {
  const OutputTruth truth = truth_of(DType::f32, {not_a_number, infinity, -infinity, 1}, 1e-6);
  const float nan = std::nanf("");
  const auto within = [&](std::vector<float> x) { return compare(truth, truth.type, bytes(x), 0).within; };
  EXPECT_TRUE(within({nan, HUGE_VALF, -HUGE_VALF, 1}));
  EXPECT_FALSE(within({0, HUGE_VALF, -HUGE_VALF, 1}));
  EXPECT_FALSE(within({nan, -HUGE_VALF, -HUGE_VALF, 1}));
  EXPECT_FALSE(within({nan, HUGE_VALF, 3e38f, 1}));
  EXPECT_FALSE(within({nan, HUGE_VALF, -HUGE_VALF, nan}));
}

TEST(Compare, ZerosDoNotPassForSmallResults) {
  const OutputTruth truth = truth_of(DType::f32, {1e-9, -2e-9, 3e-9}, 1e-3);
  EXPECT_FALSE(compare(truth, truth.type, bytes(std::vector<float>{0, 0, 0}), 0).within);
  EXPECT_TRUE(compare(truth, truth.type, bytes(std::vector<float>{1e-9f, -2e-9f, 3e-9f}), 0).within);
}

TEST(Compare, BelowTheSmallestNumberNothingDiffers) {
  const OutputTruth truth = truth_of(DType::f32, {1e-46, 0}, 1e-6);   // no float is that small
  EXPECT_TRUE(compare(truth, truth.type, bytes(std::vector<float>{0, 0}), 0).within);
}

TEST(Compare, LeftOutElementsDoNotCount) {
  OutputTruth truth = truth_of(DType::f32, {1, 1, 1}, 1e-6);
  truth.left_out = {0, 1, 0};
  EXPECT_TRUE(compare(truth, truth.type, bytes(std::vector<float>{1, 77, 1}), 0).within);
  EXPECT_FALSE(compare(truth, truth.type, bytes(std::vector<float>{77, 1, 1}), 0).within);
}

TEST(Compare, WorstElementsComeWithTheirIndex) {
  OutputTruth truth = truth_of(DType::f32, {1, 1, 1, 1, 1, 1}, 1e-6);
  truth.type = {DType::f32, {2, 3}, {3, 1}};
  const Comparison result = compare(truth, truth.type, bytes(std::vector<float>{1, 1, 1, 1, 1.5f, 1.25f}), 2);
  ASSERT_EQ(result.worst.size(), 2u);
  EXPECT_EQ(result.worst[0].index, (std::vector<std::int64_t>{1, 1}));
  EXPECT_EQ(result.worst[0].output, 2);
  EXPECT_EQ(result.worst[0].value, 1.5);
  EXPECT_EQ(result.worst[1].index, (std::vector<std::int64_t>{1, 2}));
  EXPECT_EQ(result.wrong, 2);
}

TEST(Compare, StridedOutputsAreReadInTheirOrder) {
  OutputTruth truth = truth_of(DType::f32, {1, 2, 3, 4, 5, 6}, 1e-6);
  truth.type = {DType::f32, {2, 3}, {3, 1}};
  const graph::TensorType columns{DType::f32, {2, 3}, {1, 2}};
  EXPECT_TRUE(compare(truth, columns, bytes(std::vector<float>{1, 4, 2, 5, 3, 6}), 0).within);
  EXPECT_FALSE(compare(truth, columns, bytes(std::vector<float>{1, 2, 3, 4, 5, 6}), 0).within);
}

TEST(Compare, AgreesWithTheObviousWayForEveryType) {
  std::mt19937 engine(3);
  std::normal_distribution<double> gauss;
  for (DType dtype : {DType::f64, DType::f32, DType::f16, DType::bf16}) {
    std::vector<double> values(1003);
    for (double& v : values) v = gauss(engine);
    const OutputTruth truth = truth_of(dtype, values, 1);
    const auto size = static_cast<std::size_t>(graph::byte_size(dtype));
    std::vector<std::byte> x(values.size() * size);
    double max = 0, squares = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      store_number(dtype, x.data() + i * size, values[i] * (1 + 0.02 * gauss(engine)));
      const double e = std::fabs(load_number(dtype, x.data() + i * size) - values[i]) / (std::fabs(values[i]) + truth.rms);
      max = std::max(max, e), squares += e * e;
    }
    const Comparison result = compare(truth, truth.type, x.data(), 0);
    EXPECT_NEAR(result.max, max, 1e-12) << graph::name(dtype);
    EXPECT_NEAR(result.rms, std::sqrt(squares / 1003), 1e-12) << graph::name(dtype);
  }
}

TEST(JudgeEager, ToleranceIsFourTimesItsErrorAndAtLeastFourEpsilon) {
  OutputTruth truth = truth_of(DType::f32, {1, 1}, 0);
  judge_eager(truth, bytes(std::vector<float>{1, 1}));
  EXPECT_DOUBLE_EQ(truth.tolerance_max, 4 * 0x1p-23);
  OutputTruth coarse = truth_of(DType::f32, {1, 1}, 0);
  judge_eager(coarse, bytes(std::vector<float>{1, 1.001f}));
  EXPECT_NEAR(coarse.tolerance_max, 4 * 0.001 / 2, 1e-7);
  EXPECT_NEAR(coarse.tolerance_rms, 4 * 0.001 / 2 / std::sqrt(2.0), 1e-7);
  EXPECT_EQ(coarse.left_out_count, 0);
}

TEST(JudgeEager, OverflowIsLeftOutAndCounted) {
  OutputTruth truth = truth_of(DType::f32, {1, 1e39, 2}, 0);
  judge_eager(truth, bytes(std::vector<float>{1, HUGE_VALF, 2}));
  EXPECT_EQ(truth.left_out_count, 1);
  EXPECT_TRUE(compare(truth, truth.type, bytes(std::vector<float>{1, 0, 2}), 0).within);
}

TEST(CompareIndex, AnyIndexOfAnExtremumWithinToleranceIsRight) {
  // operand rows: (1, 5, 5, 0) and (7, 6.9999999, 2, 7)
  OutputTruth truth;
  truth.type = {DType::i64, {2}, {1}};
  truth.exact = {1, 0};
  IndexTruth index;
  index.values = {1, 5, 5, 0, 7, 6.9999999, 2, 7};
  index.extremum = {5, 7};
  index.base = {0, 4};
  index.length = 4;
  index.rms = root_mean_square(index.values);
  index.tolerance = 1e-6;
  truth.index = index;
  const auto within = [&](std::int64_t a, std::int64_t b) { return compare(truth, truth.type, bytes(std::vector<std::int64_t>{a, b}), 0).within; };
  EXPECT_TRUE(within(1, 0));
  EXPECT_TRUE(within(2, 3));
  EXPECT_TRUE(within(2, 1));
  EXPECT_FALSE(within(0, 0));
  EXPECT_FALSE(within(1, 2));
  EXPECT_FALSE(within(4, 0));
  EXPECT_FALSE(within(-1, 0));
}

TEST(LearnErrorFromF32, ScalesByTheRatioOfEpsilons) {
  OutputTruth truth = truth_of(DType::f64, {1, 1}, 0);
  judge_eager(truth, bytes(std::vector<double>{1, 1}));
  const std::vector<float> narrow = {1, 1 + 0x1p-20f};   // eight epsilons of float32: e = 2^-20 / 2
  learn_error_from_f32(truth, narrow.data());
  EXPECT_DOUBLE_EQ(truth.tolerance_max, 4 * 0x1p-21 * 0x1p-29);
}

// Candidate beside baseline, without a truth: rounding may differ, discontinuities may flip as often as eager's own, indices of near
// ties half the time; anything beyond that is another result.
TEST(Agrees, AllowsWhatRoundingDoesAndNoMore) {
  constexpr std::int64_t n = 4000;
  OutputTruth like;
  like.type = {graph::DType::f32, {n}, {1}};
  like.rms = 1;
  like.tolerance_max = 1e-6;
  std::vector<float> baseline(n), candidate;
  for (std::int64_t i = 0; i < n; ++i) baseline[static_cast<std::size_t>(i)] = static_cast<float>(i % 17) - 8;
  baseline[3] = std::numeric_limits<float>::quiet_NaN();
  baseline[5] = std::numeric_limits<float>::infinity();
  candidate = baseline;
  const auto agree = [&] {
    return agrees(reinterpret_cast<const std::byte*>(baseline.data()), like, like.type, reinterpret_cast<const std::byte*>(candidate.data()));
  };
  EXPECT_TRUE(agree());
  for (std::size_t i = 10; i < n; ++i) candidate[i] *= 1 + 1e-6f;
  EXPECT_TRUE(agree());
  for (std::size_t i = 10; i < 14; ++i) candidate[i] += 1;
  EXPECT_TRUE(agree());            // 4 of 4000
  candidate[14] += 1;
  EXPECT_FALSE(agree());
  like.left_out_count = 1;         // eager itself was wrong there once
  EXPECT_TRUE(agree());
  candidate = baseline;
  for (std::size_t i = 10; i < n; ++i) candidate[i] *= 1 + 1e-5f;
  EXPECT_FALSE(agree());
  candidate = baseline;
  for (std::size_t i = 20; i < 40; ++i) candidate[i] = baseline[3];
  EXPECT_FALSE(agree());           // NaN where none belongs
}

TEST(Agrees, PlainIntegersAreExact) {
  OutputTruth like;
  like.type = {graph::DType::i64, {100}, {1}};
  std::vector<std::int64_t> baseline(100, 7), candidate = baseline;
  const auto agree = [&] {
    return agrees(reinterpret_cast<const std::byte*>(baseline.data()), like, like.type, reinterpret_cast<const std::byte*>(candidate.data()));
  };
  EXPECT_TRUE(agree());
  candidate[3] = 8;
  EXPECT_FALSE(agree());
}

}  // namespace
}  // namespace kw::oracle
