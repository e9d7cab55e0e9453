#pragma once
// What the user has agreed to run, by SHA-256: .py models, and candidates of somebody else's sessions. One hash a line in a file of the
// engine's config folder. Any thread.

#include <string>

#include "core/base/mutex.h"
#include "core/base/result.h"

namespace kw::server {

class Trust {
 public:
  explicit Trust(std::string file) : file_(std::move(file)) {}

  bool trusted(const std::string& sha256) const;
  base::Status grant(const std::string& sha256);
  // An error with the context "trust" where `path` is a .py that nobody agreed to.
  base::Status model(const std::string& path) const;

 private:
  const std::string file_;
  mutable base::Mutex mutex_;          // held over the file
};

}  // namespace kw::server
