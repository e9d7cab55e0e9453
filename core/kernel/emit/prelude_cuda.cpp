// The prelude of cuda kernels: the same names as the cpu's, for scalars and for small vectors of one thread. Compiled by NVRTC,
// where every function belongs to the device. Functions of CUDA's own library stay within 2 ulp of float64 unless a row says more.
#include "core/kernel/emit/prelude.h"

namespace kw::kernel {
namespace {

constexpr const char* vec_text = R"(
template <class T, int N> struct alignas(sizeof(T) * N <= 16 ? sizeof(T) * N : 16) vec {
  T lane[N];
  T& operator[](int k) { return lane[k]; }
  const T& operator[](int k) const { return lane[k]; }
};
template <class V> struct count { enum { value = 1 }; };     // no variable: those at namespace scope lie in writable memory
template <class T, int N> struct count<vec<T, N>> { enum { value = N }; };
template <class V> struct element_of { typedef V type; };
template <class T, int N> struct element_of<vec<T, N>> { typedef T type; };
template <class V> using element = typename element_of<V>::type;
#define KW_LANES _Pragma("unroll") for (int k = 0; k < N; ++k)
// Lane by lane; a scalar beside a vector counts for every lane. Comparisons give masks of 32 bits, 0 or -1.
#define KW_OPERATOR(op) \
  template <class T, int N> inline vec<T, N> operator op(vec<T, N> a, vec<T, N> b) { KW_LANES a[k] = a[k] op b[k]; return a; } \
  template <class T, int N, class S> inline vec<T, N> operator op(vec<T, N> a, S b) { KW_LANES a[k] = a[k] op (T)b; return a; } \
  template <class T, int N, class S> inline vec<T, N> operator op(S a, vec<T, N> b) { KW_LANES b[k] = (T)a op b[k]; return b; }
#define KW_COMPARISON(op) \
  template <class T, int N> inline vec<i32, N> operator op(vec<T, N> a, vec<T, N> b) { vec<i32, N> m; KW_LANES m[k] = -(i32)(a[k] op b[k]); return m; } \
  template <class T, int N, class S> inline vec<i32, N> operator op(vec<T, N> a, S b) { vec<i32, N> m; KW_LANES m[k] = -(i32)(a[k] op (T)b); return m; } \
  template <class T, int N, class S> inline vec<i32, N> operator op(S a, vec<T, N> b) { vec<i32, N> m; KW_LANES m[k] = -(i32)((T)a op b[k]); return m; }
KW_OPERATOR(+) KW_OPERATOR(-) KW_OPERATOR(*) KW_OPERATOR(/) KW_OPERATOR(&) KW_OPERATOR(|) KW_OPERATOR(^)
KW_COMPARISON(<) KW_COMPARISON(<=) KW_COMPARISON(>) KW_COMPARISON(>=) KW_COMPARISON(==) KW_COMPARISON(!=)
template <class T, int N> inline vec<T, N> operator-(vec<T, N> a) { KW_LANES a[k] = -a[k]; return a; }
template <class T, int N> inline vec<T, N> operator~(vec<T, N> a) { KW_LANES a[k] = ~a[k]; return a; }
)";

constexpr const char* basic_text = R"(
template <class V, class S> inline V splat(S s) { constexpr int N = count<V>::value; V v; KW_LANES v[k] = (element<V>)s; return v; }
template <class W, class T, int N> inline W convert(vec<T, N> v) { W w; KW_LANES w[k] = (element<W>)v[k]; return w; }
template <class M, class T, int N> inline vec<T, N> select(M m, vec<T, N> a, vec<T, N> b) { KW_LANES a[k] = m[k] != 0 ? a[k] : b[k]; return a; }
template <class M> inline M mask(M m) { return m; }
template <class W, int N> inline W from_mask(vec<i32, N> m) { W w; KW_LANES w[k] = (element<W>)(m[k] != 0); return w; }
template <int N> inline bool all(vec<i32, N> m) { bool every = true; KW_LANES every = every && m[k] != 0; return every; }
template <class V, class I, class F> inline V lanes(I c, F f) { constexpr int N = count<V>::value; V v; KW_LANES v[k] = (element<V>)f(c + k); return v; }
template <class V, class M, class I, class F> inline V masked_lanes(M m, I c, F f) {
  constexpr int N = count<V>::value;
  V v;
  KW_LANES v[k] = m[k] != 0 ? (element<V>)f(c + k) : (element<V>)0;
  return v;
}
template <class V, class I> inline V ramp(I base, i64 stride) { constexpr int N = count<V>::value; V v; KW_LANES v[k] = (element<V>)(base + k * stride); return v; }
template <class M, class I> inline M within(I base, i32 stride, i32 limit) {
  constexpr int N = count<M>::value;
  M m;
  KW_LANES m[k] = -(i32)((u32)(i32)(base + k * stride) < (u32)limit);
  return m;
}
// A function of scalars, lane by lane.
template <class V, class F> inline V each(V x, F f) { return f(x); }
template <class T, int N, class F> inline vec<T, N> each(vec<T, N> x, F f) { KW_LANES x[k] = f(x[k]); return x; }
template <class V, class F> inline V each(V x, V y, F f) { return f(x, y); }
template <class T, int N, class F> inline vec<T, N> each(vec<T, N> x, vec<T, N> y, F f) { KW_LANES x[k] = f(x[k], y[k]); return x; }
template <class I> inline I floor_div(I a, i64 d) { const I q = a / (I)d; return q * (I)d > a ? q - 1 : q; }
template <class I> inline I floor_mod(I a, i64 d) { const I r = a % (I)d; return r < 0 ? r + (I)d : r; }
inline bool inside(i64 at, i64 limit) { return (u64)at < (u64)limit; }
inline bool inside(i32 at, i64 limit) { return (u32)at < (u32)limit; }
)";

