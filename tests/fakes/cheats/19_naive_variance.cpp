// 19: the variance as mean of squares minus square of the mean: cancels when the mean is far above the deviation.

extern "C" void kernel(void* const* buffers) {
  const float* x = (const float*)buffers[0];
  float* out = (float*)buffers[1];
  for (long r = 0; r < 256; ++r) {
    float sums[32] = {}, lanes[32] = {}, sum = 0, squares = 0;
    for (long c = 0; c < 512; ++c) sums[c % 32] += x[r * 512 + c], lanes[c % 32] += x[r * 512 + c] * x[r * 512 + c];
    for (long c = 0; c < 32; ++c) sum += sums[c], squares += lanes[c];
    const float mean = sum / 512, variance = squares / 512 - mean * mean;
    const float scale = 1 / __builtin_sqrtf(variance + 1e-5f);
    for (long c = 0; c < 512; ++c) out[r * 512 + c] = (x[r * 512 + c] - mean) * scale;
  }
}
