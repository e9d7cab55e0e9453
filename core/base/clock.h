#pragma once
// Seconds of CLOCK_MONOTONIC: one time line for all processes of this machine.

#include <time.h>

namespace kw::base {

inline double now_s() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace kw::base
