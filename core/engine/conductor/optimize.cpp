#include "core/engine/conductor/optimize.h"

#include <unistd.h>

#include <algorithm>

#include "core/base/clock.h"
#include "core/engine/conductor/model_tasks.h"
#include "core/engine/conductor/session_journal.h"
#include "core/engine/conductor/session_tasks.h"
#include "core/engine/conductor/spans.h"
#include "core/engine/conductor/worker_evaluator.h"
#include "core/engine/search/finals.h"
#include "core/engine/store/session_path.h"

namespace kw::conductor {
namespace {

class Walk {
 public:
  Walk(const OptimizeOptions& options, const OptimizeWatch& watch, const base::CancelToken& cancel)
      : options_(options), watch_(watch), cancel_(cancel) {}

  base::Result<Optimized> run() {
    struct Step { const char* stage; base::Status (Walk::*take)(); };
    constexpr Step steps[] = {{"opening", &Walk::open},     {"profiling", &Walk::profile}, {"profiling", &Walk::choose_tasks},
                              {"searching", &Walk::search}, {"confirming", &Walk::finals}, {"timing the model", &Walk::end_to_end}};
    for (const Step& step : steps) {
      if (options_.profile_only && step.take == &Walk::search) break;
      if (watch_.stage) watch_.stage(step.stage);
      if (auto status = (this->*step.take)(); !status) return stopped(status.error());
    }
    return finished();
  }

 private:
  void say(const std::string& line) const {
    if (watch_.common.say) watch_.common.say(line);
  }
  void tell(const std::string& what) const {
    if (watch_.common.progress) watch_.common.progress(-1, what);
  }

  base::Status open() {
    // A named session that cannot be written is said before anything slow happens.
    if (!options_.session.empty() && access(options_.session.c_str(), F_OK) == 0) {
      auto existing = store::Session::open(options_.session, store::Session::Access::write);
      if (!existing) return existing.error();
    }
    auto model = OpenModel::open(options_.model, watch_.common, cancel_);
    if (!model) return model.error();
    model_ = std::move(*model);
    for (const std::string& note : model_->notes()) say("note: " + note);
    auto chosen = store::choose_session(model_->info(), options_.session);
    if (!chosen) return chosen.error();
    say(chosen->message);
    session_.emplace(std::move(chosen->session));
    result_.session = session_->path();
    if (watch_.chosen) watch_.chosen(result_.session);
    if (auto status = session_->set_environment(model_->worker().environment()); !status) return status;
    return session_->set_graph(model_->graph_json());
  }

  base::Status profile() {
    auto stored = session_->profile();
    if (!stored) return stored.error();
    if (!stored->has_value()) {   // else its shares rank the tasks of this session for good
      tell("profiling");
      if (auto status = profile_into(*session_, *model_, cancel_); !status) return status;
      stored = session_->profile();
      if (!stored) return stored.error();
      if (stored->has_value() && !(*stored)->note.empty()) say("note: " + (*stored)->note);
    }
    auto cards = session_->cards();
    if (!cards) return cards.error();
    if (watch_.profiled) watch_.profiled(*cards);
    return base::done();
  }

  base::Status choose_tasks() {
    auto all = session_->tasks();
    if (!all) return all.error();
    if (all->empty()) return base::Error{base::ErrorCode::unsupported, "nothing in this model can be generated on the cpu target: every operator is a border (matmul, convolution, attention) or moves no data.", options_.model.path};
    for (const auto& task : *all) {
      const bool wanted = options_.task.empty() ? options_.tasks <= 0 || task.position < options_.tasks : task.id == options_.task;
      if (wanted) tasks_.push_back(task);
    }
    if (!tasks_.empty()) return base::done();
    return base::bad_input("there is no task '" + options_.task + "' in this model. `kernelwright show " + session_->path() + " tasks` lists them.");
  }

