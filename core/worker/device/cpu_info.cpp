#include "core/worker/device/cpu_info.h"

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>
#include <sstream>

namespace kw::device {

namespace {

std::string value_of(const std::string& file, const std::string& key, char separator) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with(key)) continue;
    std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    at = line.find_first_not_of(" \t\"", at + 1);
    const std::size_t end = line.find_last_not_of(" \t\"");
    return at == std::string::npos ? "" : line.substr(at, end - at + 1);
  }
  return "";
}

std::string first_line(const std::string& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

// "512K" -> 524288
std::int64_t size_in_bytes(const std::string& text) {
  std::int64_t number = 0;
  char unit = 0;
  std::istringstream(text) >> number >> unit;
  return unit == 'K' ? number << 10 : unit == 'M' ? number << 20 : unit == 'G' ? number << 30 : number;
}

std::int64_t cache_bytes(int level) {
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    if (first_line(folder + "level") == std::to_string(level) && first_line(folder + "type") != "Instruction") return size_in_bytes(first_line(folder + "size"));
  }
  return 0;
}

int widest_vector(const std::string& flags) {
  if (flags.find(" avx512f") != std::string::npos) return 64;
  return flags.find(" avx2") != std::string::npos ? 32 : 16;
}

}  // namespace

int usable_cores() {
  cpu_set_t set;
  return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

protocol::Environment cpu_environment(int threads) {
  protocol::Environment e;
  e.cpu = value_of("/proc/cpuinfo", "model name", ':');
  e.device = e.cpu;
  e.os = value_of("/etc/os-release", "PRETTY_NAME", '=');
  utsname name{};
  if (::uname(&name) == 0) e.kernel = name.release;
  e.cores = usable_cores();
  e.threads = threads > 0 ? threads : e.cores;
  e.l1_bytes = cache_bytes(1);
  e.l2_bytes = cache_bytes(2);
  e.l3_bytes = cache_bytes(3);
  e.vector_bytes = widest_vector(value_of("/proc/cpuinfo", "flags", ':'));
  return e;
}

}  // namespace kw::device
