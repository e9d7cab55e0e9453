#include "core/worker/cuda/gpu_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

#include "core/base/clock.h"

namespace kw::cuda {
namespace {

std::string path_of(const std::string& uuid, const std::string& folder) { return folder + "/gpu-" + uuid + ".lock"; }

// Another user's file in a sticky folder must not be opened with O_CREAT (fs.protected_regular refuses it), and may be read-only to us.
int open_lock(const std::string& path) {
  for (int attempt = 0; attempt < 3; ++attempt) {   // somebody else may create it between two lines
    constexpr int flags = O_CLOEXEC | O_NOFOLLOW;
    int fd = open(path.c_str(), O_RDWR | flags);
    if (fd < 0 && errno == EACCES) fd = open(path.c_str(), O_RDONLY | flags);
    if (fd >= 0 || errno != ENOENT) return fd;
    fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | flags, 0666);
    if (fd >= 0) (void)fchmod(fd, 0666);   // whatever the umask: others must be able to write their number
    if (fd >= 0 || errno != EEXIST) return fd;
  }
  return -1;
}

void write_holder(int fd) {
  const std::string text = std::to_string(getpid()) + "\n";
  if (ftruncate(fd, 0) != 0) return;   // a file that is read-only to us: the lock holds all the same
  if (pwrite(fd, text.data(), text.size(), 0) < 0) return;
}

std::string held_by(const std::string& uuid, const std::string& folder) {
  const auto pid = last_holder(uuid, folder);
  return pid ? "process " + std::to_string(*pid) : "another process";
}

}  // namespace

base::Result<GpuLock> GpuLock::take(const std::string& uuid, double wait_s, const base::CancelToken& cancel, const std::string& folder) {
  const std::string path = path_of(uuid, folder);
  const int fd = open_lock(path);
  if (fd < 0) return base::Error{base::ErrorCode::io, std::string("Cannot open the lock file of a GPU: ") + std::strerror(errno) + ".", path};
  GpuLock lock(fd);
  const double end_s = base::now_s() + wait_s;
  while (flock(fd, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR)
      return base::Error{base::ErrorCode::io, std::string("Cannot lock a GPU: ") + std::strerror(errno) + ".", path};
    if (cancel.cancelled()) return base::Error{base::ErrorCode::cancelled, "Waiting for the GPU was cancelled.", ""};
    if (wait_s >= 0 && base::now_s() >= end_s)
      return base::Error{base::ErrorCode::busy, "The GPU is used by " + held_by(uuid, folder) + ". Wait until it is done.", uuid};
    const timespec pause{0, 20'000'000};
    nanosleep(&pause, nullptr);
  }
  write_holder(fd);
  return lock;
}

GpuLock::GpuLock(GpuLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

GpuLock& GpuLock::operator=(GpuLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

GpuLock::~GpuLock() {
  if (fd_ >= 0) close(fd_);
}

std::optional<pid_t> last_holder(const std::string& uuid, const std::string& folder) {
  const int fd = open(path_of(uuid, folder).c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (fd < 0) return std::nullopt;
  char text[32];
  const ssize_t got = read(fd, text, sizeof text);
  close(fd);
  pid_t pid = 0;
  if (got <= 0 || std::from_chars(text, text + got, pid).ec != std::errc()) return std::nullopt;
  return pid;
}

}  // namespace kw::cuda
