#pragma once
// Threads that take jobs in order. Dropped jobs are destroyed unrun, which answers their requests.

#include <deque>
#include <functional>
#include <thread>
#include <vector>

#include "core/base/mutex.h"

namespace kw::server {

class LaneQueue {
 public:
  explicit LaneQueue(int threads);
  ~LaneQueue();                        // waits for what runs, drops what waits
  void push(std::function<void()> job);

 private:
  void loop();
  base::Mutex mutex_;
  base::Condition changed_;
  std::deque<std::function<void()>> waiting_ KW_GUARDED_BY(mutex_);
  bool stopping_ KW_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

}  // namespace kw::server
