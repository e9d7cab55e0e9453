// Vectors wider than the machine's, conversions between element types, loads and stores, integer arithmetic.
#include "core/kernel/emit/prelude.h"

namespace kw::kernel {
namespace {

// Every lane count is a power of two; `wide` vectors are pairs of halves, element by element the same.
constexpr const char* pair_text = R"(
// A vector of twice the machine's width.
template <class H> struct pair {
  H lo, hi;
  auto operator[](int lane) const {
    constexpr int half = sizeof(H) / sizeof(lo[0]);
    return lane < half ? lo[lane] : hi[lane - half];
  }
};
#define KW_PAIR(op) \
  template <class H> inline auto operator op(pair<H> a, pair<H> b) { return pair<decltype(a.lo op b.lo)>{a.lo op b.lo, a.hi op b.hi}; } \
  template <class H, class S> requires(!wide<S>) inline auto operator op(pair<H> a, S b) { const auto s = (decltype(a[0]))b; return pair<decltype(a.lo op s)>{a.lo op s, a.hi op s}; } \
  template <class H, class S> requires(!wide<S>) inline auto operator op(S a, pair<H> b) { const auto s = (decltype(b[0]))a; return pair<decltype(s op b.lo)>{s op b.lo, s op b.hi}; }
KW_PAIR(+) KW_PAIR(-) KW_PAIR(*) KW_PAIR(/) KW_PAIR(&) KW_PAIR(|) KW_PAIR(^)
KW_PAIR(<) KW_PAIR(<=) KW_PAIR(>) KW_PAIR(>=) KW_PAIR(==) KW_PAIR(!=)
#undef KW_PAIR
template <class H> inline pair<H> operator-(pair<H> a) { return {-a.lo, -a.hi}; }
template <class H> inline pair<H> operator~(pair<H> a) { return {~a.lo, ~a.hi}; }
)";

constexpr const char* vec_text = R"(
template <class T, int N, bool big = (sizeof(T) * N > 32)> struct vec_of { typedef T type __attribute__((vector_size(sizeof(T) * N))); };
template <class T, int N> struct vec_of<T, N, true> { typedef pair<typename vec_of<T, N / 2>::type> type; };
template <class T, int N> using vec = typename vec_of<T, N>::type;
template <class V> constexpr int count = sizeof(V) / sizeof(V{}[0]);
template <class T> struct plain { typedef T type; };
template <class T> struct plain<T&> { typedef T type; };
template <class V> using element = typename plain<decltype(V{}[0])>::type;
template <class V> using half = vec<element<V>, count<V> / 2>;
)";

constexpr const char* convert_text = R"(
template <class V> inline half<V> low(V v) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) return v.lo;
  else if constexpr (n == 4) return __builtin_shufflevector(v, v, 0, 1);
  else if constexpr (n == 8) return __builtin_shufflevector(v, v, 0, 1, 2, 3);
  else if constexpr (n == 16) return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7);
  else return __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
}
template <class V> inline half<V> high(V v) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) return v.hi;
  else if constexpr (n == 4) return __builtin_shufflevector(v, v, 2, 3);
  else if constexpr (n == 8) return __builtin_shufflevector(v, v, 4, 5, 6, 7);
  else if constexpr (n == 16) return __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  else return __builtin_shufflevector(v, v, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
template <class W, class V> inline W join(V a, V b) {
  constexpr int n = count<V>;
  if constexpr (wide<W>) return {a, b};
  else if constexpr (n == 2) return __builtin_shufflevector(a, b, 0, 1, 2, 3);
  else if constexpr (n == 4) return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
  else if constexpr (n == 8) return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  else return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
}
#ifdef __AVX2__
// g++ 12 widens integers by halves or one by one; these are single instructions.
template <class V> inline auto sixteen_bytes(V v) {
  typedef long long words __attribute__((vector_size(16)));
  if constexpr (sizeof(v) == 16) return (words)v;
  else if constexpr (sizeof(v) == 8) return words{__builtin_bit_cast(long long, v), 0};
  else return words{__builtin_bit_cast(__UINT32_TYPE__, v), 0};
}
template <class W, class V> inline W widened(V v) {
  typedef char bytes __attribute__((vector_size(16)));
  typedef short shorts __attribute__((vector_size(16)));
  typedef int ints __attribute__((vector_size(16)));
  constexpr bool positive = (element<V>)-1 > 0;
  constexpr int from = sizeof(v[0]), to = sizeof(W{}[0]);
  const auto x = sixteen_bytes(v);
  if constexpr (from == 1 && to == 4) return positive ? (W)__builtin_ia32_pmovzxbd256((bytes)x) : (W)__builtin_ia32_pmovsxbd256((bytes)x);
  else if constexpr (from == 1) return positive ? (W)__builtin_ia32_pmovzxbq256((bytes)x) : (W)__builtin_ia32_pmovsxbq256((bytes)x);
  else if constexpr (from == 2 && to == 4) return positive ? (W)__builtin_ia32_pmovzxwd256((shorts)x) : (W)__builtin_ia32_pmovsxwd256((shorts)x);
  else if constexpr (from == 2) return positive ? (W)__builtin_ia32_pmovzxwq256((shorts)x) : (W)__builtin_ia32_pmovsxwq256((shorts)x);
  else return positive ? (W)__builtin_ia32_pmovzxdq256((ints)x) : (W)__builtin_ia32_pmovsxdq256((ints)x);
}
#endif
template <class W, class V> inline W convert(V v) {
  constexpr int from = sizeof(v[0]), to = sizeof(W{}[0]);
  constexpr bool integers = (element<V>)0.5 == 0 && (element<W>)0.5 == 0;
  if constexpr (wide<W> || wide<V>) return join<W>(convert<half<W>>(low(v)), convert<half<W>>(high(v)));
#ifdef __AVX2__
  else if constexpr (integers && sizeof(W) == 32 && to > from && to > 2) return widened<W>(v);
#endif
  else return __builtin_convertvector(v, W);
}
)";

