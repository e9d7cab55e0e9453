#include "core/engine/server/jobs.h"

#include "core/base/clock.h"
#include "core/protocol/channel.h"

namespace kw::server {
namespace {

constexpr double between_progress_s = 0.2;

base::Result<json> guarded(const std::function<base::Result<json>(Job&)>& work, Job& job) {
  try {
    return work(job);
  } catch (const std::exception& e) {
    return base::Error{base::ErrorCode::internal, job.what + " failed: " + e.what(), job.id};
  }
}

}  // namespace

void Job::session(const std::string& path) {
  const base::Lock lock(mutex_);
  session_ = path;
}

void Job::progress(double fraction, const std::string& text) {
  json told = {{"job", id}, {"text", text}};
  {
    const base::Lock lock(mutex_);
    const double now = base::now_s();
    if (began_s_ == 0 || fraction < fraction_) began_s_ = now;   // a new step: the estimate begins anew
    const bool same = text == text_ && now - told_s_ < between_progress_s;
    fraction_ = fraction;
    text_ = text;
    if (same) return;
    told_s_ = now;
    if (fraction >= 0) told["fraction"] = fraction;
    if (fraction > 0.02) told["eta_s"] = (now - began_s_) / fraction * (1 - fraction);
  }
  notify_("job/progress", told);
}

json Job::describe() const {
  const base::Lock lock(mutex_);
  json out = {{"job", id}, {"session", session_}, {"what", what}, {"state", state_}, {"text", text_}};
  if (fraction_ >= 0) out["fraction"] = fraction_;
  if (fraction_ > 0.02) out["eta_s"] = (base::now_s() - began_s_) / fraction_ * (1 - fraction_);
  return out;
}

void Jobs::cancel_all() {
  const base::Lock lock(mutex_);
  for (auto& [id, job] : jobs_) job->cancel.cancel();
}

void Jobs::wait() {
  std::map<std::string, std::shared_ptr<Job>> all;
  {
    const base::Lock lock(mutex_);
    all.swap(jobs_);
  }
  for (const auto& [id, job] : all) job->thread_.join();
}

std::shared_ptr<Job> Jobs::start(const std::string& what, std::function<base::Result<json>(Job&)> work) {
  const base::Lock lock(mutex_);
  // Threads of finished jobs are done but for their last instruction.
  for (auto it = jobs_.begin(); it != jobs_.end();) {
    const bool done = it->second->describe()["state"] == "done";
    if (done) it->second->thread_.join();
    it = done ? jobs_.erase(it) : std::next(it);
  }
  const std::string id = "j" + std::to_string(++last_);
  auto job = std::make_shared<Job>(id, what, notify_);
  jobs_.emplace(id, job);
  job->thread_ = std::thread([this, job, work = std::move(work)] { finish(*job, guarded(work, *job)); });
  return job;
}

void Jobs::finish(Job& job, const base::Result<json>& answer) {
  {
    const base::Lock lock(job.mutex_);
    job.state_ = "done";
  }
  if (answer)
    notify_("job/done", {{"job", job.id}, {"result", *answer}});
  else
    notify_("job/done", {{"job", job.id}, {"error", protocol::to_json(answer.error())}});
}

json Jobs::list() const {
  const base::Lock lock(mutex_);
  json out = json::array();
  for (const auto& [id, job] : jobs_)
    if (json row = job->describe(); row["state"] != "done") out.push_back(std::move(row));
  return out;
}

base::Status Jobs::cancel(const std::string& id) {
  const base::Lock lock(mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return base::Error{base::ErrorCode::not_found, "there is no such job.", id};
  found->second->cancel.cancel();
  return base::done();
}

bool Jobs::busy() const { return !list().empty(); }

}  // namespace kw::server
