// 21: two threads write every element, each with another rounding; the last one wins.
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
    for (long i = 0; i < rows * cols; ++i) {
      const float v = (x[i] < 0 ? 0 : x[i]) * w[i % cols];
      out[i] = v * mine;
    }
  }
}
