#include "core/worker/timer/disturbance.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace kw::timer {
namespace {

constexpr double tick_s = 0.004, own_wake_ups_s = 40e-6, waiting_share = 0.03;

// The start of a /proc file as text; empty if its thread has ended.
template <std::size_t Size>
const char* text_of(int file, char (&text)[Size]) {
  const ssize_t length = pread(file, text, Size - 1, 0);
  text[length > 0 ? length : 0] = '\0';
  return text;
}

std::int64_t switches_in(int status_file) {
  static constexpr char key[] = "nonvoluntary_ctxt_switches:";
  char text[4096];
  const char* line = std::strstr(text_of(status_file, text), key);
  return line != nullptr ? std::atoll(line + sizeof key - 1) : 0;
}

// Second field: nanoseconds spent waiting on a run queue.
std::int64_t waited_in(int schedstat_file) {
  char text[128];
  unsigned long long ran = 0, waited = 0;
  return std::sscanf(text_of(schedstat_file, text), "%llu %llu", &ran, &waited) == 2 ? static_cast<std::int64_t>(waited) : 0;
}

}  // namespace

LoadReader::LoadReader(pid_t runner) {
  open_all("self", "schedstat", schedstats_);
  if (runner <= 0) return;
  open_all(std::to_string(runner), "schedstat", schedstats_);
  open_all(std::to_string(runner), "status", statuses_);
}

LoadReader::~LoadReader() {
  for (const auto* files : {&schedstats_, &statuses_})
    for (const int file : *files) close(file);
}

void LoadReader::open_all(const std::string& process, const char* name, std::vector<int>& files) {
  const std::string folder = "/proc/" + process + "/task";
  DIR* tasks = opendir(folder.c_str());
  if (tasks == nullptr) return;
  while (const dirent* entry = readdir(tasks)) {
    if (entry->d_name[0] == '.') continue;
    const int file = open((folder + "/" + entry->d_name + "/" + name).c_str(), O_RDONLY | O_CLOEXEC);
    if (file >= 0) files.push_back(file);
  }
  closedir(tasks);
}

Load LoadReader::read() const {
  rusage own{};
  getrusage(RUSAGE_SELF, &own);
  Load load{own.ru_nivcsw, 0};
  for (const int file : statuses_) load.switches += switches_in(file);
  std::int64_t waited_ns = 0;
  for (const int file : schedstats_) waited_ns += waited_in(file);
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