constexpr const char* half_text = R"(
struct bf16 { u16 bits; };
struct f16 { u16 bits; };
template <class T> inline T value(T x) { return x; }
inline f32 value(bf16 h) { return __uint_as_float((u32)h.bits << 16); }
inline f32 value(f16 h) { f32 x; asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h.bits)); return x; }
inline bf16 to_bf16(f32 x) { bf16 h; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(h.bits) : "f"(x)); return h; }
inline f16 to_f16(f32 x) { f16 h; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h.bits) : "f"(x)); return h; }
template <class V> inline V as_bf16(V x) { return each(x, [](f32 v) { return value(to_bf16(v)); }); }
template <class V> inline V as_f16(V x) { return each(x, [](f32 v) { return value(to_f16(v)); }); }
)";

// Elements as they lie in memory, moved in as few accesses as their alignment allows.
constexpr const char* memory_text = R"(
template <class S, int N> struct packed { alignas(sizeof(S) * N < 16 ? sizeof(S) * N : 16) S element[N]; };
template <class S, int N> inline packed<S, N> fetch(const S* p) {
  packed<S, N> v;
  if constexpr (sizeof(v) % 16 == 0) { _Pragma("unroll") for (int k = 0; k < (int)sizeof(v) / 16; ++k) ((uint4*)v.element)[k] = ((const uint4*)p)[k]; }
  else if constexpr (sizeof(v) == 8) *(uint2*)v.element = *(const uint2*)p;
  else if constexpr (sizeof(v) == 4) *(u32*)v.element = *(const u32*)p;
  else if constexpr (sizeof(v) == 2) *(u16*)v.element = *(const u16*)p;
  else v.element[0] = p[0];
  return v;
}
template <class S, int N> inline void put(S* p, const packed<S, N>& v) {
  if constexpr (sizeof(v) % 16 == 0) { _Pragma("unroll") for (int k = 0; k < (int)sizeof(v) / 16; ++k) ((uint4*)p)[k] = ((const uint4*)v.element)[k]; }
  else if constexpr (sizeof(v) == 8) *(uint2*)p = *(const uint2*)v.element;
  else if constexpr (sizeof(v) == 4) *(u32*)p = *(const u32*)v.element;
  else if constexpr (sizeof(v) == 2) *(u16*)p = *(const u16*)v.element;
  else p[0] = v.element[0];
}
template <class T, class S> inline void assign(S& to, T from) { to = (S)from; }
inline void assign(bf16& to, f32 from) { to = to_bf16(from); }
inline void assign(f16& to, f32 from) { to = to_f16(from); }
// p is aligned to the whole vector, or to 16 bytes.
template <class V, class S> inline V load(const S* p) {
  constexpr int N = count<V>::value;
  const packed<S, N> raw = fetch<S, N>(p);
  V v;
  KW_LANES v[k] = (element<V>)value(raw.element[k]);
  return v;
}
template <class S, class T, int N> inline void store(S* p, vec<T, N> v) {
  packed<S, N> raw;
  KW_LANES assign(raw.element[k], v[k]);
  put(p, raw);
}
template <class M> inline M load_mask(const u8* p) { return load<M>(p) != 0; }
template <int N> inline void store_mask(u8* p, vec<i32, N> m) { store(p, m & 1); }
// Any alignment, any distance; registers too.
template <class V, class S> inline V load_each(const S* p) { constexpr int N = count<V>::value; V v; KW_LANES v[k] = (element<V>)value(p[k]); return v; }
template <class S, class T, int N> inline void store_each(S* p, vec<T, N> v) { KW_LANES assign(p[k], v[k]); }
template <class M> inline M load_mask_each(const u8* p) { return load_each<M>(p) != 0; }
template <int N> inline void store_mask_each(u8* p, vec<i32, N> m) { KW_LANES p[k] = (u8)(m[k] & 1); }
template <class V, class S> inline V load_strided(const S* p, i64 stride) { constexpr int N = count<V>::value; V v; KW_LANES v[k] = (element<V>)value(p[k * stride]); return v; }
template <class V, class S> inline V load_even(const S* p) { return load_strided<V>(p, 2); }
template <class V, class S> inline V load_reversed(const S* p) { return load_strided<V>(p, -1); }
template <class V, class M, class S> inline V load_masked(const S* p, M m) {
  constexpr int N = count<V>::value;
  V v;
  KW_LANES v[k] = m[k] != 0 ? (element<V>)value(p[k]) : (element<V>)0;
  return v;
}
template <class I, class T, int N, class F> inline void scatter(I c, vec<T, N> v, F write) { KW_LANES write(c + k, v[k]); }
)";