constexpr const char* splat_text = R"(
template <class V, class S> inline V splat(S s) {
  if constexpr (wide<V>) { const auto h = splat<half<V>>(s); return {h, h}; }
  else return (element<V>)s - V{};
}
)";

constexpr const char* select_text = R"(
// Where the mask is set, a; elsewhere b.
template <class M, class V> inline V select(M m, V a, V b) {
  if constexpr (sizeof(m[0]) != sizeof(a[0])) return select(convert<vec<i64, count<V>>>(m), a, b);
  else if constexpr (wide<V>) return {select(m.lo, a.lo, b.lo), select(m.hi, a.hi, b.hi)};
  else return m < 0 ? a : b;
}
)";

constexpr const char* mask_text = R"(
// Masks have 32-bit lanes, 0 or -1, whatever was compared.
template <class M> inline vec<i32, count<M>> mask(M m) {
  if constexpr (sizeof(m[0]) == 4) return m;
  else return convert<vec<i32, count<M>>>(m);
}
)";

constexpr const char* lanes_text = R"(
// f(c), f(c + 1), … one lane each.
template <class V, class F> inline V lanes(i64 c, F f) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) return {lanes<half<V>>(c, f), lanes<half<V>>(c + n / 2, f)};
  else if constexpr (n == 2) return V{f(c), f(c + 1)};
  else if constexpr (n == 4) return V{f(c), f(c + 1), f(c + 2), f(c + 3)};
  else if constexpr (n == 8) return V{f(c), f(c + 1), f(c + 2), f(c + 3), f(c + 4), f(c + 5), f(c + 6), f(c + 7)};
  else return join<V>(lanes<half<V>>(c, f), lanes<half<V>>(c + n / 2, f));
}
)";

constexpr const char* bf16_text = R"(
struct bf16 { u16 bits; };
inline f32 value(bf16 h) { return __builtin_bit_cast(f32, (u32)h.bits << 16); }
inline bf16 to_bf16(f32 x) {                              // round to nearest even; a NaN stays one
  const u32 b = __builtin_bit_cast(u32, x);
  return {(u16)(x != x ? (b >> 16) | 0x40 : (b + 0x7fff + ((b >> 16) & 1)) >> 16)};
}
)";

constexpr const char* f16_text = R"(
struct f16 { u16 bits; };
)";

constexpr const char* f16_value_text = R"(
inline f32 value(f16 h) {
#ifdef __F16C__
  typedef i16 half_words __attribute__((vector_size(16)));
  return __builtin_ia32_vcvtph2ps(half_words{(i16)h.bits})[0];
#else
  const u32 sign = (u32)(h.bits & 0x8000) << 16, rest = (u32)(h.bits & 0x7fff) << 13;
  const f32 scaled = __builtin_bit_cast(f32, rest) * 0x1p112f;
  const u32 bits = rest >= 0x0f800000 ? rest | 0x7f800000 : __builtin_bit_cast(u32, scaled);
  return __builtin_bit_cast(f32, bits | sign);
#endif
}
)";

