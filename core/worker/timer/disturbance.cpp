#include "core/worker/timer/disturbance.h"

#include <dirent.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace kw::timer {
namespace {

constexpr double scheduler_period_s = 0.02;

std::int64_t switches_in(const std::string& status_file) {
  std::FILE* file = std::fopen(status_file.c_str(), "r");
  if (file == nullptr) return 0;   // the thread has ended
  static constexpr char key[] = "nonvoluntary_ctxt_switches:";
  char line[256];
  long long count = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, key, sizeof key - 1) == 0) std::sscanf(line + sizeof key - 1, "%lld", &count);
  std::fclose(file);
  return count;
}

std::int64_t switches_of(pid_t process) {
  const std::string folder = "/proc/" + std::to_string(process) + "/task";
  DIR* tasks = opendir(folder.c_str());
  if (tasks == nullptr) return 0;
  std::int64_t sum = 0;
  while (const dirent* entry = readdir(tasks))
    if (entry->d_name[0] != '.') sum += switches_in(folder + "/" + entry->d_name + "/status");
  closedir(tasks);
  return sum;
}

}  // namespace

std::int64_t involuntary_switches(pid_t runner) {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  return own.ru_nivcsw + (runner > 0 ? switches_of(runner) : 0);
}

std::int64_t stolen_ticks() {
  std::FILE* file = std::fopen("/proc/stat", "r");
  if (file == nullptr) return 0;
  long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  const int fields = std::fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal);
  std::fclose(file);
  return fields == 8 ? steal : 0;
}

bool too_many_switches(std::int64_t switches, double duration_s) { return switches > static_cast<std::int64_t>(duration_s / scheduler_period_s); }

}  // namespace kw::timer
