#include "core/engine/server/runs.h"

#include <algorithm>
#include <ctime>
#include <future>

#include "core/base/clock.h"
#include "core/engine/server/session_view.h"

namespace kw::server {
namespace {

constexpr double between_states_s = 0.5;

double best_speedup(const search::Snapshot& snapshot) {
  double best = 1;
  for (const auto& task : snapshot.tasks)
    if (task.best_us > 0) best = std::max(best, task.baseline_us / task.best_us);
  return best;
}

std::string now_utc() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

}  // namespace

// What a walk tells its client: run/state when it changes and now and then in between, progress of the job, lines for the log. The walk's
// thread, and for progress also the one that reads the worker.
class Runs::Teller {
 public:
  Teller(const Notify& notify, Run& run, Job& job) : notify_(notify), run_(run), job_(job) {}

  void stage(const std::string& name) {
    state(name, "");
    job_.progress(-1, name);
  }
  void progress(const search::Snapshot& snapshot, int budget) {
    const std::string now = run_.steering.paused() ? "paused" : "searching";
    evaluations_ = {{"evaluations", snapshot.completed}, {"best_speedup", best_speedup(snapshot)}};
    if (budget > 0) evaluations_["budget"] = budget;
    if (snapshot.measured > 0 && snapshot.seconds > 0) evaluations_["measured_per_min"] = 60 * snapshot.measured / snapshot.seconds;
    if (now == told_state_ && (snapshot.version == told_version_ || base::now_s() - told_s_ < between_states_s)) return;
    told_version_ = snapshot.version;
    state(now, "");
    job_.progress(budget > 0 ? static_cast<double>(snapshot.completed) / budget : -1, std::to_string(snapshot.completed) + " evaluations");
  }
  void say(const std::string& line) { notify_("log", {{"level", line.starts_with("note:") ? "warning" : "info"}, {"part", "run"}, {"text", line}, {"time", now_utc()}}); }
  void end(const base::Result<conductor::Optimized>& result) {
    if (result)
      state("done", result->reason);
    else
      state("failed", result.error().text());
  }

 private:
  void state(const std::string& now, const std::string& reason) {
    told_state_ = now;
    told_s_ = base::now_s();
    json told = evaluations_;
    told["session"] = run_.session;
    told["state"] = now;
    told["reason"] = reason;
    notify_("run/state", told);
  }

  const Notify& notify_;
  Run& run_;
  Job& job_;
  json evaluations_ = json::object();
  std::string told_state_;
  std::uint64_t told_version_ = 0;
  double told_s_ = 0;
};

base::Result<json> Runs::walk(const std::shared_ptr<Run>& run, conductor::OptimizeOptions options, Job& job, const std::function<void(base::Status)>& chosen) {
  Teller teller(notify_, *run, job);
  conductor::OptimizeWatch watch;
  watch.common.say = [&](const std::string& line) { teller.say(line); };
  watch.common.progress = [&](double fraction, const std::string& what) { job.progress(fraction, what); };
  watch.stage = [&](const std::string& stage) { teller.stage(stage); };
  watch.search = [&](const search::Snapshot& snapshot, int budget) { teller.progress(snapshot, budget); };
  watch.chosen = [&](const std::string& path) {
    const std::string session = session_name(path);
    {
      const base::Lock lock(mutex_);
      run->session = session;
      runs_[session] = run;
    }
    job.session(session);
    chosen(base::done());
  };
  options.steering = &run->steering;
  auto result = conductor::optimize(options, watch, job.cancel);
  if (!result) chosen(result.error());
  {
    const base::Lock lock(mutex_);
    if (const auto found = runs_.find(run->session); found != runs_.end() && found->second == run) runs_.erase(found);
  }
  teller.end(result);
  if (!result) return result.error();
  return json{{"session", run->session}, {"reason", result->reason}, {"evaluations", result->evaluations}, {"evaluations_measured", result->measured}};
}

base::Result<Runs::Started> Runs::start(const conductor::OptimizeOptions& options) {
  auto run = std::make_shared<Run>();
  auto first = std::make_shared<std::promise<base::Status>>();
  auto told = std::make_shared<bool>(false);   // the walk's thread only
  auto beginning = first->get_future();
  // The promise is the thread's alone: should it end without a word, it breaks, and the waiting ends.
  auto job = jobs_.start(options.profile_only ? "profile" : "optimize", [this, run, options, first = std::move(first), told](Job& own) {
    return walk(run, options, own, [&first, told](base::Status status) {
      if (!*told) first->set_value(std::move(status));
      *told = true;
    });
  });
  {
    const base::Lock lock(mutex_);
    run->job = job;
  }
  if (auto status = beginning.get(); !status) return status.error();
  return Started{job->id, run->session};
}

base::Result<std::shared_ptr<Run>> Runs::find(const std::string& session) const {
  const base::Lock lock(mutex_);
  const auto found = runs_.find(session);
  if (found != runs_.end()) return found->second;
  return base::Error{base::ErrorCode::not_found, "no search runs in this session.", session};
}

}  // namespace kw::server
