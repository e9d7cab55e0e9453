#include "core/worker/timer/environment.h"

#include <malloc.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace kw::timer {
namespace {

// About 50 µs of spinning: a turn is one pause instruction, 36 ns on an AMD EPYC (10,000 turns were measured at 360 µs).
constexpr const char* spin_turns = "1500";
constexpr const char* restarted = "KW_OPENMP_RESTARTED";

}  // namespace

const std::vector<Setting>& openmp_settings() {
  static const std::vector<Setting> settings = {{"GOMP_SPINCOUNT", spin_turns}, {"OMP_DYNAMIC", "false"}};
  return settings;
}

bool openmp_settings_stand() {
  for (const Setting& setting : openmp_settings()) {
    const char* value = std::getenv(setting.name);
    if (value == nullptr || std::strcmp(value, setting.value) != 0) return false;
  }
  return true;
}

void ensure_openmp_settings(char** argv) {
  if (openmp_settings_stand() || std::getenv(restarted) != nullptr) return;
  for (const Setting& setting : openmp_settings()) setenv(setting.name, setting.value, 1);
  setenv(restarted, "1", 1);
  execv("/proc/self/exe", argv);
}

void keep_freed_memory() {
  constexpr int never = 1 << 30;
  mallopt(M_MMAP_THRESHOLD, never);
  mallopt(M_TRIM_THRESHOLD, never);
}

}  // namespace kw::timer
