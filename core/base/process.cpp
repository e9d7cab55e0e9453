#include "core/base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/clock.h"

extern char** environ;

namespace kw::base {

namespace {

struct Pipe { int read = -1, write = -1; };

void close_fd(int& fd) {
  if (fd >= 0) ::close(fd);
  fd = -1;
}

std::vector<std::string> merged_environment(const std::vector<std::string>& changes) {
  std::vector<std::string> merged;
  for (char** e = environ; *e; ++e) merged.emplace_back(*e);
  for (const std::string& change : changes) {
    const std::string key = change.substr(0, change.find('=') + 1);
    std::erase_if(merged, [&](const std::string& old) { return old.starts_with(key); });
    merged.push_back(change);
  }
  return merged;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> out;
  for (std::string& s : strings) out.push_back(s.data());
  out.push_back(nullptr);
  return out;
}

[[noreturn]] void fail_child(int report) {
  const int error = errno;
  [[maybe_unused]] ssize_t n = ::write(report, &error, sizeof error);
  ::_exit(127);
}

// Between vfork and exec, on the parent's memory: async-signal-safe calls only, nothing of the parent's is written.
[[noreturn]] void run_child(const SpawnOptions& o, char** argv, char** env, int in, int out, int err, int report, pid_t parent,
                            const cpu_set_t& cores) {
  ::setpgid(0, 0);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(127);
  // Move every descriptor above the range that is being assigned, then place them.
  const int base = 64;
  auto lift = [&](int fd) { return fd < 0 ? -1 : ::fcntl(fd, F_DUPFD_CLOEXEC, base); };
  in = lift(in); out = lift(out); err = lift(err); report = lift(report);
  int lifted[32];
  const std::size_t count = std::min<std::size_t>(o.fds.size(), 32);
  for (std::size_t i = 0; i < count; ++i) lifted[i] = lift(o.fds[i].from);
  if (in < 0) in = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (::dup2(in, 0) < 0) fail_child(report);
  if (out >= 0) ::dup2(out, 1);
  if (err >= 0) ::dup2(err, 2);
  int top = 2;
  for (std::size_t i = 0; i < count; ++i) {
    if (::dup2(lifted[i], o.fds[i].to) < 0) fail_child(report);
    top = std::max(top, o.fds[i].to);
  }
  ::fcntl(report, F_SETFD, FD_CLOEXEC);
  ::syscall(SYS_close_range, static_cast<unsigned>(top + 1), static_cast<unsigned>(report - 1), 0u);
  ::syscall(SYS_close_range, static_cast<unsigned>(report + 1), ~0u, 0u);
  if (o.niceness > 0) (void)::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + o.niceness);
  for (const ResourceLimit& limit : o.limits) {
    const rlimit value{limit.value, limit.value};
    ::setrlimit(static_cast<__rlimit_resource>(limit.resource), &value);
  }
  if (!o.cwd.empty() && ::chdir(o.cwd.c_str()) != 0) fail_child(report);
  ::sched_setaffinity(0, sizeof cores, &cores);
  ::signal(SIGPIPE, SIG_DFL);
  ::execvpe(argv[0], argv, env);
  fail_child(report);
}

}  // namespace

std::string ExitStatus::text() const {
  if (signal == 0) return "exit status " + std::to_string(code);
  const char* abbreviation = ::sigabbrev_np(signal);
  return std::string("killed by SIG") + (abbreviation ? abbreviation : std::to_string(signal).c_str());
}

Result<ChildProcess> ChildProcess::spawn(const SpawnOptions& options) {
  if (options.argv.empty()) return Error{ErrorCode::internal, "no program to start", ""};
  Pipe in, out, err, report;
  auto open_pipe = [](Pipe& p, bool wanted) {
    int fds[2];
    if (wanted && ::pipe2(fds, O_CLOEXEC) == 0) p = {fds[0], fds[1]};
  };
  open_pipe(in, options.pipe_stdin);
  open_pipe(out, options.pipe_stdout);
  open_pipe(err, options.pipe_stderr);
  open_pipe(report, true);
  std::vector<std::string> arguments = options.argv, environment = merged_environment(options.environment);
  std::vector<char*> argv = pointers(arguments), env = pointers(environment);

  const pid_t parent = ::getpid();
  cpu_set_t cores;                   // of the process: the thread that starts the child may be pinned to one of them
  CPU_ZERO(&cores);
  ::sched_getaffinity(parent, sizeof cores, &cores);
  // Not fork: a worker with a gigabyte of tensors spent 112 ms copying its page tables, and 19 ms on the faults that followed,
  // for each runner it started (vfork: 0.1 ms). The child does nothing that vfork forbids: it only prepares its exec.
  const pid_t pid = ::vfork();
  if (pid == 0) run_child(options, argv.data(), env.data(), in.read, out.write, err.write, report.write, parent, cores);
  close_fd(in.read); close_fd(out.write); close_fd(err.write); close_fd(report.write);
  ChildProcess child;
  child.pid_ = pid;
  child.in_ = in.write; child.out_ = out.read; child.err_ = err.read;
  int error = pid < 0 ? errno : 0;
  if (pid > 0) {
    ::setpgid(pid, pid);
    ssize_t n;
    do n = ::read(report.read, &error, sizeof error); while (n < 0 && errno == EINTR);
    if (n <= 0) error = 0;
  }
  close_fd(report.read);
  if (error) return Error{ErrorCode::not_found, std::string("cannot start the program: ") + ::strerror(error), options.argv[0]};
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept { *this = std::move(other); }

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  if (this == &other) return *this;
  reset();
  pid_ = std::exchange(other.pid_, -1);
  in_ = std::exchange(other.in_, -1);
  out_ = std::exchange(other.out_, -1);
  err_ = std::exchange(other.err_, -1);
  status_ = std::exchange(other.status_, std::nullopt);
  return *this;
}

