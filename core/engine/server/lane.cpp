#include "core/engine/server/lane.h"

namespace kw::server {

LaneQueue::LaneQueue(int threads) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { loop(); });
}

LaneQueue::~LaneQueue() {
  {
    const base::Lock lock(mutex_);
    stopping_ = true;
    waiting_.clear();
    changed_.notify_all();
  }
  for (std::thread& thread : threads_) thread.join();
}

void LaneQueue::push(std::function<void()> job) {
  const base::Lock lock(mutex_);
  if (!stopping_) waiting_.push_back(std::move(job));
  changed_.notify_one();
}

void LaneQueue::loop() {
  for (;;) {
    std::function<void()> job;
    {
      const base::Lock lock(mutex_);
      while (waiting_.empty() && !stopping_) changed_.wait(mutex_);
      if (stopping_) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    job();
  }
}

}  // namespace kw::server
