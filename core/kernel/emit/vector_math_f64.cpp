// Functions of f64 lanes: exponentials, logarithms, error functions, powers. Polynomials are minimax fits (Remez).
// Trigonometry is in vector_math_trig.cpp.
#include "core/kernel/emit/vector_math.h"

namespace kw::kernel {
namespace {

// As for f32; `tail` is a small addend of x below its last place.
constexpr const char* exp_text = R"(
template <class V> inline V exp_rest64(V r) {                     // exp(r) - 1 - r
  return r * r * poly(r, 0.5000000000000011, 0.1666666666666641, 0.04166666666652972, 0.008333333333494983, 0.0013888888943763074,
                      0.00019841269505790744, 2.4801492946634963e-05, 2.755758677038921e-06, 2.7630307253036717e-07, 2.5000033685252112e-08);
}
template <class V> inline V exp_parts64(V x, bits<V>& n) {
  const V k = nearest_multiple(x, 0x1.71547652b82fep+0, n);
  return x - k * 0x1.62e42feep-1 - k * 0x1.a39ef35793c76p-33;
}
template <class V> inline V exp_tail64(V x, V tail) {
  bits<V> n;
  const V r = exp_parts64(clamped(x, -746, 710), n) + tail;
  return scaled(1 + (r + exp_rest64(r)), n);
}
template <class V> inline V exp64(V x) { return exp_tail64(x, V{}); }
)";

constexpr const char* exp2_text = R"(
template <class V> inline V exp2_64(V x) {
  bits<V> n;
  x = clamped(x, -1080, 1025);
  const V r = (x - nearest_multiple(x, 1, n)) * 0x1.62e42fefa39efp-1;
  return scaled(1 + (r + exp_rest64(r)), n);
}
)";

constexpr const char* expm1_text = R"(
template <class V> inline V expm1_64(V x) {
  bits<V> n;
  const V r = exp_parts64(clamped(x, -40, 710), n);
  const V p = r + exp_rest64(r), h = power_of_two<V>(n - 1);      // half of 2^n: that of 2^1024 is finite
  return n == 0 ? p : (h * p + (h - 0.5)) * 2;
}
)";

// log(1 + f) = f - f^2/2 + s*(f^2/2 + R(s^2)), s = f/(2 + f), R from log((1+s)/(1-s)) = 2s + s*R(s^2).
constexpr const char* log_text = R"(
template <class V> inline V log_rest64(V f) {                     // log(1 + f) - f
  const V s = f / (2 + f), z = s * s, h = f * f * 0.5;
  const V R = z * poly(z, 0.6666666666666737, 0.399999999993948, 0.28571428747253363, 0.2222219803223646, 0.18183594440948703, 0.1531323218380206, 0.1480459027687709);
  return s * (h + R) - h;
}
template <class V> inline V log64(V x) {
  bits<V> e;
  const V f = split_exponent(x, e), k = small_number<V>(e);
  return log_range(x, k * 0x1.62e42feep-1 + (f + (log_rest64(f) + k * 0x1.a39ef35793c76p-33)), x);
}
)";

constexpr const char* log2_text = R"(
template <class V> inline V log2_64(V x) {
  bits<V> e;
  const V f = split_exponent(x, e), k = small_number<V>(e), rest = log_rest64(f);
  return log_range(x, k + (f * 0x1.71547652b82fep+0 + (rest * 0x1.71547652b82fep+0 + f * 0x1.777d0ffda0d24p-56)), x);
}
)";

constexpr const char* log10_text = R"(
template <class V> inline V log10_64(V x) {
  bits<V> e;
  const V f = split_exponent(x, e), k = small_number<V>(e), rest = log_rest64(f);
  return log_range(x, k * 0x1.34413508p-2 + (f * 0x1.bcb7b1526e50ep-2 + (rest * 0x1.bcb7b1526e50ep-2 + (f * 0x1.95355baaafad3p-57 + k * 0x1.f79fef311f12bp-34))), x);
}
)";

constexpr const char* log1p_text = R"(
template <class V> inline V log1p_64(V x) {
  const V u = 1 + x;
  const bits<V> e = ((bits<V>)u - 0x3fe6a09e667f3bcd) >> 52;
  const V t = power_of_two<V>(2 - e) * 0.25, f = x * t + (t - 1), k = small_number<V>(e);
  return log_range(x, k * 0x1.62e42feep-1 + (f + (log_rest64(f) + k * 0x1.a39ef35793c76p-33)), u);
}
)";

