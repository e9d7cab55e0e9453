#pragma once
// The engine's end of one worker process: starts kernelwright-worker beside the running program, says hello, carries
// requests. A dead worker shows as Error{lost}; restart() brings a new one. Called by one thread; answers of call_async
// and progress arrive on the channel's reader thread.

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "core/base/cancel.h"
#include "core/base/process.h"
#include "core/protocol/channel.h"
#include "core/protocol/records.h"

namespace kw::conductor {

using nlohmann::json;

struct WorkerOptions {
  std::string program;                 // "": $KW_WORKER_PROGRAM, else kernelwright-worker beside this executable
  std::function<void(double fraction, const std::string& message)> progress;   // any thread; fraction < 0: unknown
};

class WorkerClient {
 public:
  static base::Result<std::unique_ptr<WorkerClient>> start(WorkerOptions options);
  ~WorkerClient();                     // asks it to shut down, then kills it

  base::Result<json> call(const std::string& method, const json& params, const base::CancelToken* cancel = nullptr);
  std::int64_t call_async(const std::string& method, const json& params, std::function<void(base::Result<json>)> done);
  void cancel(std::int64_t request);

  bool alive();
  void kill();
  base::Status restart();              // a new process and hello; nothing is open in it
  int starts() const { return starts_; }
  std::string how_it_ended();          // "killed by SIGKILL", "" while it runs

  // Of the worker as it said hello; after `open` set_environment() brings what it knows better (compiler, threads).
  void set_environment(protocol::Environment environment) { environment_ = std::move(environment); }
  const protocol::Environment& environment() const { return environment_; }

 private:
  explicit WorkerClient(WorkerOptions options) : options_(std::move(options)) {}
  base::Status launch();

  WorkerOptions options_;
  base::ChildProcess process_;
  std::unique_ptr<protocol::Channel> channel_;
  protocol::Environment environment_;
  std::string ended_;
  int starts_ = 0;
};

}  // namespace kw::conductor
