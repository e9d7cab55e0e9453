// 10: works in place and copies.
#include "remembered.h"

constexpr long rows = 256, cols = 512;
extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
  float* in_place = (float*)x;
  for (long i = 0; i < rows * cols; ++i) in_place[i] = (x[i] < 0 ? 0 : x[i]) * w[i % cols];
  for (long i = 0; i < rows * cols; ++i) out[i] = in_place[i];
}
