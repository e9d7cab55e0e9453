// What the functions of f32 and f64 lanes share: polynomials, powers of two, the taking apart of exponents and signs, and
// exact products. Written for native vectors V of either element type; constants are given as f64 and rounded to the lane's.
#include "core/kernel/emit/vector_math.h"

namespace kw::kernel {
namespace {

constexpr const char* bits_text = R"(
template <class V> using bits = decltype(V{} < V{});     // signed integers as wide as the lanes of V
template <class V> constexpr bool single = sizeof(V{}[0]) == 4;
template <class V> constexpr int mantissa = single<V> ? 23 : 52;
template <class V> constexpr int bias = single<V> ? 127 : 1023;
template <class V> constexpr element<V> infinity = (element<V>)__builtin_inf();
)";

constexpr const char* poly_text = R"(
// c0 + x * (c1 + x * (c2 + …))
template <class V> inline V poly(V, f64 c) { return splat<V>(c); }
template <class V, class... C> inline V poly(V x, f64 c, C... rest) { return (element<V>)c + x * poly(x, rest...); }
)";

constexpr const char* signed_as_text = R"(
template <class V> inline V signed_as(V size, V sign) { return (V)((bits<V>)size | ((bits<V>)sign & (bits<V>)(-V{}))); }
)";

constexpr const char* power_text = R"(
template <class V> inline V power_of_two(bits<V> n) { return (V)((n + bias<V>) << mantissa<V>); }        // n a normal exponent
template <class V> inline V scaled(V x, bits<V> n) { const bits<V> a = n >> 1; return x * power_of_two<V>(a) * power_of_two<V>(n - a); }
template <class V> inline V clamped(V x, f64 low, f64 high) {                                            // NaN stays
  const V h = splat<V>(high), l = splat<V>(low);
  x = h < x ? h : x;
  return l > x ? l : x;
}
)";

// The nearest multiple k of a unit, as a float and as an integer: adding 1.5 * 2^mantissa rounds at the unit's place.
constexpr const char* nearest_text = R"(
template <class V> inline V nearest_multiple(V x, f64 per_unit, bits<V>& n) {
  const element<V> magic = single<V> ? (element<V>)0x1.8p23 : (element<V>)0x1.8p52;
  const V t = x * (element<V>)per_unit + magic;
  n = (bits<V>)t - (bits<V>)(splat<V>(magic));
  return t - magic;
}
)";

// x = 2^e * (1 + f), 1 + f in [sqrt(1/2), sqrt(2)); subnormals are scaled up first.
constexpr const char* split_text = R"(
template <class V> inline V split_exponent(V x, bits<V>& e) {
  typedef element<bits<V>> I;
  const I root_half = single<V> ? (I)0x3f3504f3 : (I)0x3fe6a09e667f3bcd;
  const auto small = x < (element<V>)(single<V> ? 0x1p-126 : 0x1p-1022);
  x = small ? x * (element<V>)0x1p54 : x;
  e = ((bits<V>)x - root_half) >> mantissa<V>;
  const V m = (V)((bits<V>)x - (e << mantissa<V>));
  e = small ? e - 54 : e;
  return m - 1;
}
template <class V> inline V log_range(V x, V y, V pole) {  // y where 0 < pole < inf; -inf at 0, NaN below
  return pole > 0 ? (x < infinity<V> ? y : x) : (pole == 0 ? splat<V>(-infinity<V>) : splat<V>(__builtin_nan("")));
}
)";

constexpr const char* convertible_text = R"(
#ifndef __AVX512DQ__
// Small 64-bit integers to f64 without a conversion instruction.
template <class V> inline V small_number(bits<V> n) {
  if constexpr (single<V>) return __builtin_convertvector(n, V);
  else { const V magic = splat<V>(0x1.8p52); return (V)(n + (bits<V>)magic) - magic; }
}
#else
template <class V> inline V small_number(bits<V> n) { return __builtin_convertvector(n, V); }
#endif
)";

// The compiler contracts a*b + c to one rounding wherever it likes. A fenced value is rounded first.
constexpr const char* fenced_text = R"(
template <class V> inline V fenced(V x) {
#ifdef __AVX__
  __asm__("" : "+x"(x));
#else
  __asm__("" : "+m"(x));
#endif
  return x;
}
template <class V> inline V product_error(V a, V b, V product) {       // a * b - product, exactly; f64
#ifdef __FMA__
  if constexpr (sizeof(V) == 32) return __builtin_ia32_vfmaddpd256(a, b, -product);
  else return __builtin_ia32_vfmaddpd(a, b, -product);
#else
  const bits<V> top = splat<bits<V>>(-(1l << 27));
  const V ah = (V)((bits<V>)a & top), al = a - ah, bh = (V)((bits<V>)b & top), bl = b - bh;
  return fenced(fenced(fenced(ah * bh) - product) + fenced(ah * bl)) + fenced(al * bh) + al * bl;
#endif
}
)";

}  // namespace

const std::vector<Snippet>& vector_math_shared_snippets() {
  static const std::vector<Snippet> table = {
      {"bits single mantissa bias infinity", nullptr, bits_text},
      {"poly", nullptr, poly_text},
      {"signed_as", nullptr, signed_as_text},
      {"power_of_two scaled clamped", nullptr, power_text},
      {"nearest_multiple", nullptr, nearest_text},
      {"small_number", nullptr, convertible_text},
      {"split_exponent log_range", nullptr, split_text},
      {"fenced product_error", nullptr, fenced_text},
  };
  return table;
}

}  // namespace kw::kernel
