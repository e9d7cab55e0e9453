// Arithmetic of integers, extrema and signs; roots, rounding and division with remainder of f32 and f64. Scalars and vectors.
#include "core/kernel/emit/prelude.h"

namespace kw::kernel {
namespace {

constexpr const char* integer_text = R"(
template <class T> inline T quotient1(T a, T b) { return b == 0 ? 0 : b == -1 ? -a : a / b; }
template <class T> inline T rest1(T a, T b) { return b == 0 || b == -1 ? 0 : a % b; }
template <class T> inline T floor_quotient1(T a, T b) { const T r = rest1(a, b); return quotient1(a, b) - (r != 0 && (r < 0) != (b < 0)); }
template <class T> inline T floor_rest1(T a, T b) { const T r = rest1(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
template <class T> inline T power1(T a, T b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  T result = 1;
  for (; b > 0; b >>= 1, a *= a) if (b & 1) result *= a;
  return result;
}
template <class T> inline T shift_left1(T a, T b) { return b < 0 || b >= (T)(8 * sizeof(T)) ? 0 : a << b; }
template <class T> inline T shift_right1(T a, T b) { return a >> (b < 0 || b >= (T)(8 * sizeof(T)) ? 8 * sizeof(T) - 1 : b); }
// Scalars and, lane by lane, vectors.
#define KW_INTEGER(name) \
  template <class V> inline V name(V a, V b) { \
    if constexpr (requires { a[0]; }) return lanes<V>(0, [&](i64 lane) { return name##1<element<V>>(a[(int)lane], b[(int)lane]); }); \
    else return name##1(a, b); \
  }
KW_INTEGER(quotient) KW_INTEGER(rest) KW_INTEGER(floor_quotient) KW_INTEGER(floor_rest) KW_INTEGER(power)
KW_INTEGER(shift_left) KW_INTEGER(shift_right)
#undef KW_INTEGER
)";

constexpr const char* minmax_text = R"(
#ifdef __AVX__
// max(a, b) and min(a, b) of the machine give b where either is NaN.
#define KW_EXTREMUM(V, suffix) \
  inline V x86_max(V a, V b) { return __builtin_ia32_max##suffix(a, b); } \
  inline V x86_min(V a, V b) { return __builtin_ia32_min##suffix(a, b); }
typedef vec<f32, 8> octet; typedef vec<f32, 4> quartet; typedef vec<f64, 4> double_quartet;
KW_EXTREMUM(octet, ps256) KW_EXTREMUM(quartet, ps) KW_EXTREMUM(double_quartet, pd256)
#undef KW_EXTREMUM
#endif
// A NaN on either side gives NaN.
template <class V> inline V maximum(V a, V b) {
  if constexpr (wide<V>) return {maximum(a.lo, b.lo), maximum(a.hi, b.hi)};
#ifdef __AVX__
  else if constexpr (requires { x86_max(a, b); }) return a != a ? a : x86_max(a, b);
#endif
  else { const V m = a > b ? a : b; return a != a ? a : m; }
}
template <class V> inline V minimum(V a, V b) {
  if constexpr (wide<V>) return {minimum(a.lo, b.lo), minimum(a.hi, b.hi)};
#ifdef __AVX__
  else if constexpr (requires { x86_min(a, b); }) return a != a ? a : x86_min(a, b);
#endif
  else { const V m = a < b ? a : b; return a != a ? a : m; }
}
)";

constexpr const char* absolute_text = R"(
template <class V> inline V absolute(V x) {
  if constexpr (wide<V>) return {absolute(x.lo), absolute(x.hi)};
  else if constexpr (requires { x[0]; }) {
    typedef decltype(x < x) I;
    if constexpr ((element<V>)0.5 == 0) return x < 0 ? -x : x;
    else return (V)((I)x & ((element<I>)-1 ^ (element<I>)1 << (8 * sizeof(element<I>) - 1)));
  }
  else if constexpr ((V)0.5 == 0) return x < 0 ? -x : x;
  else if constexpr (sizeof(V) == 4) return __builtin_fabsf(x);
  else return __builtin_fabs(x);
}
)";

constexpr const char* sign_text = R"(
template <class V> inline V sign_of(V x) {                // 0 for NaN
  if constexpr (requires { x[0]; }) return select(x > 0, splat<V>(1), select(x < 0, splat<V>(-1), V{}));
  else return (V)((x > 0) - (x < 0));
}
)";

constexpr const char* each_text = R"(
// A function of native vectors, f, on scalars and on wide vectors as well.
template <class V, class F> inline V each(V x, F f) {
  if constexpr (!requires { x[0]; }) return f(splat<vec<V, 16 / sizeof(V)>>(x))[0];
  else if constexpr (wide<V>) return {each(x.lo, f), each(x.hi, f)};
  else return f(x);
}
template <class V, class F> inline V each(V x, V y, F f) {
  if constexpr (!requires { x[0]; }) return f(splat<vec<V, 16 / sizeof(V)>>(x), splat<vec<V, 16 / sizeof(V)>>(y))[0];
  else if constexpr (wide<V>) return {each(x.lo, y.lo, f), each(x.hi, y.hi, f)};
  else return f(x, y);
}
)";

constexpr const char* root_text = R"(
template <class V> inline V square_root(V x) {
  if constexpr (!requires { x[0]; }) { if constexpr (sizeof(V) == 4) return __builtin_sqrtf(x); else return __builtin_sqrt(x); }
  else if constexpr (wide<V>) return {square_root(x.lo), square_root(x.hi)};
#ifdef __AVX__
  else if constexpr (sizeof(V) == 32 && sizeof(x[0]) == 4) return __builtin_ia32_sqrtps256(x);
  else if constexpr (sizeof(V) == 32) return __builtin_ia32_sqrtpd256(x);
#endif
  else return lanes<V>(0, [&](i64 lane) { return square_root(x[lane]); });
}
)";

constexpr const char* rounded_text = R"(
// mode 0: to nearest, ties to even; 1: down; 2: up; 3: towards zero.
template <int mode, class V> inline V rounded_native(V x) {
#ifdef __AVX__
  if constexpr (sizeof(V) == 32 && sizeof(x[0]) == 4) return __builtin_ia32_roundps256(x, mode | 8);
  else if constexpr (sizeof(V) == 32) return __builtin_ia32_roundpd256(x, mode | 8);
  else if constexpr (sizeof(V) == 16 && sizeof(x[0]) == 4) return __builtin_ia32_roundps(x, mode | 8);
  else if constexpr (sizeof(V) == 16) return __builtin_ia32_roundpd(x, mode | 8);
#endif
  typedef decltype(x < x) I;
  const element<V> integral = sizeof(x[0]) == 4 ? (element<V>)0x1p23 : (element<V>)0x1p52;   // no fraction from here on
  const I sign = (I)x & (I)(-V{});
  const V size = absolute(x), even = size + integral - integral;
  V r = (V)((I)(size < integral ? even : size) | sign);
  if (mode == 1) r = r > x ? r - 1 : r;
  if (mode == 2) r = r < x ? r + 1 : r;
  if (mode == 3) r = absolute(r) > size ? r - (V)((I)(V{} + 1) | sign) : r;
  return x == x ? (V)((I)r | sign) : x;
}
template <int mode, class V> inline V rounded(V x) { return each(x, [](auto v) { return rounded_native<mode>(v); }); }
)";

constexpr const char* fmod_text = R"(
// Exact: long division of the significands, eleven bits at a time.
inline f64 fmod1(f64 x, f64 y) {
  const u64 sign = __builtin_bit_cast(u64, x) & 0x8000000000000000u;
  const f64 a = __builtin_fabs(x), b = __builtin_fabs(y);
  if (!(a < __builtin_inf()) || b != b || b == 0) return __builtin_nan("");
  if (a < b) return x;
  const u64 p = __builtin_bit_cast(u64, a), q = __builtin_bit_cast(u64, b);
  int ep = p >> 52, eq = q >> 52;
  u64 mp = p & 0xfffffffffffff, mq = q & 0xfffffffffffff;
  if (ep) mp |= 0x10000000000000; else ep = 1;
  if (eq) mq |= 0x10000000000000; else eq = 1;
  mp %= mq;
  for (int left = ep - eq; left > 0 && mp; left -= 11) mp = (mp << (left < 11 ? left : 11)) % mq;
  if (!mp) return __builtin_bit_cast(f64, sign);
  const int up = __builtin_clzll(mp) - 11, down = eq - 1 < up ? eq - 1 : up;
  mp <<= down;
  const u64 exponent = mp >> 52 ? (u64)(eq - down) << 52 : 0;
  return __builtin_bit_cast(f64, sign | exponent | (mp & 0xfffffffffffff));
}
// x - y * trunc(x / y) is exact in f64 for f32 arguments while the quotient stays below 2^28; the rest goes lane by lane.
template <class V> inline V fmod_native(V x, V y) {
  if constexpr (sizeof(x[0]) == 4) {
    typedef vec<f64, count<V>> D;
    return convert<V>(each(convert<D>(x), convert<D>(y), [](auto a, auto b) {
      auto q = rounded<3>(a / b);
      auto r = a - q * b;
      r = (r < 0) == (a < 0) || r == 0 ? r : ((a < 0) == (b < 0) ? r + b : r - b);
      const auto plain = (absolute(q) < 0x1p28) & (absolute(b) < __builtin_inf());
      return any(~plain) ? lanes<decltype(a)>(0, [&](i64 lane) { return fmod1(a[lane], b[lane]); })
                         : (decltype(a))((decltype(plain))absolute(r) | ((decltype(plain))a & (decltype(plain))(-decltype(a){})));
    }));
  }
  else return lanes<V>(0, [&](i64 lane) { return fmod1(x[lane], y[lane]); });
}
template <class V> inline V fmod_of(V x, V y) { return each(x, y, [](auto a, auto b) { return fmod_native(a, b); }); }
)";

