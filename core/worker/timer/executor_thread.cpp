#include "core/worker/timer/executor_thread.h"

#include "core/base/clock.h"
#include "core/worker/runtime/batch_scheduling.h"

namespace kw::timer {

ExecutorThread::ExecutorThread() : thread_([this] { loop(); }) {}

ExecutorThread::~ExecutorThread() {
  {
    std::lock_guard lock(turn_);
    work_ = nullptr;
    runtime::set_and_wake(request_, request_.load() + 1);
  }
  thread_.join();
}

void ExecutorThread::run(const std::function<void()>& work) { (void)timed_us(work); }

double ExecutorThread::timed_us(const std::function<void()>& work) {
  std::lock_guard lock(turn_);
  work_ = &work;
  const std::uint32_t before = request_.load();
  const double start_s = base::now_s();
  runtime::set_and_wake(request_, before + 1);
  runtime::wait_forever(done_, before);
  return (base::now_s() - start_s) * 1e6;
}

void ExecutorThread::loop() {
  runtime::schedule_as_batch();   // before torch starts its pool: the threads inherit it
  for (std::uint32_t answered = 0;;) {
    runtime::wait_forever(request_, answered);
    answered = request_.load(std::memory_order_acquire);
    if (work_ == nullptr) return;
    (*work_)();
    runtime::set_and_wake(done_, answered);
  }
}

}  // namespace kw::timer
