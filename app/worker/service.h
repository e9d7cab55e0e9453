#pragma once
// The worker's methods (core/protocol/worker_api.md) on one open model.
//
//   reader thread --> turn queue: open, profile, run, prepare, end_to_end, one after the other
//                 --> evaluation threads: evaluate (build side by side; the evaluator measures one at a time)
//
// Torch runs on the executor thread only.

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/mutex.h"
#include "core/protocol/channel.h"
#include "core/worker/aten/model.h"
#include "core/worker/oracle/evaluator.h"
#include "core/worker/timer/executor_thread.h"

namespace kw::worker {

// First in, first out; a fixed number of threads.
class JobQueue {
 public:
  explicit JobQueue(int threads);
  ~JobQueue();   // drops what has not started, waits for what has
  void push(std::function<void()> job);

 private:
  void loop();
  base::Mutex mutex_;
  base::Condition changed_;
  std::vector<std::function<void()>> waiting_ KW_GUARDED_BY(mutex_);
  bool stopping_ KW_GUARDED_BY(mutex_) = false;
  std::vector<std::thread> threads_;
};

class Service {
 public:
  Service();
  ~Service();   // here the model's tensors are complete types
  protocol::Handlers handlers();
  void stop();   // cancels what runs

 private:
  using Method = protocol::Answer (Service::*)(const protocol::json& params, const base::CancelToken& cancel);
  void serve(JobQueue& queue, Method method, std::int64_t id, const protocol::json& params, protocol::Reply reply);

  protocol::Answer hello(const protocol::json& params, const base::CancelToken& cancel);
  protocol::Answer open(const protocol::json& params, const base::CancelToken& cancel);
  protocol::Answer profile(const protocol::json& params, const base::CancelToken& cancel);
  protocol::Answer run(const protocol::json& params, const base::CancelToken& cancel);
  protocol::Answer prepare(const protocol::json& params, const base::CancelToken& cancel);
  protocol::Answer evaluate(const protocol::json& params, const base::CancelToken& cancel);
  protocol::Answer end_to_end(const protocol::json& params, const base::CancelToken& cancel);

  protocol::Environment environment() const;

  protocol::Answer on_executor(const std::function<protocol::Answer()>& work);   // what torch or JSON throws becomes an Error

  timer::ExecutorThread executor_;
  int threads_ = 0;
  std::shared_ptr<oracle::Gpu> gpu_;         // where the model runs on one
  std::unique_ptr<aten::OpenModel> model_;
  std::unique_ptr<oracle::TaskEvaluator> evaluator_;
  protocol::Ceilings ceilings_;
  base::Mutex mutex_;
  std::map<std::int64_t, base::CancelToken> running_ KW_GUARDED_BY(mutex_);
  JobQueue turns_, evaluations_;   // last: their threads use everything above
};

}  // namespace kw::worker