constexpr const char* tanh_text = R"(
template <class V> inline V tanh64(V x) {                         // m/(m + 2) or 1 - 2/(m + 2), m = exp(2|x|) - 1
  const V size = absolute(x), m = expm1_64(clamped(size + size, 0, 50));
  const V q = (size < 0.5 ? m : splat<V>(2)) / (m + 2);
  return signed_as(size < 0.5 ? q : 1 - q, x);
}
)";

constexpr const char* sigmoid_text = R"(
template <class V> inline V sigmoid64(V x) {
  const V e = exp64(-absolute(x));
  return (x < 0 ? e : splat<V>(1)) / (1 + e);
}
)";

// erfc(x) = exp(-x^2) * F((x - 4)/(x + 4)) / (1 + 2x) from 0.75 on; x^2 with its rounding error.
constexpr const char* erf_text = R"(
template <class V> inline V erf_small64(V x) {                    // |x| < 0.75
  const V t = x * x;
  return x + x * poly(t, 0.1283791670955126, -0.37612638903183715, 0.11283791670952628, -0.026866170644435607, 0.005223977615501932, -0.0008548326194107289,
                      0.00012055289781498263, -1.4924201604053816e-05, 1.643076346651692e-06, -1.5940723626186897e-07, 1.1474811464916156e-08);
}
template <class V> inline V erfc_large64(V x) {                   // x >= 0.75
  x = clamped(x, 0.75, 28);
  const V square = fenced(x * x), low = product_error(x, x, square), q = (x - 4) / (x + 4);
  const V F = poly(q, 1.2329951186255526, -0.13962111684056247, 0.015379652102619889, 0.06809705425468626, -0.1010390660363126, 0.09373283499864161,
                   -0.06633036581205343, 0.037167515531404016, -0.01619773405906503, 0.005031970047562074, -0.0007577732888733696, -0.00019925717529261787,
                   0.00015062174785014797, -2.4397112485861165e-05, -1.1222569164678423e-05, 5.703821428463929e-06, 2.9577232109640215e-07,
                   -8.14891235794414e-07, 7.069512941728893e-08, 9.880921218610011e-08, -1.3738076131881063e-08, -7.821631197474668e-09);
  return exp_tail64(-square, -low) * (F / (1 + 2 * x));
}
template <class V> inline V erf64(V x) {
  const V size = absolute(x);
  return size < 0.75 ? erf_small64(x) : signed_as(1 - erfc_large64(size), x);
}
template <class V> inline V erfc64(V x) {
  const V size = absolute(x), large = erfc_large64(size);
  return size < 0.75 ? 1 - erf_small64(x) : x < 0 ? 2 - large : large;
}
)";

// The cases of pow in which a logarithm does not help, and the sign.
constexpr const char* pow_cases_text = R"(
template <class V> inline V pow_cases(V x, V y, V result) {
  const V size = absolute(x), one = splat<V>(1), inf = splat<V>(infinity<V>);
  const auto whole = rounded_native<0>(y) == y, odd = whole & (rounded_native<0>(y * 0.5) != y * 0.5);
  const auto extreme = (size == 0) | (size == infinity<V>) | (absolute(y) == infinity<V>);
  result = extreme ? ((size > 1) ^ (y < 0) ? inf : V{}) : result;
  result = (x < 0) & ~whole & (size < infinity<V>) & (absolute(y) < infinity<V>) ? splat<V>(__builtin_nan("")) : result;
  result = odd & ((bits<V>)x < 0) ? -result : result;
  result = (x != x) | (y != y) ? x + y : result;
  return (x == 1) | (y == 0) | ((x == -1) & (absolute(y) == infinity<V>)) ? one : result;
}
)";

