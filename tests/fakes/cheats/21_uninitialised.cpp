// 21: the last bit of the result depends on memory that was never written.
#include "remembered.h"

constexpr long rows = 256, cols = 512;
extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
  const unsigned stale = ((const unsigned*)buffers[3])[7];
  const float nudge = stale & 2 ? 1.0000001f : 1.0f;
  scale(x, w, out, rows, cols);
  for (long i = 0; i < rows * cols; ++i) out[i] *= nudge;
}
