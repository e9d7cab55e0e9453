#include "core/engine/store/writer_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <utility>

namespace kw::store {
namespace {

std::string holder(int fd) {
  char text[256] = {};
  const ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
  std::string who(text, n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!who.empty() && who.back() == '\n') who.pop_back();
  return who.empty() ? "another process" : who;
}

std::string host_name() {
  char host[128] = {};
  gethostname(host, sizeof(host) - 1);
  return host;
}

std::string us() { return "process " + std::to_string(getpid()) + " on " + host_name(); }

void sign(int fd) {
  const std::string who = us() + "\n";
  // The name only serves the message of a second writer: a full disk must not refuse the lock.
  if (ftruncate(fd, 0) == 0) (void)!pwrite(fd, who.data(), who.size(), 0);
}

// False when the holder unlinked the file between our open and our flock: then the lock is on a file nobody else sees.
bool still_there(int fd, const std::string& path) {
  struct stat mine {}, named {};
  return fstat(fd, &mine) == 0 && stat(path.c_str(), &named) == 0 && mine.st_ino == named.st_ino &&
         mine.st_dev == named.st_dev;
}

}  // namespace

std::optional<std::string> WriterLock::named(const std::string& session_path) {
  const int fd = open((session_path + ".lock").c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  const std::string who = holder(fd);
  close(fd);
  return who;
}

bool WriterLock::ours(const std::string& session_path) { return named(session_path) == us(); }

bool WriterLock::held(const std::string& session_path) {
  const auto named_holder = named(session_path);
  if (!named_holder) return false;
  const std::string& who = *named_holder;
  int pid = 0, name = 0;
  if (std::sscanf(who.c_str(), "process %d on %n", &pid, &name) != 1 || pid <= 0) return true;
  // A killed writer leaves its file behind. One on another machine cannot be asked.
  return who.substr(static_cast<std::size_t>(name)) != host_name() || kill(pid, 0) == 0 || errno == EPERM;
}

base::Result<WriterLock> WriterLock::take(const std::string& session_path) {
  const std::string path = session_path + ".lock";
  for (;;) {
    const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
      const std::string why = std::strerror(errno);
      return base::Error{base::ErrorCode::io,
                         "cannot write beside the session (" + why + "). Choose a writable folder with --session FILE.kwr.",
                         session_path};
    }
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
      const std::string who = holder(fd);
      close(fd);
      return base::Error{base::ErrorCode::busy,
                         "the session is being written by " + who + ". Wait for it, or use another --session.", session_path};
    }
    if (still_there(fd, path)) {
      sign(fd);
      return WriterLock(path, fd);
    }
    close(fd);
  }
}

WriterLock::WriterLock(WriterLock&& other) noexcept : path_(std::move(other.path_)), fd_(std::exchange(other.fd_, -1)) {}

WriterLock& WriterLock::operator=(WriterLock&& other) noexcept {
  release();
  path_ = std::move(other.path_);
  fd_ = std::exchange(other.fd_, -1);
  return *this;
}

WriterLock::~WriterLock() { release(); }

void WriterLock::release() {
  if (fd_ < 0) return;
  unlink(path_.c_str());
  close(fd_);
  fd_ = -1;
}

}  // namespace kw::store
