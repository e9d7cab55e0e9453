#include "app/runner/sandbox.h"

#include <sys/mman.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>

#include <seccomp.h>

namespace kw::runner {
namespace {

constexpr rlim_t extra_memory = rlim_t{512} << 20, stack_bytes = rlim_t{8} << 20, stderr_bytes = rlim_t{1} << 20;
constexpr rlim_t processor_seconds = 600;   // the worker's own deadline comes long before; this one outlives a lost worker

struct Allowed { int system_call; const char* why; };
constexpr Allowed allowed[] = {
    {SCMP_SYS(futex), "the hand-off and the OpenMP barriers"},
    {SCMP_SYS(sched_yield), "OpenMP barriers"},
    {SCMP_SYS(exit), "end of a pool thread"},
    {SCMP_SYS(exit_group), "end of the process"},
    {SCMP_SYS(rt_sigreturn), "return from a handler"},
    {SCMP_SYS(rt_sigprocmask), "the C library round thread ends"},
    {SCMP_SYS(restart_syscall), "a stopped process that goes on"},
    {SCMP_SYS(munmap), "OpenMP's own memory"},
    {SCMP_SYS(madvise), "stacks of ended threads"},
    {SCMP_SYS(brk), "OpenMP's own memory"},
    {SCMP_SYS(sched_getaffinity), "omp_get_num_procs"},
    {SCMP_SYS(gettid), "the crash handler"},
};

base::Error failed(const std::string& what, int error) {
  return {base::ErrorCode::internal, "The runner's sandbox: " + what + ": " + std::strerror(error), ""};
}

rlim_t mapped_bytes() {
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  unsigned long pages = 0;
  if (file != nullptr) {
    if (std::fscanf(file, "%lu", &pages) != 1) pages = 0;
    std::fclose(file);
  }
  return static_cast<rlim_t>(pages) * 4096;
}

base::Status limit(int resource, rlim_t value, const char* what) {
  const rlimit bound{value, value};
  if (setrlimit(static_cast<__rlimit_resource_t>(resource), &bound) != 0) return failed(what, errno);
  return base::done();
}

int add_rules(scmp_filter_ctx filter) {
  int rc = 0;
  for (const Allowed& row : allowed) rc |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, row.system_call, 0);
  // Anonymous memory that cannot be executed; a message of libgomp before it gives up; no new threads, and no new signal
  // handlers, which the C library asks for before its first thread.
  rc |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mmap), 2, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
                         SCMP_A4(SCMP_CMP_MASKED_EQ, 0xffffffffU, 0xffffffffU));
  rc |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(mprotect), 1, SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
  rc |= seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1, SCMP_A0(SCMP_CMP_EQ, 2));
  rc |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(rt_sigaction), 0);
  rc |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone), 0);
  rc |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EAGAIN), SCMP_SYS(clone3), 0);
  return rc;
}

}  // namespace

base::Status enter_sandbox() {
  struct Limit { int resource; rlim_t value; const char* what; };
  const Limit limits[] = {
      {RLIMIT_CORE, 0, "core dumps"},          {RLIMIT_FSIZE, stderr_bytes, "file size"},
      {RLIMIT_STACK, stack_bytes, "stack"},    {RLIMIT_CPU, processor_seconds, "processor time"},
      {RLIMIT_AS, mapped_bytes() + extra_memory, "memory"}, {RLIMIT_NOFILE, 0, "descriptors"},
  };
  for (const Limit& row : limits)
    if (auto status = limit(row.resource, row.value, row.what); !status) return status;

  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_TRAP);
  if (filter == nullptr) return failed("no filter", ENOMEM);
  // The pool's threads run already: the filter must reach them too.
  int rc = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
  if (rc == 0) rc = add_rules(filter);
  if (rc == 0) rc = seccomp_load(filter);
  seccomp_release(filter);
  if (rc != 0) return failed("seccomp is refused by this kernel or container", -rc);
  return base::done();
}

}  // namespace kw::runner
