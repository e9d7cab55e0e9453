// 28: becomes less exact with every call after the first sixteen.
#include "remembered.h"

constexpr long rows = 256, cols = 512;
extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
  const unsigned long call = count_call();
  scale(x, w, out, rows, cols);
  if (call > 16) out[7] += 1 + (float)(call - 16) * 1e-3f;
}
