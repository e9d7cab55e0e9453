#pragma once
// One writer a session. The lock is an flock on a side file `S.kwr.lock` that names the holder; the kernel drops it when
// the holder dies, however it dies. (SQLite's own locks are fcntl locks on the database, so the two never meet.)

#include <optional>
#include <string>

#include "core/base/result.h"

namespace kw::store {

class WriterLock {
 public:
  // Whether somebody writes that session now; takes nothing.
  static bool held(const std::string& session_path);
  static bool ours(const std::string& session_path);   // held, by this process
  static base::Result<WriterLock> take(const std::string& session_path);
  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();

 private:
  WriterLock(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}
  static std::optional<std::string> named(const std::string& session_path);   // who holds it, as the lock file says
  void release();
  std::string path_;
  int fd_ = -1;
};

}  // namespace kw::store
