#pragma once
// Long work in threads of the server: runs, profiles, verifications, edits. Progress is told at most five times a second for each. Any
// thread may start, list and cancel.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "core/base/cancel.h"
#include "core/base/mutex.h"
#include "core/base/result.h"

namespace kw::server {

using nlohmann::json;
using Notify = std::function<void(const std::string& method, const json& params)>;

class Job {
 public:
  Job(std::string name, std::string work, const Notify& notify) : id(std::move(name)), what(std::move(work)), notify_(notify) {}

  const std::string id, what;
  base::CancelToken cancel;
  void session(const std::string& path);
  void progress(double fraction, const std::string& text);   // fraction < 0: not known
  json describe() const;

 private:
  friend class Jobs;
  const Notify& notify_;
  mutable base::Mutex mutex_;
  std::string session_ KW_GUARDED_BY(mutex_), text_ KW_GUARDED_BY(mutex_), state_ KW_GUARDED_BY(mutex_) = "running";
  double fraction_ KW_GUARDED_BY(mutex_) = -1, began_s_ KW_GUARDED_BY(mutex_) = 0, told_s_ KW_GUARDED_BY(mutex_) = 0;
  std::thread thread_;                 // owned by Jobs
};

class Jobs {
 public:
  explicit Jobs(Notify notify) : notify_(std::move(notify)) {}
  ~Jobs() { cancel_all(), wait(); }
  void cancel_all();
  void wait();                         // until none runs

  // `work`'s answer is told as job/done.
  std::shared_ptr<Job> start(const std::string& what, std::function<base::Result<json>(Job&)> work);
  json list() const;                   // of those that run
  base::Status cancel(const std::string& id);
  bool busy() const;

 private:
  void finish(Job& job, const base::Result<json>& answer);

  const Notify notify_;
  mutable base::Mutex mutex_;
  std::map<std::string, std::shared_ptr<Job>> jobs_ KW_GUARDED_BY(mutex_);
  int last_ KW_GUARDED_BY(mutex_) = 0;
};

}  // namespace kw::server
