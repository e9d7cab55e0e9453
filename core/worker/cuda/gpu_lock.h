#pragma once
// One user of a GPU at a time, between processes and between users: timing beside somebody else's work is worth nothing. A flock on
// the file gpu-<uuid>.lock, which the kernel releases when its holder ends, however it ends. The file stays.

#include <sys/types.h>

#include <optional>
#include <string>

#include "core/base/cancel.h"
#include "core/base/result.h"

namespace kw::cuda {

// /tmp: the one folder that all users of a machine can write. $XDG_RUNTIME_DIR and $TMPDIR belong to one user. A container has a
// /tmp of its own and is not kept out.
inline constexpr const char* lock_folder = "/tmp";

class GpuLock {
 public:
  // Waits up to `wait_s` seconds (0: only tries; negative: for ever), looking every 20 ms. `busy` names the holder, `cancelled` when
  // the token fired. Any thread; a second lock of one GPU in one process waits for the first, too.
  static base::Result<GpuLock> take(const std::string& uuid, double wait_s, const base::CancelToken& cancel, const std::string& folder = lock_folder);

  GpuLock(GpuLock&& other) noexcept;
  GpuLock& operator=(GpuLock&& other) noexcept;
  ~GpuLock();

 private:
  explicit GpuLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// Who wrote the file last: the holder, if anybody holds it. For messages only.
std::optional<pid_t> last_holder(const std::string& uuid, const std::string& folder = lock_folder);

}  // namespace kw::cuda
