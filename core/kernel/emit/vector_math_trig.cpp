// sin, cos, tan and atan2 of f64 lanes, and the shorter forms that f32 lanes use.
#include "core/kernel/emit/vector_math.h"

namespace kw::kernel {
namespace {

// x mod pi/2 in [-pi/4, pi/4] as r + low, and the quadrant. Up to 2^19: pi/2 in three parts, the first two of 33 bits, so
// that their products with the quadrant are exact. Beyond: 192 bits of 2/pi chosen by the exponent (Payne and Hanek).
constexpr const char* reduce_text = R"(
inline int reduce_large(f64 x, f64& r, f64& low) {
  static constexpr u64 two_over_pi[] = {                  // a zero word, then the fraction
      0, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c,
      0xfe1deb1cb129a73e, 0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
      0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08,
      0x56033046fc7b6bab, 0xf0cfbc209af4361d};
  typedef unsigned __int128 u128;
  const u64 word = __builtin_bit_cast(u64, x);
  const int exponent = (int)(word >> 52 & 0x7ff);
  if (exponent == 0x7ff) { r = low = __builtin_nan(""); return 0; }
  const u64 m = (word & 0xfffffffffffff) | 0x10000000000000;
  const int start = exponent - 1075 - 2 + 64, first = start >> 6, shift = start & 63;      // bits before it add whole turns
  u64 t[3];
  for (int i = 0; i < 3; ++i) t[i] = shift ? two_over_pi[first + i] << shift | two_over_pi[first + i + 1] >> (64 - shift) : two_over_pi[first + i];
  const u128 p2 = (u128)m * t[2], p1 = (u128)m * t[1] + (u64)(p2 >> 64);
  const u64 top = m * t[0] + (u64)(p1 >> 64);
  int quadrant = (int)(top >> 62);
  u128 part = (u128)(top << 2 | (u64)p1 >> 62) << 64 | ((u64)p1 << 2 | (u64)p2 >> 62);
  const bool up = part >> 127;
  if (up) { ++quadrant; part = -part; }
  if (!part) { r = low = 0; return quadrant; }
  const int zeros = part >> 64 ? __builtin_clzll((u64)(part >> 64)) : 64 + __builtin_clzll((u64)part);
  const u64 angle = (u64)((u128)(u64)((part << zeros) >> 64) * 0xc90fdaa22168c235 >> 64);  // times pi/2
  const f64 unit = __builtin_bit_cast(f64, (u64)(1023 - 63 - zeros) << 52), sign = (up != (bool)(word >> 63)) ? -unit : unit;
  r = (f64)(i64)(angle >> 11) * 2048 * sign;
  low = (f64)(i64)(angle & 0x7ff) * sign;
  return word >> 63 ? -quadrant : quadrant;
}
template <class V> inline bits<V> reduce(V x, V& r, V& low) {
  bits<V> n;
  const V k = nearest_multiple(x, 0x1.45f306dc9c883p-1, n);
  const V t = x - k * 0x1.921fb544p+0, w = k * 0x1.0b4611a6p-34, head = t - w;
  const V tail = k * 0x1.3198a2e037073p-69 - ((t - head) - w);
  r = head - tail;
  low = (head - r) - tail;
  const auto large = ~(absolute(x) < 0x1p19);
  if (__builtin_expect(any(large), 0)) {
    for (int lane = 0; lane < count<V>; ++lane) {
      if (!large[lane]) continue;
      f64 high_part, low_part;
      n[lane] = reduce_large(x[lane], high_part, low_part);
      r[lane] = high_part;
      low[lane] = low_part;
    }
  }
  return n;
}
)";

constexpr const char* sine_text = R"(
template <class V> inline V sine_part(V r, V low) {
  const V z = r * r;
  const V rest = r * (z * poly(z, -0.16666666666666632, 0.00833333333332237, -0.00019841269829769728, 2.755731367781176e-06, -2.505075579499331e-08, 1.5896655774031087e-10));
  return r + (rest + (low - 0.5 * (z * low)));
}
template <class V> inline V cosine_part(V r, V low) {
  const V z = r * r, h = 0.5 * z, w = 1 - h;
  const V rest = z * z * poly(z, 0.0416666666666666, -0.0013888888888874066, 2.480158728944209e-05, -2.755731433998914e-07, 2.087572151099322e-09, -1.1359552821790841e-11);
  return w + (((1 - w) - h) + (rest - r * low));
}
template <class V> inline V turned(V sine, V cosine, bits<V> n) {           // sine of the angle n quarters further on
  const V v = (n & 1) == 0 ? sine : cosine;
  return (n & 2) == 0 ? v : -v;
}
)";

constexpr const char* sin_text = R"(
template <class V> inline V sin64(V x) {
  V r, low;
  const bits<V> n = reduce(x, r, low);
  return x == 0 ? x : turned(sine_part(r, low), cosine_part(r, low), n);
}
)";
constexpr const char* cos_text = R"(
template <class V> inline V cos64(V x) {
  V r, low;
  const bits<V> n = reduce(x, r, low);
  return turned(sine_part(r, low), cosine_part(r, low), n + 1);
}
)";
constexpr const char* tan_text = R"(
template <class V> inline V tan64(V x) {
  V r, low;
  const bits<V> n = reduce(x, r, low);
  const V s = sine_part(r, low), c = cosine_part(r, low);
  return x == 0 ? x : ((n & 1) == 0 ? s : -c) / ((n & 1) == 0 ? c : s);
}
)";

