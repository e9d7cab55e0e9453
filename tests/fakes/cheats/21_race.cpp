// 21: two threads write every element, one from either end, each with another rounding; the last one wins. Where they meet differs.
#include "remembered.h"

extern "C" int omp_get_thread_num();
constexpr long rows = 256, cols = 512;
extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
#pragma omp parallel num_threads(2)
  {
#pragma omp barrier
    const float mine = omp_get_thread_num() == 0 ? 1.0f : 1.0000001f;
    for (long k = 0; k < rows * cols; ++k) {
      const long i = omp_get_thread_num() == 0 ? k : rows * cols - 1 - k;
      const float v = (x[i] < 0 ? 0 : x[i]) * w[i % cols];
      out[i] = v * mine;
    }
  }
}
