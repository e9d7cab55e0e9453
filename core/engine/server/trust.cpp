#include "core/engine/server/trust.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "core/base/hash.h"
#include "core/base/paths.h"

namespace kw::server {
namespace {

bool is_sha256(const std::string& text) {
  return text.size() == 64 && std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace

bool Trust::trusted(const std::string& sha256) const {
  const base::Lock lock(mutex_);
  const auto text = base::read_file(file_);
  if (!text) return false;
  std::istringstream lines(*text);
  for (std::string line; std::getline(lines, line);)
    if (line == sha256) return true;
  return false;
}

base::Status Trust::grant(const std::string& sha256) {
  if (!is_sha256(sha256)) return base::bad_input("a SHA-256 is 64 lower-case hexadecimal digits.", "sha256");
  if (trusted(sha256)) return base::done();
  const base::Lock lock(mutex_);
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(file_).parent_path(), failed);
  const auto before = base::read_file(file_);
  return base::write_file_atomically(file_, (before ? *before : std::string()) + sha256 + "\n");
}

base::Status Trust::model(const std::string& path) const {
  if (std::filesystem::path(path).extension() != ".py") return base::done();
  auto hash = base::sha256_file(path);
  if (!hash) return hash.error();
  if (trusted(*hash)) return base::done();
  return base::bad_input("the model is a Python program, and opening it runs it: " + path + ". Agree to that first (trust/grant).", "trust");
}

}  // namespace kw::server
