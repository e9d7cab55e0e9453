#include "core/base/statistics.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace kw::base {

namespace {

double sorted_median(const std::vector<double>& s) {
  const std::size_t n = s.size();
  return n % 2 ? s[n / 2] : 0.5 * (s[n / 2 - 1] + s[n / 2]);
}

// Largest c with P(T <= c) <= 0.025 for the Wilcoxon signed-rank statistic T of n pairs; -1: none.
std::int64_t critical_value(std::size_t n) {
  constexpr std::size_t exact_up_to = 50;
  constexpr double tail = 0.025, deviates = 1.959964;
  const auto count = static_cast<double>(n);
  if (n > exact_up_to)
    return static_cast<std::int64_t>(count * (count + 1) / 4 - deviates * std::sqrt(count * (count + 1) * (2 * count + 1) / 24) - 0.5);
  // share[t]: of the 2^k subsets of the ranks 1 to k, those that sum to t.
  std::vector<double> share(n * (n + 1) / 2 + 1, 0.0);
  share[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank)
    for (std::size_t t = share.size(); t-- > 0;) share[t] = 0.5 * (share[t] + (t >= rank ? share[t - rank] : 0.0));
  double cumulative = 0;
  for (std::size_t t = 0; t < share.size(); ++t) {
    cumulative += share[t];
    if (cumulative > tail) return static_cast<std::int64_t>(t) - 1;
  }
  return -1;
}

double ranked(std::vector<double>& values, std::size_t rank) {
  const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
  std::nth_element(values.begin(), place, values.end());
  return *place;
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
  std::vector<double> logs;
  for (std::size_t i = 0; i < std::min(baseline.size(), candidate.size()); ++i)
    if (baseline[i] > 0 && candidate[i] > 0) logs.push_back(std::log(baseline[i] / candidate[i]));
  const double infinity = std::numeric_limits<double>::infinity();
  if (logs.empty()) return {0, 0, infinity};
  std::vector<double> averages;
  averages.reserve(logs.size() * (logs.size() + 1) / 2);
  for (std::size_t i = 0; i < logs.size(); ++i)
    for (std::size_t j = i; j < logs.size(); ++j) averages.push_back(0.5 * (logs[i] + logs[j]));
  const std::size_t n = averages.size();
  const double middle = n % 2 ? ranked(averages, n / 2) : 0.5 * (ranked(averages, n / 2 - 1) + ranked(averages, n / 2));
  const std::int64_t critical = critical_value(logs.size());
  if (critical < 0) return {std::exp(middle), 0, infinity};
  const auto rank = static_cast<std::size_t>(critical);
  return {std::exp(middle), std::exp(ranked(averages, rank)), std::exp(ranked(averages, n - 1 - rank))};
}

}  // namespace kw::base
