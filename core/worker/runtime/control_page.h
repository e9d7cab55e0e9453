#pragma once
// The page that a worker and its runner share: requests, answers and, after a crash, what the signal handler saw. It lives
// in a memfd that the worker makes and the runner maps. Nothing in it tells the runner the truth or the time.
//
//   worker                                   runner
//   command, argument, request = n; wake --> waits for request != n-1, runs
//   waits for done == n            <-------- done = n; wake

#include <cstdint>

#include "core/worker/runtime/futex.h"

namespace kw::runtime {

enum class Command : std::int32_t { null_call, wake_pool, run, run_without, quit };

enum class RunnerState : std::uint32_t {
  starting,   // mapping buffers, loading, warming the threads
  ready,      // sandboxed, waits for requests
  refused,    // could not start: `message` says why
  crashed,    // `crash` is filled, the process is ending
};

enum class StartFailure : std::int32_t { none, harness, memory, load };

struct Crash {
  std::int32_t signal, code;
  std::uint64_t fault_address, instruction;
  std::int32_t is_write, system_call, in_pool_thread, reserved;
};

struct ControlPage {
  FutexWord request, done;
  FutexWord state;                       // RunnerState
  std::int32_t command, argument;        // Command and the step left out by run_without
  std::int32_t rewritten_step;           // step that rewrote its argument array, -1
  std::int32_t start_failure;            // StartFailure
  std::uint64_t image_base, image_end;   // where the candidate's object lies
  std::uint64_t arena_base[3];           // where the runner mapped inputs, outputs, workspace
  Crash crash;
  char message[1024];
};
static_assert(sizeof(ControlPage) <= 4096);

// Descriptors that the runner finds open, and nothing else but stderr.
inline constexpr int control_fd = 3, description_fd = 4, first_arena_fd = 5;   // arenas: 5 inputs, 6 outputs, 7 workspace
inline constexpr int arena_count = 3;

}  // namespace kw::runtime