// Threads of a row: shuffles inside a warp, then one value a warp through shared memory. Every thread gets the result, and the
// order of the unions is fixed.
constexpr const char* combine_text = R"(
template <class P> inline P shuffle(u32 threads, P part, int step) {
  if constexpr (sizeof(P) == 8) return __builtin_bit_cast(P, __shfl_xor_sync(threads, __builtin_bit_cast(i64, part), step));
  else if constexpr (sizeof(P) == 4) return __builtin_bit_cast(P, __shfl_xor_sync(threads, __builtin_bit_cast(i32, part), step));
  else return (P)__shfl_xor_sync(threads, (i32)part, step);
}
template <int T, class F, class... P> inline void combine(F unite, P&... part) {
  constexpr int width = T < 32 ? T : 32;
  const int lane = threadIdx.x % 32;
  const u32 threads = T < 32 ? ((1u << (T % 32)) - 1) << ((threadIdx.x + threadIdx.y * T) % 32 / width * width) : ~0u;
#pragma unroll
  for (int step = width / 2; step > 0; step /= 2) unite(part..., shuffle(threads, part, step)...);
  if constexpr (T > 32) {
    __shared__ u64 partial[sizeof...(P)][T / 32];
    int k = 0;
    __syncthreads();
    if (lane == 0) ((*(P*)&partial[k++][threadIdx.x / 32] = part), ...);
    __syncthreads();
    k = 0;
    ((part = *(const P*)&partial[k++][lane % (T / 32)]), ...);
#pragma unroll
    for (int step = T / 64; step > 0; step /= 2) unite(part..., shuffle(~0u, part, step)...);
  }
}
)";

// Rows of threads, X in each: halves of the rows meet in shared memory, then everybody reads the whole. This order is fixed, too.
constexpr const char* combine_rows_text = R"(
template <class P> inline P& slot(u8*& memory, int slots, int at) {
  P* const first = (P*)memory;
  memory += (slots * (int)sizeof(P) + 15) / 16 * 16;
  return first[at];
}
template <int X, int Y, class F, class... P> inline void combine_rows(u8* unions, F unite, P&... part) {
  constexpr int slots = X * Y / 2;
  const int x = threadIdx.x, y = threadIdx.y;
  const auto leave = [&](int row) { u8* memory = unions; ((slot<P>(memory, slots, row * X + x) = part), ...); };
  const auto unite_with = [&](int row, P... other) {
    u8* memory = unions;
    ((other = slot<P>(memory, slots, row * X + x)), ...);
    unite(part..., other...);
  };
#pragma unroll
  for (int half = Y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (y >= half && y < 2 * half) leave(y - half);
    __syncthreads();
    if (y < half) unite_with(y, part...);
  }
  __syncthreads();
  if (y == 0) leave(0);
  __syncthreads();
  u8* memory = unions;
  ((part = slot<P>(memory, slots, x)), ...);
}
)";