ChildProcess::~ChildProcess() { reset(); }

void ChildProcess::reset() {
  if (pid_ > 0 && !status_) {
    kill_group(SIGKILL);
    wait(-1);
  }
  close_fd(in_); close_fd(out_); close_fd(err_);
  pid_ = -1;
}

void ChildProcess::close_stdin() { close_fd(in_); }

void ChildProcess::kill_group(int signal) {
  if (pid_ > 0 && !status_) ::kill(-pid_, signal);
}

std::optional<ExitStatus> ChildProcess::poll() {
  if (status_ || pid_ <= 0) return status_;
  int raw = 0;
  pid_t got;
  do got = ::waitpid(pid_, &raw, WNOHANG); while (got < 0 && errno == EINTR);
  if (got == pid_) status_ = WIFSIGNALED(raw) ? ExitStatus{0, WTERMSIG(raw)} : ExitStatus{WEXITSTATUS(raw), 0};
  if (got < 0) status_ = ExitStatus{127, 0};
  return status_;
}

std::optional<ExitStatus> ChildProcess::wait(double seconds) {
  const double end = now_s() + seconds;
  if (pid_ <= 0 || poll()) return status_;
  const int pidfd = static_cast<int>(::syscall(SYS_pidfd_open, pid_, 0));
  while (!poll()) {
    const double left = seconds < 0 ? 1.0 : end - now_s();
    if (seconds >= 0 && left <= 0) break;
    pollfd p{pidfd, POLLIN, 0};
    ::poll(&p, pidfd >= 0 ? 1 : 0, pidfd >= 0 ? static_cast<int>(std::clamp(left * 1e3 + 1, 1.0, 1e6)) : 5);
  }
  if (pidfd >= 0) ::close(pidfd);
  return status_;
}

Result<Captured> run_captured(SpawnOptions options, double timeout_s, std::size_t limit) {
  options.pipe_stdout = options.pipe_stderr = true;
  Result<ChildProcess> spawned = ChildProcess::spawn(options);
  if (!spawned) return spawned.error();
  ChildProcess child = std::move(spawned).value();
  Captured captured;
  const double end = now_s() + timeout_s;
  pollfd fds[2] = {{child.stdout_fd(), POLLIN, 0}, {child.stderr_fd(), POLLIN, 0}};
  std::string* texts[2] = {&captured.out, &captured.err};
  char buffer[65536];
  while (fds[0].fd >= 0 || fds[1].fd >= 0) {
    const double left = end - now_s();
    if (left <= 0) {
      captured.timed_out = true;
      child.kill_group(SIGKILL);
      break;
    }
    if (::poll(fds, 2, static_cast<int>(std::min(left, 1e6) * 1e3) + 1) < 0 && errno != EINTR) break;
    for (int i = 0; i < 2; ++i) {
      if (fds[i].fd < 0 || !fds[i].revents) continue;
      const ssize_t n = ::read(fds[i].fd, buffer, sizeof buffer);
      if (n > 0) texts[i]->append(buffer, std::min<std::size_t>(static_cast<std::size_t>(n), limit - std::min(limit, texts[i]->size())));
      else if (n == 0 || errno != EINTR) fds[i].fd = -1;
    }
  }
  std::optional<ExitStatus> status = child.wait(captured.timed_out ? -1 : std::max(0.0, end - now_s()));
  if (!status) {
    captured.timed_out = true;
    child.kill_group(SIGKILL);
    status = child.wait(-1);
  }
  captured.status = *status;
  return captured;
}

}  // namespace kw::base
