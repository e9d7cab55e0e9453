#include "core/base/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kw::base {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

// Tables of the sign test (Conover, table A3): the 95 % interval of the median is [x(2), x(9)] for n = 10, [x(6), x(15)] for n = 20.
TEST(Statistics, RanksOfTheIntervalAreThoseOfTheTables) {
  const auto interval = [](int n) {
    std::vector<double> baseline, candidate;
    for (int i = 1; i <= n; ++i) {
      baseline.push_back(i);
      candidate.push_back(1);
    }
    return ratio_interval(baseline, candidate);
  };
  EXPECT_EQ(interval(10).low, 2);
  EXPECT_EQ(interval(10).high, 9);
  EXPECT_EQ(interval(20).low, 6);
  EXPECT_EQ(interval(20).high, 15);
  EXPECT_EQ(interval(6).low, 1);
  EXPECT_EQ(interval(6).high, 6);
  EXPECT_TRUE(std::isinf(interval(5).high));
}

TEST(Statistics, CoversTheTrueRatioAsOftenAsItSays) {
  std::mt19937 random(7);
  std::lognormal_distribution<double> noise(0, 0.1);
  int covered = 0;
  constexpr int trials = 2000;
  for (int t = 0; t < trials; ++t) {
    std::vector<double> baseline, candidate;
    for (int i = 0; i < 21; ++i) {
      baseline.push_back(1.5 * noise(random));
      candidate.push_back(noise(random));
    }
    const RatioInterval r = ratio_interval(baseline, candidate);
    covered += r.low <= 1.5 && 1.5 <= r.high;
  }
  EXPECT_GT(covered, trials * 94 / 100);
}

TEST(Statistics, IgnoresSamplesThatAreNotPositive) {
  const RatioInterval r = ratio_interval({2, 2, 0, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_EQ(r.ratio, 2);
  EXPECT_EQ(r.low, 2);
}

}  // namespace
}  // namespace kw::base
