#pragma once
// Sleeping on a 32-bit word, in one process or across two. The hand-off of a timed call: no polling, so the waiting side
// leaves its core to the side that works.

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <ctime>

namespace kw::runtime {

using FutexWord = std::atomic<std::uint32_t>;
static_assert(sizeof(FutexWord) == 4 && FutexWord::is_always_lock_free);

// Returns when the word no longer holds `old`, or after `timeout_s` at the latest. True: the word changed.
inline bool wait_while(FutexWord& word, std::uint32_t old, double timeout_s) {
  if (word.load(std::memory_order_acquire) != old) return true;
  timespec limit{static_cast<time_t>(timeout_s), static_cast<long>((timeout_s - static_cast<double>(static_cast<time_t>(timeout_s))) * 1e9)};
  syscall(SYS_futex, &word, FUTEX_WAIT, old, &limit, nullptr, 0);   // a shared futex: both processes map the word
  return word.load(std::memory_order_acquire) != old;
}

inline void wait_forever(FutexWord& word, std::uint32_t old) {
  while (word.load(std::memory_order_acquire) == old) syscall(SYS_futex, &word, FUTEX_WAIT, old, nullptr, nullptr, 0);
}

inline void set_and_wake(FutexWord& word, std::uint32_t value) {
  word.store(value, std::memory_order_release);
  syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

}  // namespace kw::runtime