constexpr const char* to_f16_text = R"(
inline f16 to_f16(f32 x) {                                // round to nearest even; a NaN stays one
#ifdef __F16C__
  typedef f32 quad __attribute__((vector_size(16)));
  return {(u16)__builtin_ia32_vcvtps2ph(quad{x}, 0)[0]};
#else
  const u32 bits = __builtin_bit_cast(u32, x), sign = (bits >> 16) & 0x8000, size = bits & 0x7fffffff;
  if (size > 0x7f800000) return {(u16)(sign | 0x7e00)};
  if (size >= 0x477ff000) return {(u16)(sign | 0x7c00)};
  if (size < 0x38800000) {                                // subnormal: the addition rounds at its last place
    const f32 sum = __builtin_bit_cast(f32, size) + 0.5f;
    return {(u16)(sign | (__builtin_bit_cast(u32, sum) - 0x3f000000))};
  }
  return {(u16)(sign | ((size - 0x38000000 + 0xfff + ((size >> 13) & 1)) >> 13))};
#endif
}
)";

constexpr const char* value_text = R"(
template <class T> inline T value(T x) { return x; }
)";

constexpr const char* load_text = R"(
template <class V> inline V peek(const void* p) { V v; __builtin_memcpy(&v, p, sizeof v); return v; }
template <class V, class S> inline V load(const S* p) {
  if constexpr (wide<V>) return {load<half<V>>(p), load<half<V>>(p + count<V> / 2)};
  else if constexpr (sizeof(S) == sizeof(element<V>)) return peek<V>(p);
  else return convert<V>(peek<vec<S, count<V>>>(p));
}
)";

constexpr const char* load_bf16_text = R"(
template <class V> inline V load(const bf16* p) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) return {load<half<V>>(p), load<half<V>>(p + n / 2)};
  else return (V)(convert<vec<u32, n>>(peek<vec<u16, n>>(p)) << 16);
}
)";

constexpr const char* load_f16_text = R"(
template <class V> inline V load(const f16* p) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) return {load<half<V>>(p), load<half<V>>(p + n / 2)};
#ifdef __F16C__
  else if constexpr (n == 8) return __builtin_ia32_vcvtph2ps256(peek<vec<i16, 8>>(p));
#endif
  else return lanes<V>(0, [&](i64 lane) { return value(p[lane]); });
}
)";

constexpr const char* store_text = R"(
template <class S, class V> inline void store(S* p, V v) {
  if constexpr (wide<V>) { store(p, v.lo); store(p + count<V> / 2, v.hi); }
  else if constexpr (sizeof(S) == sizeof(element<V>)) __builtin_memcpy(p, &v, sizeof v);
  else store(p, convert<vec<S, count<V>>>(v));
}
)";

constexpr const char* store_bf16_text = R"(
template <class V> inline void store(bf16* p, V v) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) { store(p, v.lo); store(p + n / 2, v.hi); }
  else {
    typedef vec<u32, n> W;
    const W b = (W)v, nearest = (b + 0x7fff + ((b >> 16) & 1)) >> 16;
    store((u16*)p, convert<vec<u16, n>>(v != v ? (b >> 16) | 0x40 : nearest));
  }
}
)";

constexpr const char* store_f16_text = R"(
template <class V> inline void store(f16* p, V v) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) { store(p, v.lo); store(p + n / 2, v.hi); }
#ifdef __F16C__
  else if constexpr (n == 8) { const auto h = __builtin_ia32_vcvtps2ph256(v, 0); __builtin_memcpy(p, &h, sizeof h); }
#endif
  else for (int lane = 0; lane < n; ++lane) p[lane] = to_f16(v[lane]);
}
)";

constexpr const char* as_bf16_text = R"(
inline f32 as_bf16(f32 x) { return value(to_bf16(x)); }
template <class V> inline V as_bf16(V v) {
  if constexpr (wide<V>) return {as_bf16(v.lo), as_bf16(v.hi)};
  else {
    typedef vec<u32, count<V>> W;
    const W b = (W)v, nearest = (b + 0x7fff + ((b >> 16) & 1)) & 0xffff0000u;
    return (V)(v != v ? b | 0x400000u : nearest);
  }
}
)";

constexpr const char* as_f16_text = R"(
inline f32 as_f16(f32 x) { return value(to_f16(x)); }
template <class V> inline V as_f16(V v) {
  if constexpr (wide<V>) return {as_f16(v.lo), as_f16(v.hi)};
#ifdef __F16C__
  else if constexpr (count<V> == 8) return __builtin_ia32_vcvtph2ps256(__builtin_ia32_vcvtps2ph256(v, 0));
#endif
  else return lanes<V>(0, [&](i64 lane) { return as_f16((f32)v[lane]); });
}
)";

