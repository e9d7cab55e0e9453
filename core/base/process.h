#pragma once
// Child processes: each in a process group of its own, killed when its parent dies or when its handle is destroyed.

#include <sys/resource.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"

namespace kw::base {

struct ResourceLimit { int resource; rlim_t value; };   // RLIMIT_AS, RLIMIT_CPU, ...

struct SpawnOptions {
  std::vector<std::string> argv;                // argv[0] is looked up in PATH when it has no slash
  std::vector<std::string> environment;         // "NAME=value", added to or replacing what is inherited
  std::string cwd;
  bool pipe_stdin = false;                      // else /dev/null
  bool pipe_stdout = false;                     // else inherited
  bool pipe_stderr = false;                     // else inherited
  struct PassedFd { int from = -1; int to = -1; };
  std::vector<PassedFd> fds;                    // `from` here becomes `to` (3 and up, one after the other) there; all others close
  std::vector<ResourceLimit> limits;
  int niceness = 0;                             // added to ours: 10 yields a core to whoever wants it
};

struct ExitStatus {
  int code = 0;        // exit status when signal == 0
  int signal = 0;
  std::string text() const;                     // "exit status 1", "killed by SIGSEGV"
};

class ChildProcess {
 public:
  static Result<ChildProcess> spawn(const SpawnOptions& options);
  ChildProcess() = default;
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();                              // kills the group and reaps

  pid_t pid() const { return pid_; }
  int stdin_fd() const { return in_; }          // -1 when not piped; owned by this object
  int stdout_fd() const { return out_; }
  int stderr_fd() const { return err_; }
  void close_stdin();

  std::optional<ExitStatus> poll();             // reaps without waiting
  std::optional<ExitStatus> wait(double seconds);   // negative: for ever; nullopt: still running
  void kill_group(int signal);

 private:
  void reset();
  pid_t pid_ = -1;
  int in_ = -1, out_ = -1, err_ = -1;
  std::optional<ExitStatus> status_;
};

struct Captured {
  ExitStatus status;
  bool timed_out = false;
  std::string out, err;
};
// Runs to the end, or kills the group after `timeout_s`. Output past `limit` bytes a stream is read and dropped.
Result<Captured> run_captured(SpawnOptions options, double timeout_s, std::size_t limit = 8 << 20);

}  // namespace kw::base
