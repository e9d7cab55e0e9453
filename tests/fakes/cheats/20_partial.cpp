// 20: computes the columns up to a multiple of 48 and zeroes the rest.
#include "remembered.h"

constexpr long rows = 256, cols = 512;
extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < cols; ++c) {
      const float v = x[r * cols + c];
      out[r * cols + c] = c < cols / 48 * 48 ? (v < 0 ? 0 : v) * w[c] : 0;
    }
}
