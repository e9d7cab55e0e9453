// model/*, run/*, jobs/*: searches of this engine.
#include <algorithm>

#include "core/engine/server/desk.h"
#include "core/engine/server/methods.h"

namespace kw::server {
namespace {

constexpr int default_evaluations = 200;

conductor::OptimizeOptions options_of(const Desk& desk, const json& p) {
  conductor::OptimizeOptions o;
  o.model.path = p.at("path").get<std::string>();
  o.model.target = p.value("target", o.model.target);
  o.model.threads = p.value("threads", 0);
  o.model.seed = p.value("seed", std::int64_t{0});
  o.model.python = p.value("python", "");
  o.model.inputs = p.value("inputs", "");
  o.model.input_set = p.value("input_set", "");
  o.model.worker = desk.options.worker;
  o.session = p.value("session", "");
  o.task = p.value("task", "");
  o.tasks = p.value("tasks", 0);
  o.evaluations = p.value("evaluations", 0);
  o.minutes = p.value("minutes", 0.0);
  o.policy = p.value("policy", o.policy);
  if (o.evaluations == 0 && o.minutes == 0) o.evaluations = default_evaluations;
  return o;
}

base::Status offered(const conductor::OptimizeOptions& o) {
  const auto one_of = [](const std::string& word, std::initializer_list<const char*> words) { return std::find(words.begin(), words.end(), word) != words.end(); };
  if (!one_of(o.model.target, {"auto", "cpu", "cuda"})) return base::bad_input("the target is auto, cpu or cuda.", "target");
  if (!one_of(o.policy, {"none", "default"})) return base::bad_input("learned policies cannot be used in this version; use none or default.", "policy");
  if (o.model.threads < 0 || o.tasks < 0 || o.evaluations < 0 || !(o.minutes >= 0)) return base::bad_input("threads, tasks, evaluations and minutes cannot be negative.", "run");
  return base::done();
}

Answer begin(Desk& desk, const json& params, bool profile_only) {
  auto options = options_of(desk, params);
  options.profile_only = profile_only;
  if (auto status = offered(options); !status) return status.error();
  if (auto status = desk.trust.model(options.model.path); !status) return status.error();
  auto started = desk.runs.start(options);
  if (!started) return started.error();
  return json{{"job", started->job}, {"session", started->session}};
}

base::Result<std::shared_ptr<Run>> run_of(const Desk& desk, const json& params) { return desk.runs.find(params.at("session").get<std::string>()); }

Answer pause(const Desk& desk, const json& params, bool paused) {
  auto run = run_of(desk, params);
  if (!run) return run.error();
  (*run)->steering.pause(paused);
  return json::object();
}

}  // namespace

Answer model_profile(Desk& desk, const json& params) { return begin(desk, params, true); }
Answer run_start(Desk& desk, const json& params) { return begin(desk, params, false); }
Answer run_pause(Desk& desk, const json& params) { return pause(desk, params, true); }
Answer run_resume(Desk& desk, const json& params) { return pause(desk, params, false); }

Answer run_stop(Desk& desk, const json& params) {
  auto run = run_of(desk, params);
  if (!run) return run.error();
  if (params.value("confirm", false))
    (*run)->steering.stop();
  else
    (*run)->job->cancel.cancel();
  return json::object();
}

Answer run_steer(Desk& desk, const json& params) {
  const std::string session = params.at("session"), action = params.at("action"), candidate = params.at("candidate");
  const auto actions = {"pin", "unpin", "ban", "unban", "expand"};
  if (std::find(actions.begin(), actions.end(), action) == actions.end()) return base::bad_input("a search is steered by pin, unpin, ban, unban or expand.", action);
  auto run = desk.runs.find(session);
  if (action == "expand" && !run) return run.error();
  auto opened = writable(session);
  if (!opened) return opened.error();
  if (auto known = opened->candidate(candidate); !known) return known.error();
  if (action != "expand")
    if (auto status = opened->add_mark(candidate, action); !status) return status.error();
  if (run) (*run)->steering.mark(action, candidate);
  return json::object();
}

Answer jobs_list(Desk& desk, const json&) { return json{{"jobs", desk.jobs.list()}}; }

Answer jobs_cancel(Desk& desk, const json& params) {
  auto status = desk.jobs.cancel(params.at("job").get<std::string>());
  if (!status) return status.error();
  return json::object();
}

}  // namespace kw::server