constexpr const char* arithmetic_text = R"(
template <class V> inline V maximum(V a, V b) {           // a NaN on either side gives NaN
  return each(a, b, [](auto x, auto y) { return x != x ? x : x > y ? x : y > x || y != y ? y : x; });
}
template <class V> inline V minimum(V a, V b) { return each(a, b, [](auto x, auto y) { return x != x ? x : x < y ? x : y < x || y != y ? y : x; }); }
inline f32 maximum(f32 a, f32 b) { f32 m; asm("max.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b)); return m; }
inline f32 minimum(f32 a, f32 b) { f32 m; asm("min.NaN.f32 %0, %1, %2;" : "=f"(m) : "f"(a), "f"(b)); return m; }
template <int N> inline vec<f32, N> maximum(vec<f32, N> a, vec<f32, N> b) { KW_LANES a[k] = maximum(a[k], b[k]); return a; }
template <int N> inline vec<f32, N> minimum(vec<f32, N> a, vec<f32, N> b) { KW_LANES a[k] = minimum(a[k], b[k]); return a; }
inline f32 absolute1(f32 x) { return fabsf(x); }
inline f64 absolute1(f64 x) { return fabs(x); }
inline i32 absolute1(i32 x) { return x < 0 ? (i32)(0u - (u32)x) : x; }
inline i64 absolute1(i64 x) { return x < 0 ? (i64)(0ull - (u64)x) : x; }
template <class V> inline V absolute(V x) { return each(x, [](auto v) { return absolute1(v); }); }
template <class V> inline V sign_of(V x) { return each(x, [](auto v) { return (decltype(v))((v > 0) - (v < 0)); }); }
inline f32 root1(f32 x) { return sqrtf(x); }
inline f64 root1(f64 x) { return sqrt(x); }
template <class V> inline V square_root(V x) { return each(x, [](auto v) { return root1(v); }); }
template <int mode> inline f32 rounded1(f32 x) { return mode == 0 ? rintf(x) : mode == 1 ? floorf(x) : mode == 2 ? ceilf(x) : truncf(x); }
template <int mode> inline f64 rounded1(f64 x) { return mode == 0 ? rint(x) : mode == 1 ? floor(x) : mode == 2 ? ceil(x) : trunc(x); }
template <int mode, class V> inline V rounded(V x) { return each(x, [](auto v) { return rounded1<mode>(v); }); }
template <class V> inline V trunc_divide(V x, V y) { return rounded<3>(x / y); }
inline f32 fmod1(f32 x, f32 y) { return fmodf(x, y); }
inline f64 fmod1(f64 x, f64 y) { return fmod(x, y); }
template <class V> inline V fmod_of(V x, V y) { return each(x, y, [](auto a, auto b) { return fmod1(a, b); }); }
template <class V> inline V remainder_of(V x, V y) {      // as Python: the sign of the divisor
  return each(x, y, [](auto a, auto b) {
    const auto r = fmod1(a, b);
    return r != 0 && (b < 0) != (r < 0) ? r + b : r;
  });
}
template <class V> inline V floor_divide(V x, V y) {
  return each(x, y, [](auto a, auto b) {
    typedef decltype(a) T;
    const T r = fmod1(a, b);
    T q = (a - r) / b;
    if (r != 0 && (b < 0) != (r < 0)) q -= 1;
    const T down = rounded1<1>(q);
    const T near = q - down > (T)0.5 ? down + 1 : down;
    return b == 0 ? a / b : q == 0 ? a / b * 0 : near;
  });
}
)";

constexpr const char* integer_text = R"(
template <class T> inline T quotient1(T a, T b) { return b == 0 ? 0 : b == -1 ? (T)(0 - (u64)a) : a / b; }
template <class T> inline T rest1(T a, T b) { return b == 0 || b == -1 ? 0 : a % b; }
template <class T> inline T floor_quotient1(T a, T b) { const T r = rest1(a, b); return quotient1(a, b) - (r != 0 && (r < 0) != (b < 0)); }
template <class T> inline T floor_rest1(T a, T b) { const T r = rest1(a, b); return r != 0 && (r < 0) != (b < 0) ? r + b : r; }
template <class T> inline T power1(T a, T b) {
  if (b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  u64 result = 1, base = (u64)a;
  for (; b > 0; b >>= 1, base *= base) if (b & 1) result *= base;
  return (T)result;
}
template <class T> inline T shift_left1(T a, T b) { return b < 0 || b >= (T)(8 * sizeof(T)) ? 0 : (T)((u64)a << b); }
template <class T> inline T shift_right1(T a, T b) { return a >> (b < 0 || b >= (T)(8 * sizeof(T)) ? 8 * sizeof(T) - 1 : b); }
#define KW_INTEGER(name) template <class V> inline V name(V a, V b) { return each(a, b, [](auto x, auto y) { return name##1(x, y); }); }
KW_INTEGER(quotient) KW_INTEGER(rest) KW_INTEGER(floor_quotient) KW_INTEGER(floor_rest) KW_INTEGER(power)
KW_INTEGER(shift_left) KW_INTEGER(shift_right)
#undef KW_INTEGER
)";

constexpr const char* poly_text = R"(
inline f32 poly(f32, f32 c) { return c; }
template <class... C> inline f32 poly(f32 x, f32 c, C... rest) { return fmaf(x, poly(x, rest...), c); }
)";