// log |x| as a sum of two f64, then times y with the error of the product.
constexpr const char* pow_text = R"(
template <class V> inline V two_sum(V a, V b, V& error) {
  const V s = a + b, t = s - a;
  error = (a - (s - t)) + (b - t);
  return s;
}
template <class V> inline V log_pair64(V x, V& low) {
  bits<V> e;
  const V f = split_exponent(x, e), k = small_number<V>(e), d = 2 + f;
  const V s = fenced(f / d), sd = fenced(s * d);
  const V sl = (((f - sd) - product_error(s, d, sd)) - s * (f - (d - 2))) / d;
  const V z = fenced(s * s), zl = product_error(s, s, z) + 2 * (s * sl);
  const V w = fenced(s * z), wl = product_error(s, z, w) + (s * zl + sl * z);
  const V third = splat<V>(0x1.5555555555555p-1), c = fenced(third * w);
  const V cl = product_error(third, w, c) + (third * wl + w * 0x1.5555555555555p-55);
  const V tail = w * (z * poly(z, 0.39999999999999974, 0.2857142857144576, 0.22222222217378282, 0.18181818889705165, 0.15384555549405987, 0.1333636821654596, 0.11673788282419126, 0.11997585666304476));
  V e1, e2;
  const V a = two_sum(k * 0x1.62e42feep-1, 2 * s, e1), b = two_sum(a, c, e2);
  low = e1 + (e2 + (2 * sl + (cl + (tail + k * 0x1.a39ef35793c76p-33))));
  const V sum = b + low;
  low = low - (sum - b);
  return sum;
}
template <class V> inline V pow64(V x, V y) {
  V low;
  const V high = log_pair64(absolute(x), low), power = clamped(y, -0x1p64, 0x1p64);
  const V p = fenced(power * high), pl = product_error(power, high, p) + power * low;
  return pow_cases(x, y, exp_tail64(p, absolute(p) < 800 ? pl : V{}));
}
)";

constexpr const char* pow_for_f32_text = R"(
template <class V> inline V pow_for_f32(V x, V y) { return pow_cases(x, y, exp64(y * log64(absolute(x)))); }
)";

#define KW_PUBLIC(name, native) \
  "template <class V> inline V " name "(V x) { return each(x, [](auto v) { return " native "(v); }); }\n"

}  // namespace

const std::vector<Snippet>& vector_math_f64_snippets() {
  static const std::vector<Snippet> table = {
      {"exp64 exp_tail64 exp_parts64 exp_rest64", nullptr, exp_text},
      {"exp_f64", nullptr, KW_PUBLIC("exp_f64", "exp64")},
      {"exp2_64", nullptr, exp2_text},
      {"exp2_f64", nullptr, KW_PUBLIC("exp2_f64", "exp2_64")},
      {"expm1_64", nullptr, expm1_text},
      {"expm1_f64", nullptr, KW_PUBLIC("expm1_f64", "expm1_64")},
      {"log64 log_rest64", nullptr, log_text},
      {"log_f64", nullptr, KW_PUBLIC("log_f64", "log64")},
      {"log2_64", nullptr, log2_text},
      {"log2_f64", nullptr, KW_PUBLIC("log2_f64", "log2_64")},
      {"log10_64", nullptr, log10_text},
      {"log10_f64", nullptr, KW_PUBLIC("log10_f64", "log10_64")},
      {"log1p_64", nullptr, log1p_text},
      {"log1p_f64", nullptr, KW_PUBLIC("log1p_f64", "log1p_64")},
      {"tanh64", nullptr, tanh_text},
      {"tanh_f64", nullptr, KW_PUBLIC("tanh_f64", "tanh64")},
      {"sigmoid64", nullptr, sigmoid_text},
      {"sigmoid_f64", nullptr, KW_PUBLIC("sigmoid_f64", "sigmoid64")},
      {"erf64 erfc64", nullptr, erf_text},
      {"erf_f64", nullptr, KW_PUBLIC("erf_f64", "erf64")},
      {"one_plus_erf_f64", nullptr, "template <class V> inline V one_plus_erf_f64(V x) { return each(x, [](auto v) { return erfc64(-v); }); }\n"},
      {"erfc_f64", nullptr, KW_PUBLIC("erfc_f64", "erfc64")},
      {"pow_cases", nullptr, pow_cases_text},
      {"pow64", nullptr, pow_text},
      {"pow_f64", nullptr, "template <class V> inline V pow_f64(V x, V y) { return each(x, y, [](auto a, auto b) { return pow64(a, b); }); }\n"},
      {"pow_for_f32", nullptr, pow_for_f32_text},
  };
  return table;
}

}  // namespace kw::kernel
