#include "app/runner/crash.h"

#include <csignal>
#include <cstdlib>

#include <sys/ucontext.h>
#include <unistd.h>

namespace kw::runner {
namespace {

runtime::ControlPage* crash_page = nullptr;
pid_t main_thread = 0;
constexpr std::size_t alternate_stack_bytes = 64 << 10;

std::uint64_t instruction_of(const void* context) {
  const auto* c = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return static_cast<std::uint64_t>(c->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return c->uc_mcontext.pc;
#else
#error "The runner knows x86-64 and aarch64."
#endif
}

bool was_write(const void* context) {
  const auto* c = static_cast<const ucontext_t*>(context);
#if defined(__x86_64__)
  return (c->uc_mcontext.gregs[REG_ERR] & 2) != 0;   // bit 1 of a page fault's error code
#else
  (void)c;
  return true;
#endif
}

// Async-signal-safe: plain stores, a futex, _exit.
void on_fatal(int signal, siginfo_t* info, void* context) {
  runtime::Crash& crash = crash_page->crash;
  crash.signal = signal;
  crash.code = info->si_code;
  crash.instruction = instruction_of(context);
  crash.is_write = was_write(context) ? 1 : 0;
  crash.in_pool_thread = gettid() != main_thread ? 1 : 0;
  if (signal == SIGSYS) {
    crash.system_call = info->si_syscall;
  } else {
    crash.fault_address = reinterpret_cast<std::uint64_t>(info->si_addr);
  }
  crash_page->state.store(static_cast<std::uint32_t>(runtime::RunnerState::crashed), std::memory_order_release);
  runtime::set_and_wake(crash_page->done, crash_page->request.load());
  _exit(1);
}

}  // namespace

base::Status install_crash_handlers(runtime::ControlPage* page) {
  crash_page = page;
  main_thread = gettid();
  stack_t stack{};
  stack.ss_sp = std::malloc(alternate_stack_bytes);   // lives as long as the process
  stack.ss_size = alternate_stack_bytes;
  if (stack.ss_sp == nullptr || sigaltstack(&stack, nullptr) != 0)
    return base::Error{base::ErrorCode::internal, "The runner has no alternate signal stack.", ""};
  struct sigaction action {};
  action.sa_sigaction = on_fatal;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | static_cast<int>(SA_RESETHAND);
  sigfillset(&action.sa_mask);
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS})
    if (sigaction(signal, &action, nullptr) != 0)
      return base::Error{base::ErrorCode::internal, "The runner cannot install its signal handlers.", ""};
  return base::done();
}

}  // namespace kw::runner
