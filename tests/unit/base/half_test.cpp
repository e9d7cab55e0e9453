#include "core/base/half.h"

#include <gtest/gtest.h>

#include <limits>

namespace kw::base {
namespace {

// Nearest by search over all finite values of the format: a second opinion that knows no bit tricks.
template <typename ToFloat>
std::uint16_t nearest(double value, ToFloat to_float, std::uint16_t largest, double overflow) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double magnitude = std::fabs(value);
  if (magnitude >= overflow) return static_cast<std::uint16_t>(sign | (largest + 1));
  std::uint16_t low = 0, high = largest;
  while (low < high) {   // the last value not above magnitude
    const auto middle = static_cast<std::uint16_t>((low + high + 1) / 2);
    if (static_cast<double>(to_float(middle)) <= magnitude) low = middle;
    else high = static_cast<std::uint16_t>(middle - 1);
  }
  if (low == largest) return static_cast<std::uint16_t>(sign | low);
  const double below = to_float(low), above = to_float(static_cast<std::uint16_t>(low + 1));
  const double to_low = magnitude - below, to_high = above - magnitude;
  const bool up = to_high < to_low || (to_high == to_low && (low & 1));
  return static_cast<std::uint16_t>(sign | (low + up));
}

TEST(Half, RoundsToNearestEven) {
  std::uint32_t bits = 12345;
  for (int i = 0; i < 200000; ++i) {
    bits = bits * 1664525u + 1013904223u;
    const float value = std::bit_cast<float>(bits);
    if (std::isnan(value)) continue;
    ASSERT_EQ(float_to_f16(value), nearest(value, f16_to_float, 0x7bff, 65520.0)) << value;
    ASSERT_EQ(float_to_bf16(value), nearest(value, bf16_to_float, 0x7f7f, std::ldexp(511.0, 119))) << value;
  }
}

TEST(Half, EveryValueSurvivesTheRoundTrip) {
  for (std::uint32_t bits = 0; bits < 65536; ++bits) {
    const auto b = static_cast<std::uint16_t>(bits);
    const float f16 = f16_to_float(b), bf16 = bf16_to_float(b);
    ASSERT_TRUE(std::isnan(f16) ? std::isnan(f16_to_float(float_to_f16(f16))) : float_to_f16(f16) == b) << bits;
    ASSERT_TRUE(std::isnan(bf16) ? std::isnan(bf16_to_float(float_to_bf16(bf16))) : float_to_bf16(bf16) == b) << bits;
  }
}

TEST(Half, KeepsSpecialValues) {
  EXPECT_TRUE(std::isnan(bf16_to_float(float_to_bf16(std::numeric_limits<float>::quiet_NaN()))));
  EXPECT_EQ(f16_to_float(float_to_f16(-HUGE_VALF)), -HUGE_VALF);
  EXPECT_EQ(f16_to_float(0x0001), std::ldexp(1.0f, -24));
}

}  // namespace
}  // namespace kw::base
