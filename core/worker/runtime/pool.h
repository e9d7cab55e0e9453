#pragma once

#include <sched.h>

#include <cstddef>
#include <vector>

namespace kw::runtime {

// The cores of the process, as they were when first asked: afterwards the asking thread may be pinned itself.
const std::vector<int>& cores();
void pin_to(const std::vector<int>& cores);   // the calling thread

// Starts the calling thread's OpenMP pool and gives each of its threads a core of its own, counted round where there are fewer. Left to
// itself the scheduler put both threads of a pool on one core of two for milliseconds at a time, on an idle machine (measured: 4 of
// 12 ms spent waiting), and such a round cannot be told from one under other load. Both sides of a measurement call this.
void start_pool(int threads);

// An empty region of that pool, before a timed call: its threads then spin when the call comes. On a virtual machine an idle core took
// 300 µs, at times 2 ms, to wake, which is the scheduler's time and not the kernel's.
void wake_pool(int threads);

// memcpy, shared between the threads of the calling thread's pool.
void copy_by_pool(std::byte* to, const std::byte* from, std::size_t bytes);

// For a scope, the calling thread on the core where a pool's first thread runs: it hands work over and sleeps. On a core of the
// pool's other threads it was in their way, or they in its.
class OnFirstCore {
 public:
  OnFirstCore();
  ~OnFirstCore();
  OnFirstCore(const OnFirstCore&) = delete;
  OnFirstCore& operator=(const OnFirstCore&) = delete;

 private:
  cpu_set_t before_;
};

}  // namespace kw::runtime
