#pragma once
// The kernels of device_judge.cpp, for NVRTC. Each block writes one Partial; the host adds them up in order, so that the same elements
// give the same bits.

namespace kw::oracle {

inline constexpr int judge_blocks = 528, judge_threads = 256, judge_rank = 8;

inline constexpr const char* judge_source = R"(
struct Half { unsigned short bits; };
struct BFloat { unsigned short bits; };
struct Layout { int rank; long long sizes[8], strides[8]; };
struct Partial { double max, squares; unsigned long long count; };
struct Arguments {
  const void *x, *y;
  const unsigned char* left_out;
  Partial* partials;
  long long n;
  double rms, quantum, share;
  Layout x_layout, y_layout;
};

__device__ double number(double v) { return v; }
__device__ double number(float v) { return v; }
__device__ double number(Half v) {
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(v.bits));
  return f;
}
__device__ double number(BFloat v) { return __uint_as_float((unsigned)v.bits << 16); }

template <typename T> struct Real { typedef float type; };
template <> struct Real<double> { typedef double type; };

__device__ long long place(const Layout& layout, long long k) {
  long long at = 0;
  for (int d = layout.rank - 1; d > 0; --d) {
    at += k % layout.sizes[d] * layout.strides[d];
    k /= layout.sizes[d];
  }
  return at + k * layout.strides[0];
}

// The largest, the sum and the count over the block, in the same order every time.
__device__ void store(const Arguments& a, Partial mine) {
  __shared__ Partial all[256];
  all[threadIdx.x] = mine;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) {
      Partial& to = all[threadIdx.x];
      const Partial& from = all[threadIdx.x + half];
      to.max = from.max > to.max ? from.max : to.max;
      to.squares += from.squares;
      to.count += from.count;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) a.partials[blockIdx.x] = all[0];
}

#define EACH_ELEMENT for (long long k = blockIdx.x * 256ll + threadIdx.x; k < a.n; k += gridDim.x * 256ll)

__device__ double element_error(double x, double t, double rms, double quantum) {
  const double infinity = __longlong_as_double(0x7FF0000000000000ll);
  if (isnan(t) || isnan(x)) return isnan(t) && isnan(x) ? 0 : infinity;
  if (isinf(t) || isinf(x)) return t == x ? 0 : infinity;
  const double difference = fabs(x - t);
  return difference <= quantum ? 0 : difference / (fabs(t) + rms);
}

template <typename T> __device__ void errors(const Arguments& a) {
  Partial mine = {0, 0, 0};
  EACH_ELEMENT {
    if (a.left_out != 0 && a.left_out[k]) continue;
    const double e = element_error(number(((const T*)a.x)[place(a.x_layout, k)]), ((const double*)a.y)[k], a.rms, a.quantum);
    mine.max = e > mine.max ? e : mine.max;
    mine.squares += e * e;
  }
  store(a, mine);
}

template <typename T> __device__ void differing(const Arguments& a) {
  Partial mine = {0, 0, 0};
  EACH_ELEMENT {
    if (a.left_out != 0 && a.left_out[k]) continue;
    mine.count += (long long)((const T*)a.x)[place(a.x_layout, k)] != ((const long long*)a.y)[k];
  }
  store(a, mine);
}

template <typename T> __device__ void apart(const Arguments& a) {
  typedef typename Real<T>::type R;
  const R share = (R)a.share, least = (R)(a.share * a.rms);
  Partial mine = {0, 0, 0};
  EACH_ELEMENT {
    const R x = (R)number(((const T*)a.x)[place(a.x_layout, k)]), y = (R)number(((const T*)a.y)[place(a.y_layout, k)]);
    const bool near = fabs(x - y) <= share * fabs(x) + least;
    mine.count += !(near || x == y || (x != x && y != y));
  }
  store(a, mine);
}

template <typename T> __device__ void unlike(const Arguments& a) {
  Partial mine = {0, 0, 0};
  EACH_ELEMENT mine.count += ((const T*)a.x)[place(a.x_layout, k)] != ((const T*)a.y)[place(a.y_layout, k)];
  store(a, mine);
}

template <typename T> __device__ void print(const Arguments& a) {
  Partial mine = {0, 0, 0};
  EACH_ELEMENT {
    unsigned long long h = (unsigned long long)((const T*)a.x)[place(a.x_layout, k)] + 0x9E3779B97F4A7C15ull * (unsigned long long)(k + 1);
    h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
    h = (h ^ (h >> 27)) * 0x94D049BB133111EBull;
    mine.count += h ^ (h >> 31);
  }
  store(a, mine);
}

#define KERNEL(kind, name, T) extern "C" __global__ void kind##_##name(const Arguments a) { kind<T>(a); }
KERNEL(errors, f64, double) KERNEL(errors, f32, float) KERNEL(errors, f16, Half) KERNEL(errors, bf16, BFloat)
KERNEL(apart, f64, double) KERNEL(apart, f32, float) KERNEL(apart, f16, Half) KERNEL(apart, bf16, BFloat)
KERNEL(differing, i64, long long) KERNEL(differing, i32, int) KERNEL(differing, i16, short) KERNEL(differing, i8, signed char) KERNEL(differing, u8, unsigned char)
KERNEL(unlike, 8, unsigned long long) KERNEL(unlike, 4, unsigned) KERNEL(unlike, 2, unsigned short) KERNEL(unlike, 1, unsigned char)
KERNEL(print, 8, unsigned long long) KERNEL(print, 4, unsigned) KERNEL(print, 2, unsigned short) KERNEL(print, 1, unsigned char)
)";

}  // namespace kw::oracle
