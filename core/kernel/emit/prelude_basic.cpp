// Element types, vectors wider than the machine's, conversions between them, and the arithmetic of indices.
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
  };
  return table;
}

}  // namespace kw::kernel