constexpr const char* remainder_text = R"(
// As Python: the sign of the divisor.
template <class V> inline V remainder_of(V x, V y) {
  return each(x, y, [](auto a, auto b) {
    const auto r = fmod_native(a, b);
    return (r != 0) & ((b < 0) ^ (r < 0)) ? r + b : r;
  });
}
template <class V> inline V floor_divide(V x, V y) {
  return each(x, y, [](auto a, auto b) {
    const auto r = fmod_native(a, b);
    auto q = (a - r) / b;
    q = (r != 0) & ((b < 0) ^ (r < 0)) ? q - 1 : q;
    const auto down = rounded_native<1>(q);
    const auto near = q - down > 0.5f ? down + 1 : down;
    return b == 0 ? a / b : q == 0 ? a / b * 0 : near;
  });
}
)";

}  // namespace

const std::vector<Snippet>& arithmetic_snippets() {
  static const std::vector<Snippet> table = {
      {"maximum minimum", nullptr, minmax_text},
      {"absolute", nullptr, absolute_text},
      {"sign_of", nullptr, sign_text},
      {"quotient rest floor_quotient floor_rest power shift_left shift_right", nullptr, integer_text},
      {"each", nullptr, each_text},
      {"square_root", nullptr, root_text},
      {"rounded rounded_native", nullptr, rounded_text},
      {"trunc_divide", nullptr, "template <class V> inline V trunc_divide(V x, V y) { return rounded<3>(x / y); }\n"},
      {"fmod_of fmod_native", nullptr, fmod_text},
      {"remainder_of floor_divide", nullptr, remainder_text},
  };
  return table;
}

}  // namespace kw::kernel
