#include "core/worker/device/cpu_info.h"

#include <sched.h>
#include <sys/utsname.h>

#include <fstream>
#include <sstream>

#include <torch/version.h>

#include "core/base/process.h"

namespace kw::device {
namespace {

constexpr double version_timeout_s = 10;

std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// The value of the first "key : value" line, or of KEY="value".
std::string field(const std::string& path, const std::string& key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(key)) continue;
    const std::size_t at = line.find(separator);
    if (at == std::string::npos) continue;
    const std::size_t start = line.find_first_not_of(" \t\"", at + 1), end = line.find_last_not_of(" \t\"");
    if (start != std::string::npos) return line.substr(start, end - start + 1);
  }
  return "";
}

// "32768K", "32M" -> bytes
std::int64_t parse_size(const std::string& text) {
  std::istringstream stream(text);
  std::int64_t number = 0;
  char unit = 0;
  stream >> number >> unit;
  if (unit == 'K') return number << 10;
  if (unit == 'M') return number << 20;
  return number;
}

void read_caches(CpuInfo& info) {
  for (int i = 0; i < 8; ++i) {
    const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(i) + "/";
    const std::string level = line_of(folder + "level");
    if (level.empty()) return;
    if (line_of(folder + "type") == "Instruction") continue;
    std::int64_t* const sizes[] = {&info.l1_bytes, &info.l2_bytes, &info.l3_bytes};
    if (level[0] >= '1' && level[0] <= '3') *sizes[level[0] - '1'] = parse_size(line_of(folder + "size"));
  }
}

int vector_width() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f")) return 64;
  if (__builtin_cpu_supports("avx2")) return 32;
#endif
  return 16;
}

std::string first_line_of(const std::string& program, const std::string& argument) {
  base::SpawnOptions options;
  options.argv = {program, argument};
  const auto captured = base::run_captured(std::move(options), version_timeout_s);
  if (!captured || captured->status.code != 0 || captured->status.signal != 0) return "";
  return captured->out.substr(0, captured->out.find('\n'));
}

}  // namespace

CpuInfo cpu_info() {
  CpuInfo info;
  info.model = field("/proc/cpuinfo", "model name", ':');
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) info.cores = CPU_COUNT(&set);
  read_caches(info);
  info.vector_bytes = vector_width();
  return info;
}

protocol::Environment environment(const std::string& compiler, const std::string& flags, int threads) {
  const CpuInfo cpu = cpu_info();
  protocol::Environment record;
  record.cpu = cpu.model;
  record.cores = cpu.cores;
  record.threads = threads > 0 ? threads : cpu.cores;
  record.l1_bytes = cpu.l1_bytes;
  record.l2_bytes = cpu.l2_bytes;
  record.l3_bytes = cpu.l3_bytes;
  record.vector_bytes = cpu.vector_bytes;
  record.compiler = first_line_of(compiler, "--version");
  record.flags = flags;
  record.torch = TORCH_VERSION;
  record.os = field("/etc/os-release", "PRETTY_NAME", '=');
  utsname system{};
  if (uname(&system) == 0) record.kernel = std::string(system.sysname) + " " + system.release;
  record.device = "cpu";
  return record;
}

}  // namespace kw::device
