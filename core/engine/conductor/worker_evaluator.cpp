#include "core/engine/conductor/worker_evaluator.h"

#include <algorithm>

#include "core/base/clock.h"

namespace kw::conductor {
namespace {

constexpr int starts_in_a_row = 3;     // workers that die before they answer anything
constexpr int errors_in_a_row = 5;     // refusals that are nobody's candidate's fault: no compiler, no disk
constexpr int task_losses = 2;         // workers that die while preparing the same task
constexpr double cancel_patience_s = 5;

json task_json(const store::TaskRecord& task) {
  return {{"id", task.id}, {"graph", task.graph}, {"instance", task.instances.empty() ? json() : task.instances.front()}};
}

}  // namespace

// Outlives the evaluator in the callbacks of a channel that still winds down.
struct WorkerEvaluator::Inbox {
  std::mutex mutex;
  std::condition_variable arrived;
  std::deque<Arrived> answers;

  void put(Arrived answer) {
    const std::lock_guard lock(mutex);
    answers.push_back(std::move(answer));
    arrived.notify_one();
  }
  std::deque<Arrived> take(double seconds) {
    std::unique_lock lock(mutex);
    arrived.wait_for(lock, std::chrono::duration<double>(seconds), [&] { return !answers.empty(); });
    return std::exchange(answers, {});
  }
};

WorkerEvaluator::WorkerEvaluator(WorkerClient& worker, std::vector<store::TaskRecord> tasks, EvaluatorOptions options,
                                 std::function<base::Status()> reopen,
                                 std::function<void(const std::string&, const PreparedFacts&)> prepared)
    : worker_(worker), options_(options), reopen_(std::move(reopen)), on_prepared_(std::move(prepared)), inbox_(std::make_shared<Inbox>()) {
  for (store::TaskRecord& task : tasks) {
    TaskState state;
    state.record = std::move(task);
    const std::string id = state.record.id;
    tasks_.emplace(id, std::move(state));
  }
}

WorkerEvaluator::~WorkerEvaluator() = default;

void WorkerEvaluator::submit(search::Job job) {
  Pending pending;
  pending.job = std::move(job);
  pending.issued_s = base::now_s();
  queue_.push_back(std::move(pending));
  pump();
}

std::optional<search::Completion> WorkerEvaluator::wait(double seconds) {
  const double until = base::now_s() + seconds;
  for (;;) {
    pump();
    if (!queue_.empty() && queue_.front().state == State::done) {
      Pending front = std::move(queue_.front());
      queue_.pop_front();
      for (const auto& span : front.evaluation.spans) spans_.push_back(span);
      return search::Completion{front.job.id, std::move(front.evaluation), base::now_s() - front.issued_s, front.task_unusable};
    }
    const double left = until - base::now_s();
    if (left <= 0) return std::nullopt;
    for (Arrived& arrived : inbox_->take(std::min(left, 0.1))) take(std::move(arrived));
    check_worker();
  }
}

int WorkerEvaluator::sent() const {
  return static_cast<int>(std::count_if(queue_.begin(), queue_.end(), [](const Pending& p) { return p.state == State::sent; }));
}

// A suspect runs alone: nothing else is in flight, and nothing overtakes it.
bool WorkerEvaluator::may_send(const Pending& pending) const {
  if (suspects_.count(pending.job.candidate)) return sent() == 0;
  return std::none_of(queue_.begin(), queue_.end(),
                      [&](const Pending& p) { return p.state == State::sent && suspects_.count(p.job.candidate); });
}

void WorkerEvaluator::pump() {
  for (Pending& pending : queue_) {
    if (pending.state != State::queued) continue;
    if (cancelled_) {
      finish(pending, "cancelled", "Cancelled.");
      continue;
    }
    if (failure_) {
      finish(pending, "worker_lost", failure_->message);
      continue;
    }
    TaskState& task = tasks_.at(pending.job.task);
    if (task.readiness == Readiness::unusable) {
      finish(pending, "not_prepared", task.reason);
      pending.task_unusable = true;
    } else if (task.readiness == Readiness::unprepared && !preparing()) {
      send_prepare(task);
    } else if (task.readiness == Readiness::ready && may_send(pending)) {
      send_evaluate(pending);
    }
    if (suspects_.count(pending.job.candidate) && pending.state != State::done) break;
  }
}

// One at a time: the worker runs torch on one thread anyway, and a task that kills it is known.
bool WorkerEvaluator::preparing() const {
  return std::any_of(tasks_.begin(), tasks_.end(), [](const auto& t) { return t.second.readiness == Readiness::preparing; });
}

void WorkerEvaluator::send_prepare(TaskState& task) {
  task.readiness = Readiness::preparing;
  task.started_s = last_answer_s_ = base::now_s();
  task.request = worker_.call_async("prepare", {{"task", task_json(task.record)}},
                                    [inbox = inbox_, id = task.record.id, epoch = epoch_](base::Result<json> answer) {
                                      inbox->put({true, id, 0, epoch, std::move(answer)});
                                    });
}

void WorkerEvaluator::send_evaluate(Pending& pending) {
  const search::Job& job = pending.job;
  pending.state = State::sent;
  if (sent() == 1) last_answer_s_ = base::now_s();
  const json params = {{"task", job.task}, {"candidate", job.candidate}, {"plan", plan::to_json(job.plan)}, {"precision", options_.precision},
                       {"deadline_s", options_.deadline_s}, {"afresh", job.afresh}, {"best_ratio", tasks_.at(job.task).best_ratio}};
  pending.request = worker_.call_async("evaluate", params, [inbox = inbox_, id = job.id, epoch = epoch_](base::Result<json> answer) {
    inbox->put({false, "", id, epoch, std::move(answer)});
  });
}

void WorkerEvaluator::take(Arrived arrived) {
  if (arrived.epoch != epoch_) return;   // of a worker that was given up
  last_answer_s_ = base::now_s();
  if (!arrived.answer && arrived.answer.error().code == base::ErrorCode::lost) return;   // check_worker sees to all of them
  failed_starts_ = 0;
  if (arrived.prepare) {
    take_prepared(tasks_.at(arrived.task), arrived.answer);
    return;
  }
  for (Pending& pending : queue_)
    if (pending.job.id == arrived.job && pending.state == State::sent) take_evaluation(pending, arrived.answer);
}

void WorkerEvaluator::take_prepared(TaskState& task, const base::Result<json>& answer) {
  spans_.push_back({"reference", task.started_s, base::now_s()});
  if (!answer) {
    const bool cancelled = answer.error().code == base::ErrorCode::cancelled;
    task.readiness = cancelled ? Readiness::unprepared : Readiness::unusable;
    task.reason = answer.error().text();
    return;
  }
  task.readiness = Readiness::ready;
  PreparedFacts facts;
  const auto number = [&](const char* key) -> std::optional<double> {
    const auto found = answer->find(key);
    return found != answer->end() && found->is_number() && found->get<double>() > 0 ? std::optional(found->get<double>()) : std::nullopt;
  };
  facts.baseline_us = number("baseline_us");
  facts.floor_us = number("floor_us");
  facts.constant_truth = answer->value("constant_truth", false);
  on_prepared_(task.record.id, facts);
}

void WorkerEvaluator::take_evaluation(Pending& pending, const base::Result<json>& answer) {
  pending.state = State::done;
  suspects_.erase(pending.job.candidate);
  if (!answer) {
    const bool cancelled = answer.error().code == base::ErrorCode::cancelled;
    finish(pending, cancelled ? "cancelled" : "worker_error", answer.error().text());
    if (!cancelled && ++errors_ >= errors_in_a_row) failure_ = answer.error();
    return;
  }
  errors_ = 0;
  try {
    pending.evaluation = answer->get<protocol::Evaluation>();
    const protocol::Evaluation& evaluation = pending.evaluation;
    double& best = tasks_.at(pending.job.task).best_ratio;
    if (evaluation.verdict == protocol::Verdict::accepted && evaluation.measurement) best = std::max(best, evaluation.measurement->ratio);
  } catch (const json::exception& e) {
    finish(pending, "worker_error", std::string("The worker's answer makes no sense: ") + e.what());
  }
}

void WorkerEvaluator::finish(Pending& pending, const std::string& kind, const std::string& why) {
  pending.state = State::done;
  pending.evaluation = {};
  pending.evaluation.kind = kind;
  pending.evaluation.evidence.summary = why;
}

void WorkerEvaluator::cancel() {
  cancelled_ = true;
  cancelled_s_ = base::now_s();
  for (const Pending& pending : queue_)
    if (pending.state == State::sent) worker_.cancel(pending.request);
  for (const auto& [id, task] : tasks_)
    if (task.readiness == Readiness::preparing) worker_.cancel(task.request);
}

void WorkerEvaluator::check_worker() {
  const bool waiting = sent() > 0 || preparing();
  const double now = base::now_s();
  if (waiting && now - last_answer_s_ > options_.hang_s) worker_.kill();
  if (cancelled_ && sent() > 0 && now - cancelled_s_ > cancel_patience_s) {
    // Not replaced: the run is over. Whoever needs a worker afterwards starts one.
    ++epoch_;
    for (Pending& pending : queue_)
      if (pending.state == State::sent) finish(pending, "cancelled", "Cancelled.");
    return;
  }
  if (waiting && !worker_.alive()) replace_worker();
}

void WorkerEvaluator::replace_worker() {
  for (Arrived& arrived : inbox_->take(0)) take(std::move(arrived));   // what it said before it died still counts
  ++lost_;
  ++epoch_;
  ++failed_starts_;
  const std::string end = worker_.how_it_ended();
  for (Pending& pending : queue_) {
    if (pending.state != State::sent) continue;
    suspects_.insert(pending.job.candidate);
    finish(pending, cancelled_ ? "cancelled" : "worker_lost", "The worker ended (" + (end.empty() ? "no answer" : end) + ") while this was in flight.");
  }
  for (auto& [id, task] : tasks_) {
    if (task.readiness == Readiness::unusable) continue;
    const bool suspect = task.readiness == Readiness::preparing;
    task.readiness = Readiness::unprepared;
    if (!suspect || ++task.losses < task_losses) continue;
    task.readiness = Readiness::unusable;
    task.reason = "The worker ended (" + end + ") each time it prepared this task.";
  }
  if (cancelled_) return;
  base::Status status = worker_.restart();
  if (status) status = reopen_();
  last_answer_s_ = base::now_s();
  if (!status)
    failure_ = status.error();
  else if (failed_starts_ >= starts_in_a_row)
    failure_ = base::Error{base::ErrorCode::lost, "the worker died " + std::to_string(failed_starts_) + " times in a row without an answer. `kernelwright doctor` may say why.", ""};
}

}  // namespace kw::conductor
