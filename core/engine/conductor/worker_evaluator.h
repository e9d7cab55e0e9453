#pragma once
// Search's evaluator, spoken over one worker. Prepares each task when its first job comes. A worker that dies costs the
// evaluations in flight, which come back as not_evaluated:worker_lost; it is replaced, the model opened again, and each of
// the lost candidates is tried once more alone, so that the culprit takes no other with it.
// Search thread; the channel's reader thread only puts answers into the inbox.

#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <set>

#include "core/engine/conductor/worker_client.h"
#include "core/engine/search/evaluator.h"
#include "core/engine/store/records.h"

namespace kw::conductor {

struct EvaluatorOptions {
  int capacity = 6;                    // jobs in flight: enough that builds never wait for a measurement
  double precision = 0.03;             // half width of the interval at which timing stops
  double deadline_s = 10;              // of one run of a candidate, enforced by the worker
  double hang_s = 600;                 // without any answer the worker itself is taken for dead
};

// What `prepare` said of a task.
struct PreparedFacts { std::optional<double> baseline_us, floor_us; bool constant_truth = false; };

class WorkerEvaluator final : public search::Evaluator {
 public:
  // `reopen` opens the model in a new worker process. References outlive the evaluator.
  WorkerEvaluator(WorkerClient& worker, std::vector<store::TaskRecord> tasks, EvaluatorOptions options,
                  std::function<base::Status()> reopen, std::function<void(const std::string&, const PreparedFacts&)> prepared);
  ~WorkerEvaluator() override;

  int capacity() const override { return options_.capacity; }
  void submit(search::Job job) override;
  std::optional<search::Completion> wait(double seconds) override;
  void cancel() override;

  // Set when no worker can be started any more: nothing is evaluated from then on.
  const std::optional<base::Error>& failure() const { return failure_; }
  // Everything that was work and not engine, for the overhead; grows while the search runs.
  const std::vector<protocol::Span>& spans() const { return spans_; }
  int workers_lost() const { return lost_; }

 private:
  enum class State : std::uint8_t { queued, sent, done };
  struct Pending {
    search::Job job;
    State state = State::queued;
    std::int64_t request = 0;
    double issued_s = 0;
    protocol::Evaluation evaluation;
    bool task_unusable = false;
  };
  enum class Readiness : std::uint8_t { unprepared, preparing, ready, unusable };
  struct TaskState {
    store::TaskRecord record;
    Readiness readiness = Readiness::unprepared;
    std::int64_t request = 0;
    double started_s = 0;
    double best_ratio = 0;             // over the baseline, of this run's accepted candidates
    int losses = 0;
    std::string reason;
  };
  struct Arrived { bool prepare = false; std::string task; std::int64_t job = 0; int epoch = 0; base::Result<json> answer; };
  struct Inbox;

  void pump();
  bool preparing() const;
  bool may_send(const Pending& pending) const;
  void send_prepare(TaskState& task);
  void send_evaluate(Pending& pending);
  void take(Arrived arrived);
  void take_prepared(TaskState& task, const base::Result<json>& answer);
  void take_evaluation(Pending& pending, const base::Result<json>& answer);
  void check_worker();
  void replace_worker();
  void finish(Pending& pending, const std::string& kind, const std::string& why);
  int sent() const;

  WorkerClient& worker_;
  EvaluatorOptions options_;
  std::function<base::Status()> reopen_;
  std::function<void(const std::string&, const PreparedFacts&)> on_prepared_;
  std::map<std::string, TaskState> tasks_;
  std::deque<Pending> queue_;          // in the order of issue
  std::set<std::string> suspects_;     // candidates that were in flight when a worker died
  std::shared_ptr<Inbox> inbox_;
  std::vector<protocol::Span> spans_;
  std::optional<base::Error> failure_;
  double last_answer_s_ = 0, cancelled_s_ = 0;
  bool cancelled_ = false;
  int epoch_ = 0, lost_ = 0, failed_starts_ = 0, errors_ = 0;
};

}  // namespace kw::conductor
