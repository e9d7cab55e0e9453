// Functions of f32 lanes. Polynomials are minimax fits (Remez, relative error of the result, coefficients rounded to f32).
// The rarer functions compute in f64 lanes and round once.
#include "core/kernel/emit/vector_math.h"

namespace kw::kernel {
namespace {

// exp(x) = 2^n * exp(r), |r| <= ln2/2, ln2 in two parts so that n * the first is exact.
constexpr const char* exp_text = R"(
template <class V> inline V exp_rest32(V r) { return r * r * poly(r, 0.49999994, 0.16666509, 0.04166801, 0.008370009, 0.001384765); }   // exp(r) - 1 - r
template <class V> inline V exp_parts32(V x, bits<V>& n) {
  const V k = nearest_multiple(x, 0x1.71547652b82fep+0, n);
  return x - k * 0x1.62ep-1f - k * 0x1.0bfbe8e7bcd5ep-15f;
}
template <class V> inline V exp32(V x) {
  bits<V> n;
  const V r = exp_parts32(clamped(x, -104, 89), n);
  return scaled(1 + (r + exp_rest32(r)), n);
}
)";

constexpr const char* exp2_text = R"(
template <class V> inline V exp2_32(V x) {
  bits<V> n;
  x = clamped(x, -151, 129);
  const V r = x - nearest_multiple(x, 1, n);
  return scaled(1 + r * poly(r, 0.69314724, 0.24022655, 0.05550274, 0.009617092, 0.0013417406, 0.00015802546), n);
}
)";

constexpr const char* expm1_text = R"(
template <class V> inline V expm1_32(V x) {
  bits<V> n;
  const V r = exp_parts32(clamped(x, -18, 89), n);
  const V p = r + exp_rest32(r), h = power_of_two<V>(n - 1);      // half of 2^n: that of 2^128 is finite
  return n == 0 ? p : (h * p + (h - 0.5f)) * 2;
}
)";

constexpr const char* log_text = R"(
template <class V> inline V log_rest32(V f) {                     // log(1 + f) - f
  return f * f * (f * poly(f, 0.3333333, -0.25000858, 0.20001301, -0.16621985, 0.14199126, -0.13175263, 0.12792666, -0.07627291) - 0.5f);
}
template <class V> inline V log32(V x) {
  bits<V> e;
  const V f = split_exponent(x, e), k = small_number<V>(e);
  return log_range(x, k * 0x1.62ep-1f + (f + (log_rest32(f) + k * 0x1.0bfbe8e7bcd5ep-15f)), x);
}
)";

constexpr const char* log2_text = R"(
template <class V> inline V log2_32(V x) {
  bits<V> e;
  const V f = split_exponent(x, e), k = small_number<V>(e), rest = log_rest32(f);
  return log_range(x, k + (f * 1.442695f + (rest * 1.442695f + f * 1.925963e-8f)), x);
}
)";

constexpr const char* log10_text = R"(
template <class V> inline V log10_32(V x) {
  bits<V> e;
  const V f = split_exponent(x, e), k = small_number<V>(e), rest = log_rest32(f);
  return log_range(x, k * 0x1.344p-2f + (f * 0.4342945f + (rest * 0.4342945f + (f * -1.010305e-8f + k * 0x1.3509f8p-18f))), x);
}
)";

// 1 + x = 2^e * (1 + f): f is computed from x, not from the rounded sum.
constexpr const char* log1p_text = R"(
template <class V> inline V log1p_32(V x) {
  const V u = 1 + x;
  const bits<V> e = ((bits<V>)u - 0x3f3504f3) >> 23;
  const V t = power_of_two<V>(2 - e) * 0.25f, f = x * t + (t - 1), k = small_number<V>(e);
  return log_range(x, k * 0x1.62ep-1f + (f + (log_rest32(f) + k * 0x1.0bfbe8e7bcd5ep-15f)), u);
}
)";

constexpr const char* tanh_text = R"(
template <class V> inline V tanh32(V x) {
  const V size = absolute(x), t = x * x;
  bits<V> n;
  const V r = exp_parts32(clamped(size + size, 0, 20), n);        // tanh is 1 from 9.1 on
  const V e = (1 + (r + exp_rest32(r))) * power_of_two<V>(n);
  const V small = x + x * (t * poly(t, -0.3333328, 0.13331406, -0.05373651, 0.020628134, -0.0056922305));
  return size < 0.625f ? small : signed_as(1 - 2 / (e + 1), x);
}
)";

constexpr const char* sigmoid_text = R"(
template <class V> inline V sigmoid32(V x) {
  const V e = exp32(-absolute(x));
  return (x < 0 ? e : splat<V>(1)) / (1 + e);
}
)";

