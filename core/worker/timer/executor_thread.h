#pragma once
// The one thread that runs torch: opening, the baseline's calls, the truth, the whole model. One thread, because an OpenMP pool
// belongs to the thread that opens its regions, and libgomp stops spinning once its pools have more threads than there are cores:
// with a second pool every region of the baseline would pay a wake-up. Timed calls are handed over by futex exactly as to a runner, so both sides pay the same.
//
//   measuring thread: store closure, request = n; wake --> executor thread: runs it
//                     waits for done == n              <-- done = n; wake
//
// Callers take turns: run and timed_us may be called from any thread, one at a time runs.

#include <atomic>
#include <functional>
#include <mutex>
#include <thread>

#include "core/worker/runtime/futex.h"

namespace kw::timer {

class ExecutorThread {
 public:
  ExecutorThread();
  ~ExecutorThread();
  ExecutorThread(const ExecutorThread&) = delete;
  ExecutorThread& operator=(const ExecutorThread&) = delete;

  // The closure must not throw.
  void run(const std::function<void()>& work);
  // As run; from before the request until the caller is awake again, in µs.
  double timed_us(const std::function<void()>& work);

 private:
  void loop();

  std::mutex turn_;
  runtime::FutexWord request_{0}, done_{0};
  const std::function<void()>* work_ = nullptr;   // null: the thread ends
  std::thread thread_;
};

}  // namespace kw::timer
