#include "app/cli/doctor.h"

#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/base/paths.h"
#include "core/base/process.h"

namespace kw::cli {

namespace {

enum class Need { required, optional };

struct Finding {
  bool found = false;
  std::string what;      // version, path, number
};

struct Check {
  const char* name;
  Need need;
  const char* needed_for;
  const char* how_to_get;
  Finding (*look)();
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

base::Result<base::Captured> run(std::vector<std::string> argv, double timeout_s = 20) {
  base::SpawnOptions o;
  o.argv = std::move(argv);
  return base::run_captured(o, timeout_s);
}

Finding output_of(std::vector<std::string> argv) {
  const auto r = run(std::move(argv));
  if (!r) return {false, r.error().message};
  if (r->status.code != 0 || r->status.signal != 0) return {false, first_line(r->err.empty() ? r->status.text() : r->err)};
  return {true, first_line(r->out)};
}

Finding compiler() { return output_of({"g++", "--version"}); }

Finding openmp() {
  char folder[] = "/tmp/kw-doctor-XXXXXX";
  if (!::mkdtemp(folder)) return {false, "cannot write to /tmp"};
  const std::string source = std::string(folder) + "/a.cpp", object = std::string(folder) + "/a.so";
  std::ofstream(source) << "extern \"C\" int f() { int n = 0;\n#pragma omp parallel for reduction(+ : n)\nfor (int i = 0; i < 8; ++i) n += i;\nreturn n; }\n";
  Finding f = output_of({"g++", "-O2", "-march=native", "-fopenmp", "-fPIC", "-shared", source, "-o", object});
  std::error_code ec;
  std::filesystem::remove_all(folder, ec);
  return f.found ? Finding{true, "a kernel compiles"} : f;
}

Finding worker() { return output_of({base::executable_dir() + "/kernelwright-worker", "--version"}); }

Finding runner() {
  const std::string path = base::executable_dir() + "/kernelwright-runner";
  return ::access(path.c_str(), X_OK) == 0 ? Finding{true, path} : Finding{false, "not beside this program"};
}

Finding python_torch() {
  const char* script = "import torch, sys; print(torch.__version__, 'in', sys.executable)";
  std::string where;
  for (const std::string& python : {base::resources_dir() + "/../.venv/bin/python3", std::string("python3")}) {
    Finding f = output_of({python, "-c", script});
    if (f.found && f.what.starts_with("2.11.0")) return f;
    where += (where.empty() ? "" : "; ") + f.what;
  }
  return {false, where};
}

Finding seccomp() {
  std::ifstream actions("/proc/sys/kernel/seccomp/actions_avail");
  std::string line;
  std::getline(actions, line);
  const bool kills = line.find("kill_process") != std::string::npos;
  return {kills, kills ? "kill_process is available" : "the kernel offers no seccomp filters"};
}

Finding vector_units() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (!line.starts_with("flags")) continue;
    line += ' ';
    std::string found;
    for (const char* unit : {"avx2", "fma", "f16c", "avx512f"})
      if (line.find(std::string(" ") + unit + " ") != std::string::npos) found += (found.empty() ? "" : " ") + std::string(unit);
    return {found.find("avx2 fma f16c") != std::string::npos, found.empty() ? "none of avx2, fma, f16c" : found};
  }
  return {false, "/proc/cpuinfo lists no flags"};
}

Finding cores_and_memory() {
  const long cores = ::sysconf(_SC_NPROCESSORS_ONLN);
  const double gib = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1 << 30);
  char text[64];
  std::snprintf(text, sizeof text, "%ld cores, %.1f GiB", cores, gib);
  return {gib >= 3.5, text};
}

Finding cache_folder() {
  const auto dir = base::cache_dir();
  if (!dir) return {false, dir.error().text()};
  if (::access(dir->c_str(), W_OK) != 0) return {false, *dir + " may not be written"};
  struct statvfs disk{};
  if (::statvfs(dir->c_str(), &disk) != 0) return {false, *dir};
  const double gib = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize) / (1 << 30);
  char text[64];
  std::snprintf(text, sizeof text, ", %.1f GiB free", gib);
  return {gib >= 1, *dir + text};
}

Finding gpu() {
  Finding f = output_of({"nvidia-smi", "--query-gpu=name,driver_version", "--format=csv,noheader"});
  return f.found ? f : Finding{false, "no NVIDIA driver"};
}

constexpr Check checks[] = {
    {"compiler", Need::required, "building candidates", "apt-get install g++", compiler},
    {"OpenMP", Need::required, "parallel kernels", "apt-get install g++ (it brings libgomp)", openmp},
    {"worker", Need::required, "everything that touches tensors", "run packaging/setup.sh, then build; libtorch 2.11.0 must be where it was at build time", worker},
    {"runner", Need::required, "running candidates in their sandbox", "build the target kernelwright-runner", runner},
    {"seccomp", Need::required, "the sandbox", "a Linux kernel with CONFIG_SECCOMP_FILTER", seccomp},
    {"memory", Need::required, "models and their float64 truth", "a machine with 4 GiB or more", cores_and_memory},
    {"cache folder", Need::required, "built kernels and exported models", "set XDG_CACHE_HOME to a folder you may write with 1 GiB free", cache_folder},
    {"Python with torch", Need::optional, "opening .py models (.pt2 archives need none)", "run packaging/setup.sh, or name a Python with --python", python_torch},
    {"vector units", Need::optional, "fast kernels; without them they are built for what there is", "a processor with AVX2, FMA and F16C", vector_units},
    {"GPU", Need::optional, "the cuda target", "an NVIDIA GPU with its driver; the cpu target works without", gpu},
};

}  // namespace

int doctor(bool json) {
  nlohmann::json rows = nlohmann::json::array();
  bool ready = true;
  for (const Check& check : checks) {
    const Finding f = check.look();
    ready &= f.found || check.need == Need::optional;
    rows.push_back({{"check", check.name}, {"found", f.found}, {"what", f.what}, {"required", check.need == Need::required},
                    {"needed_for", check.needed_for}, {"how_to_get", check.how_to_get}});
    if (json) continue;
    std::printf("%-8s %-18s %s\n", f.found ? "ok" : check.need == Need::required ? "MISSING" : "absent", check.name, f.what.c_str());
    if (!f.found) std::printf("%-8s %-18s needed for %s; %s\n", "", "", check.needed_for, check.how_to_get);
  }
  if (json) std::printf("%s\n", nlohmann::json{{"schema", 1}, {"ready", ready}, {"checks", rows}}.dump(2).c_str());
  else std::printf("%s\n", ready ? "Ready: kernelwright optimize MODEL --target cpu" : "Not ready: see the lines marked MISSING.");
  return ready ? 0 : 1;
}

}  // namespace kw::cli
