// The error of every function of the vector maths, against what vector_math.h claims, on a dense sample of the whole range:
// random bit patterns, values near 0 and 1, and every pair of special values; scalars, native vectors and wide ones.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>

#include "tests/unit/kernel/emit/accuracy.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;

constexpr std::int64_t n = 1 << 15;

template <typename T>
std::vector<T> special_values() {
  const T inf = std::numeric_limits<T>::infinity(), tiny = std::numeric_limits<T>::denorm_min(), least = std::numeric_limits<T>::min();
  const T big = std::numeric_limits<T>::max(), nan = std::numeric_limits<T>::quiet_NaN();
  std::vector<T> out{0, tiny, 3 * tiny, least, least - tiny, 1, 2, 3, T{0.5}, T{1.5}, T{2.5}, 88, T{88.7}, 89, 104, 710, 745, 1e5, 524288, 524287, T{1e15}, big, inf, nan};
  for (T v : std::vector<T>(out)) out.push_back(-v);
  return out;
}

template <typename T>
std::vector<T> sample(int argument) {
  const std::vector<T> special = special_values<T>();
  std::mt19937_64 random(static_cast<std::uint64_t>(5 + argument));
  std::vector<T> out(n);
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (i < special.size() * special.size()) out[i] = special[argument == 0 ? i % special.size() : i / special.size()];
    else if (i % 4 == 0) out[i] = static_cast<T>(std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random), static_cast<int>(i / 4 % 24) - 18));
    else if (i % 4 == 1) out[i] = static_cast<T>(1 + std::ldexp(std::uniform_real_distribution<double>(-1, 1)(random), -static_cast<int>(i / 4 % 20)));
    else if constexpr (sizeof(T) == 4) out[i] = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
    else out[i] = std::bit_cast<double>(random());
  }
  return out;
}

// Without FMA the polynomials round more often.
double slack(double claim) {
  const bool fma = __builtin_cpu_supports("fma") != 0 && std::getenv("KW_TEST_MARCH") == nullptr;
  return fma || claim <= 0.5 ? 0 : 0.7;
}

template <typename T>
void check(const CompiledNests& code, int lanes) {
  const DType type = sizeof(T) == 4 ? DType::f32 : DType::f64;
  const std::vector<T> x = sample<T>(0), y = sample<T>(1);
  for (const Function& f : functions()) {
    std::vector<T> z(n), a = x, b = y;
    void* buffers[3] = {a.data(), f.arguments == 2 ? b.data() : z.data(), z.data()};
    code.kernel(nest_of(f, type, n, lanes).name)(buffers);
    Accuracy accuracy;
    add_errors(f, x, y, z, accuracy);
    const double claim = type == DType::f32 ? f.claim_f32 : f.claim_f64;
    EXPECT_LE(accuracy.worst_ulp, claim + slack(claim))
        << name(f.op) << " of " << accuracy.at[0] << ", " << accuracy.at[1] << " in " << lanes << " lanes gives " << accuracy.got
        << ", not " << static_cast<double>(accuracy.expected);
  }
}

TEST(VectorMath, ErrorsStayWithinTheClaims) {
  for (const DType type : {DType::f32, DType::f64}) {
    std::vector<LoopNest> nests;
    const std::vector<int> widths = {1, 4, 8};
    for (const Function& f : functions())
      for (const int lanes : widths) nests.push_back(nest_of(f, type, n, lanes));
    const auto code = CompiledNests::compile(nests);
    ASSERT_TRUE(code) << code.error().text();
    for (const int lanes : widths) type == DType::f32 ? check<float>(*code, lanes) : check<double>(*code, lanes);
  }
}

}  // namespace
}  // namespace kw::kernel
