// Half-precision elements, loads and stores: dense, strided, masked, scattered.
#include "core/kernel/emit/prelude.h"

namespace kw::kernel {
namespace {

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

}  // namespace

const std::vector<Snippet>& memory_snippets() {
  static const std::vector<Snippet> table = {
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
  };
  return table;
}

}  // namespace kw::kernel
