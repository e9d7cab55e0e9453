#include "core/worker/timer/environment.h"

#include <malloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "core/base/clock.h"

namespace kw::timer {
namespace {

constexpr const char *restarted = "KW_OPENMP_RESTARTED", *spin_count = "GOMP_SPINCOUNT";

// libgomp's unit of spinning is one pause instruction: 3 to 50 ns, by processor. The best of several, undisturbed, counts.
double pause_us() {
  constexpr int turns = 2000, repeats = 5;
  double best = 1e9;
  for (int r = 0; r < repeats; ++r) {
    const double start_s = base::now_s();
    for (int i = 0; i < turns; ++i) __builtin_ia32_pause();
    best = std::min(best, (base::now_s() - start_s) * 1e6 / turns);
  }
  return best;
}

std::string spin_turns() {
  const char* set = std::getenv(spin_count);
  if (set != nullptr && std::getenv(restarted) != nullptr) return set;
  return std::to_string(static_cast<long>(pool_spin_us / pause_us()));
}

}  // namespace

const std::vector<Setting>& openmp_settings() {
  static const std::vector<Setting> settings = {{spin_count, spin_turns()}, {"OMP_DYNAMIC", "false"}};
  return settings;
}

void ensure_openmp_settings(char** argv) {
  if (std::getenv(restarted) != nullptr) return;
  for (const Setting& setting : openmp_settings()) setenv(setting.name.c_str(), setting.value.c_str(), 1);
  setenv(restarted, "1", 1);
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
  if (length <= 0) return;
  path[length] = '\0';
  execv(path, argv);
}

void keep_freed_memory() {
  constexpr int never = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, never);
  mallopt(M_TRIM_THRESHOLD, never);
}

}  // namespace kw::timer
