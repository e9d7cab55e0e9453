#include "core/worker/cuda/library.h"

#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <string_view>

namespace kw::cuda {

namespace fs = std::filesystem;

std::vector<std::string> library_paths(const char* variable, std::span<const char* const> sonames, const std::vector<std::string>& folders) {
  std::vector<std::string> paths;
  const auto add_folder = [&](const std::string& folder) {
    for (const char* soname : sonames) paths.push_back(folder + "/" + soname);
  };
  if (const char* asked = std::getenv(variable); asked != nullptr && *asked != '\0') {
    std::error_code error;
    if (fs::is_directory(asked, error)) add_folder(asked);
    else paths.emplace_back(asked);
    return paths;
  }
  for (const std::string& folder : folders) add_folder(folder);
  for (const std::string& folder : folders_beside_torch()) add_folder(folder);
  for (const char* soname : sonames) paths.emplace_back(soname);
  add_folder("/usr/local/cuda/lib64");
  return paths;
}

std::vector<std::string> folders_beside_torch() {
  std::vector<std::string> folders;
  const auto look = [](dl_phdr_info* info, std::size_t, void* found) {
    constexpr std::string_view tail = "/torch/lib/libtorch_cpu.so";
    const std::string_view path = info->dlpi_name != nullptr ? info->dlpi_name : "";
    if (path.size() > tail.size() && path.substr(path.size() - tail.size()) == tail)
      static_cast<std::vector<std::string>*>(found)->push_back(std::string(path.substr(0, path.size() - tail.size())) + "/nvidia/cu13/lib");
    return 0;
  };
  dl_iterate_phdr(look, &folders);
  return folders;
}

void* open_library(const std::string& path, std::string& tried) {
  std::error_code error;
  if (path.find('/') != std::string::npos && !fs::exists(path, error)) {
    tried += path + ": no such file\n";
    return nullptr;
  }
  void* handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle != nullptr) return handle;
  const char* why = dlerror();
  tried += std::string(why != nullptr ? why : "no reason given") + "\n";
  return nullptr;
}

std::string library_of(const void* symbol, const std::string& otherwise) {
  Dl_info info{};
  return dladdr(symbol, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : otherwise;
}

}  // namespace kw::cuda
