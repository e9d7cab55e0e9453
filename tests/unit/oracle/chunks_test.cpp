#include <atomic>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

#include "core/worker/oracle/chunks.h"
#include "core/worker/oracle/compare.h"
#include "core/worker/runtime/pool.h"

namespace kw::oracle {
namespace {

TEST(Chunks, EveryElementOnceAtAnySize) {
  for (const std::size_t n : {std::size_t{0}, std::size_t{1}, chunk_elements - 1, chunk_elements, chunk_elements + 1, 5 * chunk_elements + 7}) {
    std::vector<std::atomic<int>> seen(n);
    in_chunks(n, [&](std::size_t chunk, std::size_t begin, std::size_t end) {
      EXPECT_EQ(begin, chunk * chunk_elements);
      for (std::size_t k = begin; k < end; ++k) ++seen[k];
    });
    for (std::size_t k = 0; k < n; ++k) ASSERT_EQ(seen[k], 1) << n << " " << k;
  }
}

// Sums over chunks against a plain loop in long double, and against themselves on one core.
TEST(Chunks, SumsDoNotDependOnTheCores) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> normal;
  std::vector<double> values(3 * chunk_elements + 11);
  long double squares = 0;
  for (double& value : values) {
    value = normal(random);
    squares += static_cast<long double>(value) * value;
  }
  const double rms = root_mean_square(values);
  EXPECT_NEAR(rms, static_cast<double>(std::sqrt(squares / static_cast<long double>(values.size()))), 1e-13);
  const runtime::OnFirstCore pinned;
  EXPECT_EQ(root_mean_square(values), rms);
}

// A wrong element in any chunk is found.
TEST(Chunks, ComparisonsSeeTheLastChunk) {
  OutputTruth truth;
  truth.type = {graph::DType::f32, {static_cast<std::int64_t>(2 * chunk_elements + 5)}, {1}};
  truth.values.assign(2 * chunk_elements + 5, 1.0);
  truth.rms = 1;
  truth.tolerance_max = truth.tolerance_rms = 1e-6;
  std::vector<float> output(truth.values.size(), 1.0f);
  const auto* bytes = reinterpret_cast<const std::byte*>(output.data());
  EXPECT_TRUE(compare(truth, truth.type, bytes, 0).within);
  for (const std::size_t wrong : {std::size_t{0}, chunk_elements, output.size() - 1}) {
    output[wrong] = 1.5f;
    const Comparison comparison = compare(truth, truth.type, bytes, 0);
    EXPECT_FALSE(comparison.within) << wrong;
    EXPECT_NEAR(comparison.max, 0.25, 1e-12);
    EXPECT_EQ(comparison.wrong, 1);
    output[wrong] = 1.0f;
  }
}

}  // namespace
}  // namespace kw::oracle
