#include "core/worker/oracle/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "core/worker/oracle/chunks.h"
#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double tolerance_factor = 4;
// Eager further than this from truth is not rounding: an overflow, or the other side of a discontinuity.
constexpr double beyond_reason = 0.01, beyond_reason_epsilons = 16;
constexpr std::size_t worst_kept = 8;

double element_error(double x, double t, double rms, double quantum) {
  if (std::isnan(t) || std::isnan(x)) return std::isnan(t) && std::isnan(x) ? 0 : infinite;
  if (std::isinf(t) || std::isinf(x)) return t == x ? 0 : infinite;
  const double difference = std::fabs(x - t);
  if (difference <= quantum) return 0;
  return difference / (std::fabs(t) + rms);
}

template <typename T>
double convert(T value, const float* half) {
  if constexpr (std::is_same_v<T, Half>) return static_cast<double>(half[value.bits]);
  else return number(value);
}

struct Sums { double max = 0, squares = 0; std::int64_t counted = 0; };

Sums operator+(const Sums& a, const Sums& b) { return {std::max(a.max, b.max), a.squares + b.squares, a.counted + b.counted}; }

// All elements finite and none left out: four lanes that the compiler can vectorise. A NaN anywhere reaches `squares`.
template <typename T>
Sums sum_plain(const T* x, const double* truth, std::int64_t n, double rms, double quantum) {
  const float* half = f16_table().data();
  double max[4] = {}, squares[4] = {};
  std::int64_t k = 0;
  for (; k + 4 <= n; k += 4)
    for (int lane = 0; lane < 4; ++lane) {
      const double t = truth[k + lane];
      const double difference = std::fabs(convert(x[k + lane], half) - t);
      const double e = difference / (std::fabs(t) + rms);
      const double counted = difference <= quantum ? 0 : e;
      max[lane] = counted > max[lane] ? counted : max[lane];
      squares[lane] += counted * counted;
    }
  Sums sums{0, squares[0] + squares[1] + squares[2] + squares[3], n};
  for (double m : max) sums.max = std::max(sums.max, m);
  for (; k < n; ++k) {
    const double e = element_error(convert(x[k], half), truth[k], rms, quantum);
    sums.max = std::max(sums.max, e);
    sums.squares += e * e;
  }
  return sums;
}

template <typename T>
Sums sum_careful(const T* x, const OutputTruth& truth, std::size_t begin, std::size_t end, double quantum) {
  const float* half = f16_table().data();
  Sums sums;
  for (std::size_t k = begin; k < end; ++k) {
    if (!truth.left_out.empty() && truth.left_out[k]) continue;
    const double e = element_error(convert(x[k], half), truth.values[k], truth.rms, quantum);
    sums.max = std::max(sums.max, e);
    sums.squares += e * e;
    ++sums.counted;
  }
  return sums;
}

// Row-major elements: the output itself where it is contiguous, else a copy.
class RowMajor {
 public:
  RowMajor(const graph::TensorType& type, const std::byte* first) : at_(first) {
    if (type.contiguous()) return;
    copy_.resize(static_cast<std::size_t>(type.elements()) * static_cast<std::size_t>(graph::byte_size(type.dtype)));
    gather(type, first, copy_.data());
    at_ = copy_.data();
  }
  const std::byte* data() const { return at_; }

 private:
  const std::byte* at_;
  std::vector<std::byte> copy_;
};

Sums sum_errors(const OutputTruth& truth, graph::DType dtype, const std::byte* x) {
  return with_type(dtype, [&]<typename T>(T) {
    const T* elements = reinterpret_cast<const T*>(x);
    const auto chunks = each_chunk<Sums>(truth.values.size(), [&](std::size_t begin, std::size_t end) {
      if (truth.left_out.empty()) {
        const Sums sums = sum_plain(elements + begin, truth.values.data() + begin, static_cast<std::int64_t>(end - begin), truth.rms, quantum(dtype));
        if (std::isfinite(sums.squares)) return sums;
      }
      return sum_careful(elements, truth, begin, end, quantum(dtype));
    });
    return std::accumulate(chunks.begin(), chunks.end(), Sums{});
  });
}

void keep_worst(std::vector<protocol::Evidence::Element>& worst, protocol::Evidence::Element element) {
  const auto place = std::find_if(worst.begin(), worst.end(), [&](const auto& other) { return element.error > other.error; });
  if (place == worst.end() && worst.size() >= worst_kept) return;
  worst.insert(place, std::move(element));
  if (worst.size() > worst_kept) worst.pop_back();
}