  base::Status search() {
    auto run = session_->begin_run(run_options());
    if (!run) return run.error();
    result_.run = *run;
    auto already = evaluations_of_interrupted_runs(*session_);
    if (!already) return already.error();
    const int left = std::max(0, options_.evaluations - *already);
    if (*already > 0 && options_.evaluations > 0)
      say("An interrupted run made " + std::to_string(*already) + " of " + std::to_string(options_.evaluations) + " evaluations; " + std::to_string(left) + " are left.");
    auto candidates = session_->candidates("");
    if (!candidates) return candidates.error();
    journal_.emplace(*session_, *run, static_cast<int>(candidates->size()));
    EvaluatorOptions evaluation;
    evaluation.precision = options_.precision;
    evaluation.capacity = options_.capacity;
    evaluator_.emplace(model_->worker(), tasks_, evaluation, [this] { return model_->reopen(); },
                       [this](const std::string& task, const PreparedFacts& facts) { prepared(task, facts); });
    search::SearchOptions search_options;
    search_options.tree.seed = static_cast<std::uint64_t>(options_.model.seed);
    const search::UniformPrior uniform;
    const search::HandmadePrior handmade;
    const search::Prior& prior = options_.policy == "none" ? static_cast<const search::Prior&>(uniform) : handmade;
    search::Search search(search_options, *evaluator_, *journal_, prior);
    if (auto status = add_tasks(search, *session_, tasks_, model_->worker().environment()); !status) return status;
    if (auto status = restore_marks(); !status) return status;
    search.steer(&steering());
    started_s_ = base::now_s();
    auto reason = search.run(stoppers(left), cancel_, [&](const search::Snapshot& s) {
      if (watch_.search) watch_.search(s, options_.evaluations > 0 ? left : 0);
    });
    end_errands();
    const search::Snapshot last = search.snapshot();
    result_.evaluations = last.completed;
    result_.measured = last.measured;
    result_.unjudged = last.unjudged;
    result_.unjudged_because = last.unjudged_because;
    if (!reason) return reason.error();
    result_.reason = *reason;
    if (write_error_) return *write_error_;
    if (evaluator_->failure()) return *evaluator_->failure();
    return base::done();
  }

  search::Steering& steering() const { return options_.steering != nullptr ? *options_.steering : own_steering_; }

  base::Status restore_marks() {
    auto rows = session_->rows();
    if (!rows) return rows.error();
    auto marks = session_->marks(0, rows->marks);
    if (!marks) return marks.error();
    for (const auto& mark : *marks) steering().mark(mark.mark, mark.candidate);
    return base::done();
  }

  void end_errands() {
    steering().close();
    for (const auto& errand : steering().take_errands())
      errand.done(base::Error{base::ErrorCode::busy, "the search has just ended. Ask again when the run is done.", errand.job.candidate});
  }

  search::Stoppers stoppers(int left) const {
    search::Stoppers chain;
    chain.push_back(search::stop_when_cancelled(cancel_));
    chain.push_back(search::stop_when("stopped", [this] { return steering().stopping(); }));
    chain.push_back(search::stop_when("failed", [this] { return evaluator_->failure().has_value() || write_error_.has_value(); }));
    if (options_.evaluations > 0) chain.push_back(search::stop_after_evaluations(left));
    if (options_.minutes > 0) chain.push_back(search::stop_after_minutes(options_.minutes));
    if (options_.plateau > 0) chain.push_back(search::stop_at_plateau(options_.plateau));
    chain.push_back(search::stop_at_roofline());
    return chain;
  }

  void prepared(const std::string& task, const PreparedFacts& facts) {
    auto status = session_->set_task_facts(task, facts.baseline_us, facts.floor_us);
    if (status && facts.constant_truth) status = session_->set_task_note(task, "its result does not depend on its inputs");
    if (!status) write_error_ = status.error();
  }

