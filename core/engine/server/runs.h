#pragma once
// Searches that run in this engine: each the walk of `kernelwright optimize` in a job of its own, steered by whoever asks. Any thread.

#include <map>
#include <memory>
#include <optional>

#include "core/engine/conductor/optimize.h"
#include "core/engine/server/jobs.h"

namespace kw::server {

struct Run {
  search::Steering steering;
  std::shared_ptr<Job> job;
  std::string session;                 // known once the walk has chosen it
};

class Runs {
 public:
  explicit Runs(Notify notify, Jobs& jobs) : notify_(std::move(notify)), jobs_(jobs) {}

  struct Started { std::string job, session; };
  // Waits until the session is chosen, or for the error that came before.
  base::Result<Started> start(const conductor::OptimizeOptions& options);
  base::Result<std::shared_ptr<Run>> find(const std::string& session) const;   // not_found: no run there
  bool running(const std::string& session) const { return find(session).ok(); }

 private:
  class Teller;
  base::Result<json> walk(const std::shared_ptr<Run>& run, conductor::OptimizeOptions options, Job& job, const std::function<void(base::Status)>& chosen);

  const Notify notify_;
  Jobs& jobs_;
  mutable base::Mutex mutex_;
  std::map<std::string, std::shared_ptr<Run>> runs_ KW_GUARDED_BY(mutex_);     // by session
};

}  // namespace kw::server