void list_worst(const OutputTruth& truth, const std::byte* x, int output, Comparison& result) {
  const auto bytes = static_cast<std::size_t>(graph::byte_size(truth.type.dtype));
  double bar = 0;
  for (std::size_t k = 0; k < truth.values.size(); ++k) {
    if (!truth.left_out.empty() && truth.left_out[k]) continue;
    const double value = load_number(truth.type.dtype, x + k * bytes);
    const double e = element_error(value, truth.values[k], truth.rms, quantum(truth.type.dtype));
    if (e > truth.tolerance_max) ++result.wrong;
    if (e <= bar || e == 0) continue;
    keep_worst(result.worst, {output, unravel(truth.type.sizes, static_cast<std::int64_t>(k)), value, truth.values[k], e});
    if (result.worst.size() == worst_kept) bar = result.worst.back().error;
  }
}

// 0 for an index as good as the truth's own.
double index_error(const IndexTruth& truth, std::size_t k, std::int64_t index) {
  if (index < 0 || index >= truth.length) return infinite;
  return element_error(truth.values[static_cast<std::size_t>(truth.base[k] + index * truth.stride)], truth.extremum[k], truth.rms, 0);
}

Comparison compare_exact(const OutputTruth& truth, const std::byte* x, int output) {
  Comparison result;
  const auto bytes = static_cast<std::size_t>(graph::byte_size(truth.type.dtype));
  for (std::size_t k = 0; k < truth.exact.size(); ++k) {
    if (!truth.left_out.empty() && truth.left_out[k]) continue;
    const auto value = with_type(truth.type.dtype, [at = x + k * bytes]<typename T>(T) {
      T stored;
      std::memcpy(&stored, at, sizeof(T));
      if constexpr (std::is_integral_v<T>) return static_cast<std::int64_t>(stored);
      else return std::int64_t{0};
    });
    if (value == truth.exact[k]) continue;
    const double e = truth.index ? index_error(*truth.index, k, value) : infinite;
    if (truth.index && e <= truth.index->tolerance) continue;
    ++result.wrong;
    result.within = false;
    result.max = std::max(result.max, e);
    if (result.worst.size() < worst_kept)
      result.worst.push_back({output, unravel(truth.type.sizes, static_cast<std::int64_t>(k)), static_cast<double>(value),
                              static_cast<double>(truth.exact[k]), e});
  }
  result.rms = result.max;
  return result;
}

void set_tolerance(OutputTruth& truth) {
  const double least = tolerance_factor * epsilon(truth.type.dtype);
  truth.tolerance_max = std::max(tolerance_factor * truth.eager_max, least);
  truth.tolerance_rms = std::max(tolerance_factor * truth.eager_rms, least);
}

// Elements further apart than the tolerance. Float arithmetic but for float64: a check of every third timed call must cost
// no more than the call.
template <typename T>
std::int64_t count_apart(const T* a, const T* b, std::int64_t n, double rms, double tolerance) {
  std::int64_t odd = 0;
  if constexpr (std::is_integral_v<T>) {
    for (std::int64_t k = 0; k < n; ++k) odd += a[k] != b[k];
  } else {
    using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
    const float* half = f16_table().data();
    const auto share = static_cast<Real>(tolerance), least = static_cast<Real>(tolerance * rms);
    for (std::int64_t k = 0; k < n; ++k) {
      const auto x = static_cast<Real>(convert(a[k], half)), y = static_cast<Real>(convert(b[k], half));
      const bool near = std::fabs(x - y) <= share * std::fabs(x) + least;
      odd += !(near | (x == y) | ((x != x) & (y != y)));   // infinities alike, NaN alike
    }
  }
  return odd;
}

}  // namespace

double root_mean_square(const std::vector<double>& values) {
  const auto largest = each_chunk<double>(values.size(), [&](std::size_t begin, std::size_t end) {
    double scale = 0;
    for (std::size_t k = begin; k < end; ++k)
      if (std::isfinite(values[k])) scale = std::max(scale, std::fabs(values[k]));
    return scale;
  });
  const double scale = largest.empty() ? 0 : *std::max_element(largest.begin(), largest.end());
  if (scale == 0) return 0;
  const auto chunks = each_chunk<Sums>(values.size(), [&](std::size_t begin, std::size_t end) {
    Sums sums;
    for (std::size_t k = begin; k < end; ++k) {
      if (!std::isfinite(values[k])) continue;
      sums.squares += (values[k] / scale) * (values[k] / scale);
      ++sums.counted;
    }
    return sums;
  });
  const Sums all = std::accumulate(chunks.begin(), chunks.end(), Sums{});
  return scale * std::sqrt(all.squares / static_cast<double>(all.counted));
}