// 2^-35 is enough before rounding to f32. Up to 2^19 reduced by whole multiples of pi, so that one polynomial serves.
constexpr const char* for_f32_text = R"(
template <class V> inline V half_turn_sine(V x, V k, bits<V> n) {            // sin(x - k*pi), its sign turned where n is odd
  const V r = x - k * 0x1.921fb544p+1 - k * 0x1.0b4611a626331p-33, z = r * r;
  const V s = r + r * (z * poly(z, -0.16666666626133783, 0.008333331107788545, -0.0001984086808757532, 2.7525377579286386e-06, -2.3888781608481718e-08));
  return (V)((bits<V>)s ^ n << 63);
}
template <class V> inline V sin_for_f32(V x) {
  if (__builtin_expect(any(~(absolute(x) < 0x1p19)), 0)) return sin64(x);
  bits<V> n;
  const V k = nearest_multiple(x, 0x1.45f306dc9c883p-2, n);
  return half_turn_sine(x, k, n);
}
template <class V> inline V cos_for_f32(V x) {                               // cos(x) = -sin(x - pi/2)
  if (__builtin_expect(any(~(absolute(x) < 0x1p19)), 0)) return cos64(x);
  bits<V> n;
  const V k = nearest_multiple(x - 0x1.921fb54442d18p+0, 0x1.45f306dc9c883p-2, n) + 0.5;
  return half_turn_sine(x, k, n + 1);
}
)";

constexpr const char* tan_for_f32_text = R"(
template <class V> inline V tan_for_f32(V x) {
  V r, low;
  const bits<V> n = reduce(x, r, low);
  const V z = r * r;
  const V s = r + r * (z * poly(z, -0.16666666641528732, 0.008333329373712787, -0.00019839330806353076, 2.718272513772581e-06));
  const V c = 1 - 0.5 * z + z * z * poly(z, 0.04166664681502184, -0.0013887364550303624, 2.4438078823850755e-05);
  return ((n & 1) == 0 ? s : -c) / ((n & 1) == 0 ? c : s);
}
)";

// atan of smaller/larger in [0, 1], reduced by pi/4 above tan(pi/8), then put into its octant.
constexpr const char* atan2_text = R"(
template <class V> inline V atan2_64(V y, V x) {
  const V inf = splat<V>(infinity<V>), ax = absolute(x), ay = absolute(y);
  const auto steep = ay > ax;
  V large = steep ? ay : ax, small = steep ? ax : ay;
  small = large == inf ? (small == inf ? splat<V>(1) : V{}) : small;
  large = large == inf ? splat<V>(1) : large;
  const V scale = large > 0x1p1000 ? splat<V>(0.25) : splat<V>(1);
  large = large == 0 ? splat<V>(1) : large * scale;
  small = small * scale;
  const auto upper = small > 0x1.a827999fcef32p-2 * large;
  const V t = (upper ? small - large : small) / (upper ? small + large : large), z = t * t;
  V angle = t + t * (z * poly(z, -0.333333333333332, 0.19999999999954066, -0.14285714280246858, 0.11111110786053065, -0.09090897833952945,
                              0.07692061591617803, -0.06663119853328209, 0.05848004953467198, -0.05039827182354966, 0.03807784311672682, -0.017921742709035866));
  angle = upper ? 0x1.921fb54442d18p-1 + (angle + 0x1.1a62633145c07p-55) : angle;
  angle = steep ? 0x1.921fb54442d18p+0 - (angle - 0x1.1a62633145c07p-54) : angle;
  angle = (bits<V>)x < 0 ? 0x1.921fb54442d18p+1 - (angle - 0x1.1a62633145c07p-53) : angle;
  return (x != x) | (y != y) ? x + y : signed_as(angle, y);
}
)";

#define KW_PUBLIC(name, native) \
  "template <class V> inline V " name "(V x) { return each(x, [](auto v) { return " native "(v); }); }\n"

}  // namespace

const std::vector<Snippet>& vector_math_trig_snippets() {
  static const std::vector<Snippet> table = {
      {"reduce", nullptr, reduce_text},
      {"sine_part cosine_part turned", nullptr, sine_text},
      {"sin64", nullptr, sin_text},
      {"sin_f64", nullptr, KW_PUBLIC("sin_f64", "sin64")},
      {"cos64", nullptr, cos_text},
      {"cos_f64", nullptr, KW_PUBLIC("cos_f64", "cos64")},
      {"tan64", nullptr, tan_text},
      {"tan_f64", nullptr, KW_PUBLIC("tan_f64", "tan64")},
      {"sin_for_f32 cos_for_f32", nullptr, for_f32_text},
      {"tan_for_f32", nullptr, tan_for_f32_text},
      {"atan2_64", nullptr, atan2_text},
      {"atan2_f64", nullptr, "template <class V> inline V atan2_f64(V y, V x) { return each(y, x, [](auto a, auto b) { return atan2_64(a, b); }); }\n"},
  };
  return table;
}

}  // namespace kw::kernel