constexpr const char* load_even_text = R"(
// p[0], p[2], p[4] …: nothing past the last of them is touched.
template <class V, class S> inline V load_even(const S* p) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) return {load_even<half<V>>(p), load_even<half<V>>(p + n)};
  else if constexpr (n == 8) return __builtin_shufflevector(load<V>(p), load<V>(p + 7), 0, 2, 4, 6, 9, 11, 13, 15);
  else if constexpr (n == 4) return __builtin_shufflevector(load<V>(p), load<V>(p + 3), 0, 2, 5, 7);
  else return lanes<V>(0, [&](i64 lane) { return value(p[2 * lane]); });
}
)";

constexpr const char* load_reversed_text = R"(
// p[0], p[-1], p[-2] …
template <class V, class S> inline V load_reversed(const S* p) {
  constexpr int n = count<V>;
  if constexpr (wide<V>) return {load_reversed<half<V>>(p), load_reversed<half<V>>(p - n / 2)};
  else {
    const V v = load<V>(p - (n - 1));
    if constexpr (n == 8) return __builtin_shufflevector(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
    else if constexpr (n == 4) return __builtin_shufflevector(v, v, 3, 2, 1, 0);
    else return lanes<V>(0, [&](i64 lane) { return v[n - 1 - lane]; });
  }
}
)";

constexpr const char* load_strided_text = R"(
template <class V, class S> inline V load_strided(const S* p, i64 stride) {
  return lanes<V>(0, [&](i64 lane) { return (element<V>)value(p[lane * stride]); });
}
)";

constexpr const char* any_text = R"(
template <class M> inline bool any(M m) {                 // of a native mask
#ifdef __AVX__
  if constexpr (sizeof(m) == 32) return __builtin_ia32_movmskps256((vec<f32, 8>)m);
#endif
  u64 bits = 0;
  for (int lane = 0; lane < count<M>; ++lane) bits |= (u64)m[lane];
  return bits != 0;
}
template <class M> inline bool all(M m) {
  if constexpr (wide<M>) return all(m.lo) && all(m.hi);
  else return !any(~m);
}
)";

constexpr const char* masked_lanes_text = R"(
// f(c + lane) where the mask is set, 0 elsewhere; f is not called there.
template <class V, class M, class F> inline V masked_lanes(M m, i64 c, F f) {
  return lanes<V>(0, [&](i64 lane) { return m[(int)lane] ? (element<V>)f(c + lane) : (element<V>)0; });
}
)";

constexpr const char* load_masked_text = R"(
// p[lane] where the mask is set, 0 elsewhere; nothing is read there.
template <class V, class M, class S> inline V load_masked(const S* p, M m) {
  if constexpr (wide<V>) return {load_masked<half<V>>(p, low(m)), load_masked<half<V>>(p + count<V> / 2, high(m))};
  else if constexpr (sizeof(S) == 8 && sizeof(m[0]) == 4) return load_masked<V>(p, convert<vec<i64, count<V>>>(m));
#ifdef __AVX__
  else if constexpr (sizeof(V) == 32 && sizeof(S) == 4) return (V)__builtin_ia32_maskloadps256((const vec<f32, 8>*)p, (vec<i32, 8>)m);
  else if constexpr (sizeof(V) == 16 && sizeof(S) == 4) return (V)__builtin_ia32_maskloadps((const vec<f32, 4>*)p, (vec<i32, 4>)m);
  else if constexpr (sizeof(V) == 32 && sizeof(S) == 8) return (V)__builtin_ia32_maskloadpd256((const vec<f64, 4>*)p, (vec<long long, 4>)m);
#endif
  else return masked_lanes<V>(m, 0, [&](i64 lane) { return value(p[lane]); });
}
)";

constexpr const char* load_mask_text = R"(
template <class M> inline M load_mask(const u8* p) { return mask(load<M>(p) != 0); }
)";
constexpr const char* store_mask_text = R"(
template <class M> inline void store_mask(u8* p, M m) {
  if constexpr (wide<M>) { store_mask(p, m.lo); store_mask(p + count<M> / 2, m.hi); }
#ifdef __AVX2__
  else if constexpr (sizeof(m) == 32) {
    const auto words = __builtin_ia32_packssdw128(low(m), high(m));
    const auto bytes = __builtin_ia32_packsswb128(words, words) & 1;
    __builtin_memcpy(p, &bytes, 8);
  }
#endif
  else store(p, m & 1);
}
)";

