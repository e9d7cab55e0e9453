#include "core/base/paths.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace kw::base {

namespace fs = std::filesystem;

namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Error system_error(const std::string& what, const std::string& path) {
  return {ErrorCode::io, what + ": " + std::strerror(errno), path};
}

Status write_all(int fd, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return system_error("cannot write", path);
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  if (::fsync(fd) != 0) return system_error("cannot write", path);
  return done();
}

// $`variable`/kernelwright, or ~/`otherwise`/kernelwright.
Result<std::string> user_dir(const std::string& what, const char* variable, const char* otherwise) {
  std::string root = environment(variable);
  if (root.empty()) {
    const std::string home = environment("HOME");
    if (home.empty()) return Error{ErrorCode::io, "no " + what + " folder: set HOME or " + variable, ""};
    root = home + otherwise;
  }
  const std::string dir = root + "/kernelwright";
  std::error_code ec;
  fs::create_directories(dir, ec);
  if (ec) return Error{ErrorCode::io, "cannot make the " + what + " folder (" + ec.message() + "); set " + variable + " to a folder you may write", dir};
  return dir;
}

}  // namespace

std::string executable_dir() {
  std::error_code ec;
  return fs::read_symlink("/proc/self/exe", ec).parent_path().string();
}

std::string resources_dir() {
  if (std::string chosen = environment("KW_RESOURCES_DIR"); !chosen.empty()) return chosen;
  const fs::path installed = fs::path(executable_dir()).parent_path() / "share/kernelwright";
  std::error_code ec;
  return fs::exists(installed, ec) ? installed.string() : KW_SOURCE_RESOURCES;
}

Result<std::string> cache_dir() { return user_dir("cache", "XDG_CACHE_HOME", "/.cache"); }
Result<std::string> config_dir() { return user_dir("config", "XDG_CONFIG_HOME", "/.config"); }

Result<std::string> read_file(const std::string& path) {
  std::error_code ec;
  if (fs::is_directory(path, ec)) return bad_input("this is a folder, a file was expected", path);
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{ErrorCode::not_found, "cannot open the file (" + std::string(std::strerror(errno)) + ")", path};
  std::ostringstream text;
  text << file.rdbuf();
  if (file.bad()) return Error{ErrorCode::io, "reading stopped early", path};
  return std::move(text).str();
}

Status write_file_atomically(const std::string& path, std::string_view bytes) {
  std::string temporary = path + ".XXXXXX";
  const int fd = ::mkostemp(temporary.data(), O_CLOEXEC);
  if (fd < 0) return system_error("cannot write here", path);
  ::fchmod(fd, 0644);
  Status written = write_all(fd, bytes, path);
  ::close(fd);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) written = system_error("cannot replace the file", path);
  if (!written) ::unlink(temporary.c_str());
  return written;
}

}  // namespace kw::base