// erf: coefficients of emit/vector_math_f32.cpp, two ranges blended; CUDA's own erff has a branch and takes twice as long.
constexpr const char* erf_text = R"(
inline f32 erf1(f32 x) {                                  // 1.5 ulp
  const f32 size = fabsf(x), t = x * x;
  const f32 small = fmaf(x, poly(t, 0.12837917f, -0.37612626f, 0.11283579f, -0.026853347f, 0.0051871627f, -0.00079978665f, 7.8069956e-05f), x);
  const f32 s = fminf(size, 3.95f) - 2.5f;                // erf rounds to 1 from 3.92 on
  f32 q = poly(s, 0.14203194f, -0.19006777f, 0.0936312f, -0.012263048f, -0.006397775f, 0.002759387f, -6.36572e-06f, -0.00026698646f, -2.2179194e-05f);
  q = q * q;
  const f32 large = copysignf(fmaf(-q, q, 1.0f), x);
  return size < 1 ? small : size >= 1 ? large : x;        // NaN stays
}
template <class V> inline V erf_f32(V x) { return each(x, [](f32 v) { return erf1(v); }); }
)";

// 1 + erf(x), which is erfc(-x): 2^p of a polynomial p near log2(erfc(|x|)), as far from it as rounding 1 + erf is. Half the instructions
// of erf, whose small results need relative accuracy.
constexpr const char* one_plus_erf_text = R"(
inline f32 one_plus_erf1(f32 x) {                         // absolute error below 2.4e-7
  const f32 size = fabsf(x);
  const f32 p = size * poly(size, -1.62790859f, -0.918416393f, -0.148481615f, 0.0282536806f, -0.000774629177f, -0.00148944186f, 0.000445507696f, -4.53586018e-05f);
  f32 tail;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(tail) : "f"(p));
  return x < 0 ? tail : 2.0f - tail;
}
template <class V> inline V one_plus_erf_f32(V x) { return each(x, [](f32 v) { return one_plus_erf1(v); }); }
)";

constexpr const char* sigmoid_text = R"(
inline f32 sigmoid1(f32 x) { const f32 e = expf(-fabsf(x)); return __fdividef(x < 0 ? e : 1.0f, 1.0f + e); }
inline f64 sigmoid1(f64 x) { const f64 e = exp(-fabs(x)); return (x < 0 ? e : 1.0) / (1.0 + e); }
template <class V> inline V sigmoid_f32(V x) { return each(x, [](f32 v) { return sigmoid1(v); }); }
template <class V> inline V sigmoid_f64(V x) { return each(x, [](f64 v) { return sigmoid1(v); }); }
)";