// Two ranges computed and blended: x + x*g(x^2) below 1; above, 1 - q(x)^4 with q = erfc^(1/4), which is nearly straight.
constexpr const char* erf_text = R"(
template <class V> inline V erf32(V x) {
  const V size = absolute(x), t = x * x;
  const V small = x + x * poly(t, 0.12837917, -0.37612626, 0.11283579, -0.026853347, 0.0051871627, -0.00079978665, 7.8069956e-05);
  const V top = splat<V>(3.95f), s = (top < size ? top : size) - 2.5f;       // erf rounds to 1 from 3.92 on
  V q = poly(s, 0.14203194, -0.19006777, 0.0936312, -0.012263048, -0.006397775, 0.002759387, -6.36572e-06, -0.00026698646, -2.2179194e-05);
  q = q * q;
  return size < 1 ? small : signed_as(1 - q * q, x);
}
)";

// Through f64: f32 arguments are exact there and the result is rounded once.
#define KW_THROUGH_F64(native, f64_native) \
  "template <class V> inline V " native "(V x) {\n" \
  "  return convert<V>(each(convert<vec<f64, count<V>>>(x), [](auto v) { return " f64_native "(v); }));\n}\n"
#define KW_THROUGH_F64_2(native, f64_native) \
  "template <class V> inline V " native "(V x, V y) {\n" \
  "  typedef vec<f64, count<V>> D;\n" \
  "  return convert<V>(each(convert<D>(x), convert<D>(y), [](auto a, auto b) { return " f64_native "(a, b); }));\n}\n"
#define KW_PUBLIC(name, native) \
  "template <class V> inline V " name "(V x) { return each(x, [](auto v) { return " native "(v); }); }\n"
#define KW_PUBLIC_2(name, native) \
  "template <class V> inline V " name "(V x, V y) { return each(x, y, [](auto a, auto b) { return " native "(a, b); }); }\n"

}  // namespace

const std::vector<Snippet>& vector_math_f32_snippets() {
  static const std::vector<Snippet> table = {
      {"exp32 exp_parts32 exp_rest32", nullptr, exp_text},
      {"exp_f32", nullptr, KW_PUBLIC("exp_f32", "exp32")},
      {"exp2_32", nullptr, exp2_text},
      {"exp2_f32", nullptr, KW_PUBLIC("exp2_f32", "exp2_32")},
      {"expm1_32", nullptr, expm1_text},
      {"expm1_f32", nullptr, KW_PUBLIC("expm1_f32", "expm1_32")},
      {"log32 log_rest32", nullptr, log_text},
      {"log_f32", nullptr, KW_PUBLIC("log_f32", "log32")},
      {"log2_32", nullptr, log2_text},
      {"log2_f32", nullptr, KW_PUBLIC("log2_f32", "log2_32")},
      {"log10_32", nullptr, log10_text},
      {"log10_f32", nullptr, KW_PUBLIC("log10_f32", "log10_32")},
      {"log1p_32", nullptr, log1p_text},
      {"log1p_f32", nullptr, KW_PUBLIC("log1p_f32", "log1p_32")},
      {"tanh32", nullptr, tanh_text},
      {"tanh_f32", nullptr, KW_PUBLIC("tanh_f32", "tanh32")},
      {"sigmoid32", nullptr, sigmoid_text},
      {"sigmoid_f32", nullptr, KW_PUBLIC("sigmoid_f32", "sigmoid32")},
      {"erf32", nullptr, erf_text},
      {"erf_f32", nullptr, KW_PUBLIC("erf_f32", "erf32")},
      {"one_plus_erf_f32", nullptr, "template <class V> inline V one_plus_erf_f32(V x) { return 1 + each(x, [](auto v) { return erf32(v); }); }\n"},
      {"erfc32", nullptr, KW_THROUGH_F64("erfc32", "erfc64")},
      {"erfc_f32", nullptr, KW_PUBLIC("erfc_f32", "erfc32")},
      {"sin32", nullptr, KW_THROUGH_F64("sin32", "sin_for_f32")},
      {"sin_f32", nullptr, KW_PUBLIC("sin_f32", "sin32")},
      {"cos32", nullptr, KW_THROUGH_F64("cos32", "cos_for_f32")},
      {"cos_f32", nullptr, KW_PUBLIC("cos_f32", "cos32")},
      {"tan32", nullptr, KW_THROUGH_F64("tan32", "tan_for_f32")},
      {"tan_f32", nullptr, KW_PUBLIC("tan_f32", "tan32")},
      {"pow32", nullptr, KW_THROUGH_F64_2("pow32", "pow_for_f32")},
      {"pow_f32", nullptr, KW_PUBLIC_2("pow_f32", "pow32")},
      {"atan2_32", nullptr, KW_THROUGH_F64_2("atan2_32", "atan2_64")},
      {"atan2_f32", nullptr, KW_PUBLIC_2("atan2_f32", "atan2_32")},
  };
  return table;
}

}  // namespace kw::kernel
