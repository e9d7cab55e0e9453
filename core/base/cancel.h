#pragma once
// A cancel token: copied freely, set once from any thread or from a signal handler, polled by long jobs.

#include <atomic>
#include <memory>

namespace kw::base {

class CancelToken {
 public:
  CancelToken() : flag_(std::make_shared<std::atomic<bool>>(false)) {}
  void cancel() { flag_->store(true, std::memory_order_relaxed); }
  bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
};

}  // namespace kw::base
