#pragma once
// The GPU as the judges use it: one context, one stream for torch, candidates and copies alike, device time of what is queued on it.
// Executor thread, unless a member says otherwise.

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/worker/cuda/context.h"
#include "core/worker/cuda/facts.h"
#include "core/worker/cuda/memory.h"
#include "core/worker/cuda/module.h"
#include "core/worker/cuda/nvrtc.h"
#include "core/worker/timer/executor_thread.h"
#include "core/worker/timer/paired.h"

namespace kw::oracle {

class Gpu {
 public:
  // Loads torch's CUDA half, makes the context current on this thread and gives torch our stream.
  static base::Result<std::shared_ptr<Gpu>> open();

  const cuda::Context& context() const { return *context_; }
  const cuda::Stream& stream() const { return *current_; }    // what torch uses too; not ours only while a graph is made
  const cuda::DeviceFacts& facts() const { return facts_; }   // any thread

  // Device time in µs from before the first to after the last thing that `work` queues. The stream is held back until all of it is
  // queued, so that the time between launches does not count. Nothing: it did not end within `timeout_s`, and the GPU is lost to this
  // process. An Error with code lost: a kernel failed.
  base::Result<std::optional<double>> timed_us(const std::function<base::Status()>& work, double timeout_s);
  // Waits for the stream; false: not within the time, as above.
  base::Result<bool> finish(double timeout_s);
  base::Status flush_cache();                        // queues a fill of twice the L2 cache

  // `work` as one launch. It is run twice, then captured on a stream that only this graph uses: torch gives what a stream has freed to
  // the same stream alone, so that the memory the graph names stays its own. Not every work can be captured: an Error says why.
  struct Graph { cuda::Stream memory; cuda::Graph launches; };
  base::Result<Graph> graph(const std::function<base::Status()>& work);

  bool lost() const { return lost_; }                // any thread: the process must end

 private:
  base::Status make_hold();
  void use(const cuda::Stream& stream);              // for what is queued from now on, by torch too
  base::Result<cuda::Graph> capture(const cuda::Stream& stream, const std::function<base::Status()>& work);
  std::optional<cuda::Context> context_;
  std::optional<cuda::Stream> stream_;
  const cuda::Stream* current_ = nullptr;
  std::optional<cuda::Event> start_, end_;
  std::optional<cuda::Function> hold_;
  std::optional<cuda::PinnedMemory> go_;
  std::optional<cuda::DeviceMemory> flush_;
  cuda::DeviceFacts facts_;
  std::atomic<bool> lost_{false};
};

// One side of a timed round on the GPU. `work` queues, `ready` runs before each call; both on the executor thread.
class GpuSide : public timer::Side {
 public:
  GpuSide(Gpu& gpu, timer::ExecutorThread& executor, std::function<base::Status()> work, std::function<void()> ready, double timeout_s)
      : gpu_(gpu), executor_(executor), work_(std::move(work)), ready_(std::move(ready)), timeout_s_(timeout_s) {}
  base::Status get_ready() override;
  base::Result<double> call_us() override { return timed(work_); }
  base::Result<double> null_us() override { return timed([] { return base::done(); }); }
  bool timed_out() const { return timed_out_; }

 private:
  base::Result<double> timed(const std::function<base::Status()>& work);
  Gpu& gpu_;
  timer::ExecutorThread& executor_;
  std::function<base::Status()> work_;
  std::function<void()> ready_;
  double timeout_s_;
  bool timed_out_ = false;
};

}  // namespace kw::oracle
