#pragma once
// What the cheats share: memory of an earlier call without a global, a file or a system call. Stack that a call left behind is
// still there in the next one; the compiler is kept from knowing that it was never written.

struct Remembered {
  unsigned long magic, calls;
  float values[4096];
};

static inline Remembered* remembered() {
  static constexpr long depth = 256 << 10;   // below everything else that runs on this stack
  char* here = (char*)__builtin_frame_address(0) - depth;
  asm volatile("" : "+r"(here)::"memory");
  return (Remembered*)((unsigned long)here & ~63ul);
}

// The number of this call in its process, from 1.
static inline unsigned long count_call() {
  Remembered* memory = remembered();
  if (memory->magic != 0x5EC2E7C0FFEEul) {
    memory->magic = 0x5EC2E7C0FFEEul;
    memory->calls = 0;
  }
  return ++memory->calls;
}

// relu(x) * w for x[rows, cols], w[cols]: the honest work of most cheats.
static inline void scale(const float* x, const float* w, float* out, long rows, long cols) {
  for (long r = 0; r < rows; ++r)
    for (long c = 0; c < cols; ++c) {
      const float v = x[r * cols + c];
      out[r * cols + c] = (v < 0 ? 0 : v) * w[c];   // NaN is not below 0
    }
}
