#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kw::base {

namespace {

double sorted_median(const std::vector<double>& s) {
  const std::size_t n = s.size();
  return n % 2 ? s[n / 2] : 0.5 * (s[n / 2 - 1] + s[n / 2]);
}

// Largest k with P(Binomial(n, 1/2) < k) <= 0.025: the interval is [s[k-1], s[n-k]], ranks counted from 0. 0: none.
std::size_t lower_rank(std::size_t n) {
  double cumulative = 0, log_term = -static_cast<double>(n) * std::log(2.0);
  for (std::size_t k = 0; k <= n; ++k) {
    cumulative += std::exp(log_term);
    if (cumulative > 0.025) return k;
    log_term += std::log(static_cast<double>(n - k)) - std::log(static_cast<double>(k + 1));
  }
  return 0;
}

}  // namespace

double median(std::vector<double> samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::sort(samples.begin(), samples.end());
  return sorted_median(samples);
}

double geometric_mean(const std::vector<double>& values) {
  double sum = 0;
  for (double value : values) sum += std::log(value);
  return std::exp(sum / static_cast<double>(values.size()));
}

RatioInterval ratio_interval(const std::vector<double>& baseline, const std::vector<double>& candidate) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < std::min(baseline.size(), candidate.size()); ++i)
    if (baseline[i] > 0 && candidate[i] > 0) ratios.push_back(baseline[i] / candidate[i]);
  const double infinity = std::numeric_limits<double>::infinity();
  if (ratios.empty()) return {0, 0, infinity};
  std::sort(ratios.begin(), ratios.end());
  const std::size_t k = lower_rank(ratios.size());
  if (k == 0) return {sorted_median(ratios), 0, infinity};
  return {sorted_median(ratios), ratios[k - 1], ratios[ratios.size() - k]};
}

}  // namespace kw::base
