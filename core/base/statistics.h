#pragma once
// What timing rests on: medians, and a distribution-free interval of a paired ratio.

#include <vector>

namespace kw::base {

double median(std::vector<double> samples);          // NaN when empty
double geometric_mean(const std::vector<double>& values);

// Hodges-Lehmann estimate of the per-round ratios baseline[i] / candidate[i] with its 95 % confidence interval, both from the
// averages of all pairs of log ratios and the exact Wilcoxon signed-rank distribution (Hollander, Wolfe, Chicken, Nonparametric
// Statistical Methods, 3.2 and 3.3). Distribution-free where a round is as likely to favour one side as the other, which their
// random order within a round gives; as robust as that needs (29 % of the rounds may be wild), with two thirds of the rounds that the
// sign test's interval wants. Below 6 rounds no such interval exists and it is (0, infinity). Rounds where either sample is not
// positive are ignored. O(n^2 log n) for n rounds.
struct RatioInterval {
  double ratio = 0, low = 0, high = 0;
  double half_width() const { return (high - low) / (2 * ratio); }   // relative
};
RatioInterval ratio_interval(const std::vector<double>& baseline, const std::vector<double>& candidate);

}  // namespace kw::base
