#include "core/worker/timer/disturbance.h"

#include <dirent.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace kw::timer {
namespace {

constexpr double tick_s = 0.004, own_wake_ups_s = 40e-6, waiting_share = 0.03;

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

// Second field: nanoseconds spent waiting on a run queue.
std::int64_t waited_in(const std::string& schedstat_file) {
  std::FILE* file = std::fopen(schedstat_file.c_str(), "r");
  if (file == nullptr) return 0;
  unsigned long long ran = 0, waited = 0;
  const int fields = std::fscanf(file, "%llu %llu", &ran, &waited);
  std::fclose(file);
  return fields == 2 ? static_cast<std::int64_t>(waited) : 0;
}

// Sums read(file of the thread) over a process.
std::int64_t over_threads(const std::string& process, const char* name, std::int64_t (*read)(const std::string&)) {
  const std::string folder = "/proc/" + process + "/task";
  DIR* tasks = opendir(folder.c_str());
  if (tasks == nullptr) return 0;
  std::int64_t sum = 0;
  while (const dirent* entry = readdir(tasks))
    if (entry->d_name[0] != '.') sum += read(folder + "/" + entry->d_name + "/" + name);
  closedir(tasks);
  return sum;
}

}  // namespace

Load read_load(pid_t runner) {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  Load load{own.ru_nivcsw, 0};
  std::int64_t waited_ns = over_threads("self", "schedstat", waited_in);
  if (runner > 0) {
    load.switches += over_threads(std::to_string(runner), "status", switches_in);
    waited_ns += over_threads(std::to_string(runner), "schedstat", waited_in);
  }
  load.waited_s = static_cast<double>(waited_ns) * 1e-9;
  return load;
}

std::int64_t stolen_ticks() {
  std::FILE* file = std::fopen("/proc/stat", "r");
  if (file == nullptr) return 0;
  long long user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, steal = 0;
  const int fields = std::fscanf(file, "cpu %lld %lld %lld %lld %lld %lld %lld %lld", &user, &nice, &system, &idle, &wait, &irq, &soft, &steal);
  std::fclose(file);
  return fields == 8 ? steal : 0;
}

bool disturbed(const Load& before, const Load& after, double duration_s) {
  if (after.switches - before.switches > 1 + static_cast<std::int64_t>(duration_s / tick_s)) return true;
  return after.waited_s - before.waited_s > own_wake_ups_s + waiting_share * duration_s;
}

}  // namespace kw::timer
