#pragma once
// What runs on the GPU between begin and end, as CUPTI records it: kernels, copies and fills with the device's own times.
//
//   begin -> [ enter(tag) … launches … leave ] … -> the caller waits for the GPU -> end
//
// One trace a process at a time. begin, enter, leave and end on the thread that launches; what other threads launch has no tag. While it
// lasts launches cost more on the host, so nothing else is timed then; afterwards CUPTI leaves the process again.

#include <memory>

#include "core/worker/cuda/activities.h"

namespace kw::cuda {

class KernelTrace {
 public:
  // `folders`: as for open_cupti. `busy` while another trace lasts.
  static base::Result<KernelTrace> begin(const std::vector<std::string>& folders);
  KernelTrace(KernelTrace&&) noexcept = default;
  KernelTrace& operator=(KernelTrace&&) = delete;
  ~KernelTrace();

  void enter(int tag);           // of the launches that follow, until leave; not negative
  void leave();
  double now_us() const;         // since begin, on the clock of the work
  // The launched work is done. Ordered by start; times since begin. Kernels that a CUDA graph launches may have no tag.
  base::Result<std::vector<DeviceWork>> end();

 private:
  explicit KernelTrace(std::unique_ptr<Cupti> cupti) : cupti_(std::move(cupti)) {}
  void stop();

  std::unique_ptr<Cupti> cupti_;   // null: ended
  std::uint64_t begin_ns_ = 0;
  int entered_ = 0;
};

}  // namespace kw::cuda
