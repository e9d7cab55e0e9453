// Roots, rounding and division with remainder, for scalars and vectors of f32 and f64.
#include "core/kernel/emit/prelude.h"

namespace kw::kernel {
namespace {

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

const std::vector<Snippet>& rounding_snippets() {
  static const std::vector<Snippet> table = {
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