Comparison compare(const OutputTruth& truth, const graph::TensorType& type, const std::byte* first, int output) {
  const RowMajor x(type, first);
  if (truth.values.empty()) return compare_exact(truth, x.data(), output);
  const Sums sums = sum_errors(truth, truth.type.dtype, x.data());
  Comparison result;
  result.max = sums.max;
  result.rms = sums.counted > 0 ? std::sqrt(sums.squares / static_cast<double>(sums.counted)) : 0;
  result.within = result.max <= truth.tolerance_max && result.rms <= truth.tolerance_rms;
  if (!result.within) list_worst(truth, x.data(), output, result);
  return result;
}

void judge_eager(OutputTruth& truth, const std::byte* eager) {
  const graph::DType dtype = truth.type.dtype;
  const std::size_t count = truth.values.empty() ? truth.exact.size() : truth.values.size();
  const auto bytes = static_cast<std::size_t>(graph::byte_size(dtype));
  const double reason = std::max(beyond_reason, beyond_reason_epsilons * epsilon(dtype));
  std::vector<std::uint8_t> left_out(count, 0);
  const auto counts = each_chunk<std::int64_t>(count, [&](std::size_t begin, std::size_t end) {
    std::int64_t out = 0;
    for (std::size_t k = begin; k < end; ++k) {
      const double value = load_number(dtype, eager + k * bytes);
      bool agreed;
      if (!truth.values.empty()) agreed = element_error(value, truth.values[k], truth.rms, quantum(dtype)) <= reason;
      else agreed = value == static_cast<double>(truth.exact[k]) ||
                    (truth.index && index_error(*truth.index, k, static_cast<std::int64_t>(value)) <= truth.index->tolerance);
      left_out[k] = agreed ? 0 : 1;
      out += agreed ? 0 : 1;
    }
    return out;
  });
  truth.left_out_count += std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  if (truth.left_out_count > 0) truth.left_out = std::move(left_out);
  if (truth.values.empty()) return;
  const Sums sums = sum_errors(truth, dtype, eager);
  truth.eager_max = sums.max;
  truth.eager_rms = sums.counted > 0 ? std::sqrt(sums.squares / static_cast<double>(sums.counted)) : 0;
  set_tolerance(truth);
}

void learn_error_from_f32(OutputTruth& truth, const float* narrow) {
  const double scale = epsilon(graph::DType::f64) / epsilon(graph::DType::f32);
  double max = 0, squares = 0;
  std::int64_t counted = 0;
  for (std::size_t k = 0; k < truth.values.size(); ++k) {
    const double e = element_error(narrow[k], truth.values[k], truth.rms, quantum(graph::DType::f32));
    if (!(e <= beyond_reason)) continue;   // out of float32's range
    max = std::max(max, e);
    squares += e * e;
    ++counted;
  }
  truth.eager_max = std::max(truth.eager_max, max * scale);
  if (counted > 0) truth.eager_rms = std::max(truth.eager_rms, std::sqrt(squares / static_cast<double>(counted)) * scale);
  set_tolerance(truth);
}

bool agrees(const std::byte* baseline, const OutputTruth& like, const graph::TensorType& type, const std::byte* first) {
  const RowMajor x(type, first);
  const std::int64_t count = type.elements();
  const auto counts = with_type(type.dtype, [&]<typename T>(T) {
    const T *a = reinterpret_cast<const T*>(baseline), *b = reinterpret_cast<const T*>(x.data());
    return each_chunk<std::int64_t>(static_cast<std::size_t>(count), [&](std::size_t begin, std::size_t end) {
      return count_apart(a + begin, b + begin, static_cast<std::int64_t>(end - begin), like.rms, apart_tolerances * like.tolerance_max);
    });
  });
  return few_apart(std::accumulate(counts.begin(), counts.end(), std::int64_t{0}), count, like);
}

bool few_apart(std::int64_t apart, std::int64_t elements, const OutputTruth& like) {
  constexpr double apart_share = 1e-3;
  return static_cast<double>(apart) <= apart_share * static_cast<double>(elements) + 2 * static_cast<double>(like.left_out_count);
}

}  // namespace kw::oracle
