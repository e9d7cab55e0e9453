#include "core/base/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace kw::base {
namespace {

TEST(Statistics, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_TRUE(std::isnan(median({})));
}

// Tables of the signed-rank test (two-sided, 5 %): at most 0, 8, 52, 137, 434 and 1955 for 6, 10, 20, 30, 50 and 100 pairs. The
// interval of the logs 1 .. n then runs from the average of that rank plus one to its mirror image.
TEST(Statistics, IntervalIsThatOfTheSignedRankTables) {
  struct Row { int n; std::size_t critical; };
  for (const Row row : {Row{6, 0}, Row{10, 8}, Row{20, 52}, Row{30, 137}, Row{50, 434}, Row{100, 1955}}) {
    std::vector<double> baseline, candidate, averages;
    for (int i = 1; i <= row.n; ++i) {
      baseline.push_back(std::exp(0.1 * i));
      candidate.push_back(1);
      for (int j = i; j <= row.n; ++j) averages.push_back(0.05 * (i + j));
    }
    std::sort(averages.begin(), averages.end());
    const RatioInterval r = ratio_interval(baseline, candidate);
    EXPECT_NEAR(std::log(r.low), averages[row.critical], 1e-9) << row.n;
    EXPECT_NEAR(std::log(r.high), averages[averages.size() - 1 - row.critical], 1e-9) << row.n;
    EXPECT_NEAR(std::log(r.ratio), 0.05 * (row.n + 1), 1e-9) << row.n;
  }
  EXPECT_TRUE(std::isinf(ratio_interval({1, 2, 3, 4, 5}, {1, 1, 1, 1, 1}).high));
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

// A sixth of the rounds disturbed on one side must not move the estimate by more than a few percent.
TEST(Statistics, WildRoundsDoNotMoveTheEstimate) {
  std::mt19937 random(3);
  std::lognormal_distribution<double> noise(0, 0.02);
  std::vector<double> baseline, candidate;
  for (int i = 0; i < 60; ++i) {
    baseline.push_back((i % 6 == 0 ? 30 : 1.5) * noise(random));
    candidate.push_back(noise(random));
  }
  EXPECT_NEAR(ratio_interval(baseline, candidate).ratio, 1.5, 0.05);
}

TEST(Statistics, IgnoresSamplesThatAreNotPositive) {
  const RatioInterval r = ratio_interval({2, 2, 0, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1});
  EXPECT_DOUBLE_EQ(r.ratio, 2);
  EXPECT_DOUBLE_EQ(r.low, 2);
}

}  // namespace
}  // namespace kw::base