std::string function_of_one(const std::string& name) {
  std::string text;
  for (const std::string type : {"f32", "f64"})
    text += "template <class V> inline V " + name + "_" + type + "(V x) { return each(x, [](" + type + " v) { return " + name + (type == "f32" ? "f" : "") + "(v); }); }\n";
  return text;
}

std::string function_of_two(const std::string& name) {
  std::string text;
  for (const std::string type : {"f32", "f64"})
    text += "template <class V> inline V " + name + "_" + type + "(V x, V y) { return each(x, y, [](" + type + " a, " + type + " b) { return " + name +
            (type == "f32" ? "f" : "") + "(a, b); }); }\n";
  return text;
}

}  // namespace

const std::vector<Snippet>& cuda_snippets() {
  static std::vector<std::string> made;
  static const std::vector<Snippet> table = [] {
    std::vector<Snippet> rows = {
        {"f32", nullptr, "typedef float f32;\n"},
        {"f64", nullptr, "typedef double f64;\n"},
        {"i64", nullptr, "typedef long long i64;\n"},
        {"i32", nullptr, "typedef int i32;\n"},
        {"i16", nullptr, "typedef short i16;\n"},
        {"i8", nullptr, "typedef signed char i8;\n"},
        {"u64", nullptr, "typedef unsigned long long u64;\n"},
        {"u32", nullptr, "typedef unsigned u32;\n"},
        {"u16", nullptr, "typedef unsigned short u16;\n"},
        {"u8", nullptr, "typedef unsigned char u8;\n"},
        {"__builtin_inff", nullptr, "#define __builtin_inff() __int_as_float(0x7f800000)\n"},
        {"__builtin_inf", nullptr, "#define __builtin_inf() __longlong_as_double(0x7ff0000000000000)\n"},
        {"__builtin_nanf", nullptr, "#define __builtin_nanf(text) __int_as_float(0x7fc00000)\n"},
        {"__builtin_nan", nullptr, "#define __builtin_nan(text) __longlong_as_double(0x7ff8000000000000)\n"},
        {"vec count element KW_LANES", nullptr, vec_text},
        {"vector types", nullptr, ""},
        {"splat convert select mask from_mask all lanes masked_lanes ramp within each floor_div floor_mod inside", nullptr, basic_text},
        {"bf16 f16 value to_bf16 to_f16 as_bf16 as_f16", nullptr, half_text},
        {"load store load_mask store_mask load_each store_each load_mask_each store_mask_each load_strided load_even load_reversed "
         "load_masked scatter packed fetch put assign", nullptr, memory_text},
        {"maximum minimum absolute sign_of square_root rounded trunc_divide fmod_of remainder_of floor_divide", nullptr, arithmetic_text},
        {"quotient rest floor_quotient floor_rest power shift_left shift_right", nullptr, integer_text},
        {"combine shuffle", nullptr, combine_text},
        {"combine_rows slot", nullptr, combine_rows_text},
        {"poly", nullptr, poly_text},
        {"erf_f32", nullptr, erf_text},
        {"one_plus_erf_f32", nullptr, one_plus_erf_text},
        {"one_plus_erf_f64", nullptr, "template <class V> inline V one_plus_erf_f64(V x) { return each(x, [](f64 v) { return erfc(-v); }); }\n"},
        {"erf_f64", nullptr, "template <class V> inline V erf_f64(V x) { return each(x, [](f64 v) { return erf(v); }); }\n"},
        {"sigmoid_f32 sigmoid_f64", nullptr, sigmoid_text},
    };
    static const char* const one[] = {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan", "tanh", "erfc"};
    static const char* const two[] = {"pow", "atan2"};
    made.reserve(2 * (std::size(one) + std::size(two)));
    const auto add = [&](const std::string& name, std::string text) {
      made.push_back(name + "_f32 " + name + "_f64");
      made.push_back(std::move(text));
      rows.push_back({made[made.size() - 2].c_str(), nullptr, made.back().c_str()});
    };
    for (const char* name : one) add(name, function_of_one(name));
    for (const char* name : two) add(name, function_of_two(name));
    return rows;
  }();
  return table;
}

}  // namespace kw::kernel
