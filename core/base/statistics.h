#pragma once
// What timing rests on: medians, and a distribution-free interval of a paired ratio.

#include <vector>

namespace kw::base {

double median(std::vector<double> samples);          // NaN when empty
double geometric_mean(const std::vector<double>& values);

// Median of the per-round ratios baseline[i] / candidate[i], with a 95 % confidence interval from order statistics of
// the ratios: the ranks are the widest-covering pair for which the binomial(n, 1/2) probability of the median lying
// outside is at most 5 % (Conover, Practical Nonparametric Statistics, 3.2). Below 6 rounds no such pair exists and the
// interval is (0, infinity). Rounds where either sample is not positive are ignored.
struct RatioInterval {
  double ratio = 0, low = 0, high = 0;
  double half_width() const { return (high - low) / (2 * ratio); }   // relative
};
RatioInterval ratio_interval(const std::vector<double>& baseline, const std::vector<double>& candidate);

}  // namespace kw::base