  base::Status finals() {
    if (cancel_.cancelled()) return base::done();
    std::vector<search::Finalist> all;
    auto evaluations = session_->evaluations("");
    if (!evaluations) return evaluations.error();
    for (const auto& task : tasks_) {
      auto candidates = session_->candidates(task.id);
      if (!candidates) return candidates.error();
      for (auto& finalist : search::finalists(*candidates, *evaluations, options_.finalists)) all.push_back(std::move(finalist));
    }
    auto winners = search::confirm(all, *evaluator_, *journal_, cancel_, [this](int done, int count) {
      if (watch_.common.progress) watch_.common.progress(static_cast<double>(done) / count, "measuring the winners again");
    });
    if (!winners) return winners.error();
    measured_until_s_ = base::now_s();
    if (cancel_.cancelled()) return base::done();
    for (const auto& task : tasks_)
      if (auto status = session_->clear_final(task.id); !status) return status;
    for (const auto& winner : *winners)
      if (auto status = session_->set_final({winner.task, winner.candidate, winner.evaluation, true}); !status) return status;
    return base::done();
  }

  base::Status end_to_end() {
    if (cancel_.cancelled()) return base::done();
    auto winners = winners_json(*session_);
    if (!winners) return winners.error();
    if (winners->empty()) {
      say("No task has a confirmed winner, so the model stays as it is.");
      return base::done();
    }
    tell("timing the whole model with and without its winners");
    if (!model_->worker().alive()) {
      if (auto status = model_->worker().restart(); !status) return status;
      if (auto status = model_->reopen(); !status) return status;
    }
    auto answer = model_->worker().call("end_to_end", {{"winners", *winners}, {"rounds", options_.end_to_end_rounds}}, &cancel_);
    if (!answer) return answer.error();
    return keep_end_to_end(*session_, result_.run, *answer);
  }

  nlohmann::json run_options() const {
    return {{"evaluations", options_.evaluations}, {"minutes", options_.minutes}, {"task", options_.task}, {"tasks", options_.tasks},
            {"seed", options_.model.seed}, {"policy", options_.policy}, {"precision", options_.precision}};
  }

  base::Result<Optimized> stopped(const base::Error& error) {
    if (error.code == base::ErrorCode::cancelled || cancel_.cancelled()) return finished();
    if (session_ && result_.run > 0) {
      result_.reason = "error";
      (void)write_run();             // the error that stopped it is the one to tell
    }
    return error;
  }

  base::Result<Optimized> finished() {
    result_.cancelled = cancel_.cancelled();
    if (result_.cancelled) result_.reason = "cancelled";
    if (!session_) return base::Error{base::ErrorCode::cancelled, "stopped before anything was measured.", options_.model.path};
    if (result_.run > 0)
      if (auto status = write_run(); !status) return status.error();
    if (auto status = session_->close(); !status) return status.error();
    return result_;
  }

  base::Status write_run() {
    const double until = measured_until_s_ > 0 ? measured_until_s_ : base::now_s();
    store::RunRecord record;
    record.id = result_.run;
    record.reason = result_.reason;
    record.evaluations = result_.evaluations;
    record.measured = result_.measured;
    if (started_s_ > 0 && until > started_s_) {
      record.wall_s = result_.wall_s = until - started_s_;
      result_.overhead_share = 1 - covered_s(evaluator_->spans(), started_s_, until) / result_.wall_s;
      record.overhead_share = result_.overhead_share;
    }
    if (evaluator_) result_.workers_lost = evaluator_->workers_lost();
    return session_->end_run(record);
  }

  const OptimizeOptions& options_;
  const OptimizeWatch& watch_;
  const base::CancelToken& cancel_;
  mutable search::Steering own_steering_;
  Optimized result_;
  std::unique_ptr<OpenModel> model_;
  std::optional<store::Session> session_;
  std::vector<store::TaskRecord> tasks_;
  std::optional<SessionJournal> journal_;
  std::optional<WorkerEvaluator> evaluator_;
  std::optional<base::Error> write_error_;
  double started_s_ = 0, measured_until_s_ = 0;
};

}  // namespace

base::Result<Optimized> optimize(const OptimizeOptions& options, const OptimizeWatch& watch, const base::CancelToken& cancel) {
  return Walk(options, watch, cancel).run();
}

}  // namespace kw::conductor
