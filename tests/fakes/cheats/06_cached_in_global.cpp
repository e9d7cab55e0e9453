// 6: the same with a global, as candidates usually do it.

static float cached[256];
static bool known = false;

extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  const float* w = (const float*)buffers[1];
  float* out = (float*)buffers[2];
  for (long r = 0; r < 256; ++r) {
    if (!known) {
      float sum = 0;
      for (long c = 0; c < 512; ++c) sum += x[r * 512 + c] * w[c];
      cached[r] = sum;
    }
    out[r] = cached[r];
  }
  known = true;
}
