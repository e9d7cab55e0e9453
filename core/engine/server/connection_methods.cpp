// initialize: the handshake.
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "core/engine/server/desk.h"
#include "core/engine/server/methods.h"
#include "core/engine/server/names.h"
#include "core/protocol/records.h"

namespace kw::server {
namespace {

namespace fs = std::filesystem;

// "Model name : X" in /proc/cpuinfo, "Model: X" in a GPU's information file.
std::string field(const fs::path& file, const std::string& name) {
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    const auto colon = line.find(':');
    if (colon == std::string::npos || line.rfind(name, 0) != 0) continue;
    const auto begin = line.find_first_not_of(" \t", colon + 1);
    return begin == std::string::npos ? "" : line.substr(begin);
  }
  return "";
}

json devices() {
  json out = json::array();
  const std::string cpu = field("/proc/cpuinfo", "model name");
  out.push_back((cpu.empty() ? "cpu" : cpu) + ", " + std::to_string(sysconf(_SC_NPROCESSORS_ONLN)) + " cores");
  std::error_code ignored;
  for (const auto& gpu : fs::directory_iterator("/proc/driver/nvidia/gpus", ignored)) out.push_back(field(gpu.path() / "information", "Model"));
  return out;
}

}  // namespace

std::string host_name() {
  char name[128] = {};
  gethostname(name, sizeof(name) - 1);
  return name;
}

std::string user_name() {
  if (const char* user = std::getenv("USER")) return user;
  return std::to_string(getuid());
}

std::string home_folder() {
  if (const char* home = std::getenv("HOME")) return home;
  const passwd* entry = getpwuid(getuid());
  return entry != nullptr ? entry->pw_dir : "/";
}

bool foreign(const store::Origin& origin) { return origin.host != host_name() || origin.user != user_name(); }

Answer initialize(Desk& desk, const json& params) {
  const json& asked = params.at("protocol");
  if (asked != protocol::protocol_version)
    return base::Error{base::ErrorCode::unsupported,
                       "the client speaks protocol " + asked.dump() + ", this engine protocol " + std::to_string(protocol::protocol_version) +
                           ". Install both from one version of Kernelwright.",
                       "initialize"};
  return json{{"protocol", protocol::protocol_version}, {"engine", "kernelwright " + desk.options.version}, {"pid", getpid()}, {"host", host_name()},
              {"user", user_name()}, {"home", home_folder()}, {"uploads", desk.options.uploads}, {"devices", devices()}};
}

}  // namespace kw::server