constexpr const char* scatter_text = R"(
// put(c + lane, v[lane]) for each lane in turn.
template <class V, class F> inline void scatter(i64 c, V v, F put) {
#pragma GCC unroll 32
  for (int lane = 0; lane < count<V>; ++lane) put(c + lane, v[lane]);
}
)";

constexpr const char* ramp_text = R"(
// base, base + stride, …
template <class V> inline V ramp(i64 base, i64 stride) {
  const auto steps = lanes<V>(0, [](i64 lane) { return (element<V>)lane; });
  return (element<V>)base + steps * (element<V>)stride;
}
)";

constexpr const char* within_text = R"(
// 0 <= base + lane * stride < limit
template <class M> inline M within(i64 base, i64 stride, i64 limit) {
  const M at = ramp<M>(base, stride);
  return (at >= 0) & (at < (i32)limit);
}
)";

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

}  // namespace

const std::vector<Snippet>& basic_snippets() {
  static const std::vector<Snippet> table = {
      {"f32", nullptr, "typedef float f32;\n"},
      {"f64", nullptr, "typedef double f64;\n"},
      {"i64", nullptr, "typedef __INT64_TYPE__ i64;\n"},
      {"i32", nullptr, "typedef __INT32_TYPE__ i32;\n"},
      {"i16", nullptr, "typedef __INT16_TYPE__ i16;\n"},
      {"i8", nullptr, "typedef __INT8_TYPE__ i8;\n"},
      {"u64", nullptr, "typedef __UINT64_TYPE__ u64;\n"},
      {"u32", nullptr, "typedef __UINT32_TYPE__ u32;\n"},
      {"u16", nullptr, "typedef __UINT16_TYPE__ u16;\n"},
      {"u8", nullptr, "typedef __UINT8_TYPE__ u8;\n"},
      {"wide", nullptr, "template <class V> constexpr bool wide = requires(V v) { v.lo; };\n"},
      {"pair", nullptr, pair_text},
      {"vector types", nullptr, ""},
      {"vec count element half", nullptr, vec_text},
      {"low high join convert", nullptr, convert_text},
      {"splat", nullptr, splat_text},
      {"select", nullptr, select_text},
      {"mask", nullptr, mask_text},
      {"from_mask", nullptr, "template <class V, class M> inline V from_mask(M m) { return select(m, splat<V>(1), V{}); }\n"},
      {"lanes", nullptr, lanes_text},
      {"floor_div", nullptr, "inline i64 floor_div(i64 a, i64 d) { const i64 q = a / d; return q * d > a ? q - 1 : q; }\n"},
      {"floor_mod", nullptr, "inline i64 floor_mod(i64 a, i64 d) { const i64 r = a % d; return r < 0 ? r + d : r; }\n"},
      {"inside", nullptr, "inline bool inside(i64 at, i64 limit) { return (u64)at < (u64)limit; }\n"},
      {"bf16", nullptr, bf16_text},
      {"f16", nullptr, f16_text},
      {"value", "f16", f16_value_text},
      {"to_f16", nullptr, to_f16_text},
      {"value", nullptr, value_text},
      {"load peek", nullptr, load_text},
      {"load", "bf16", load_bf16_text},
      {"load", "f16", load_f16_text},
      {"as_bf16", nullptr, as_bf16_text},
      {"as_f16", nullptr, as_f16_text},
      {"load_even", nullptr, load_even_text},
      {"load_reversed", nullptr, load_reversed_text},
      {"load_strided", nullptr, load_strided_text},
      {"any all", nullptr, any_text},
      {"masked_lanes", nullptr, masked_lanes_text},
      {"load_masked", nullptr, load_masked_text},
      {"load_mask", nullptr, load_mask_text},
      {"store", nullptr, store_text},
      {"store", "bf16", store_bf16_text},
      {"store", "f16", store_f16_text},
      {"store_mask", nullptr, store_mask_text},
      {"scatter", nullptr, scatter_text},
      {"ramp", nullptr, ramp_text},
      {"within", nullptr, within_text},
      {"maximum minimum", nullptr, minmax_text},
      {"absolute", nullptr, absolute_text},
      {"sign_of", nullptr, sign_text},
      {"quotient rest floor_quotient floor_rest power shift_left shift_right", nullptr, integer_text},
  };
  return table;
}

}  // namespace kw::kernel
