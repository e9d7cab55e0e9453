// 20: writes a row past the end of its output, far enough to leave the page.
#include "remembered.h"

constexpr long rows = 256, cols = 512;
extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
  scale(x, w, out, rows, cols);
  for (long c = 0; c < 8 * cols; ++c) out[rows * cols + c] = 1;
}
