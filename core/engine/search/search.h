#pragma once
// The search over all tasks of one model: one Tree a task, the budget shared between them, evaluations in flight, and a
// journal of everything. Runs on the caller's thread. With completions delivered in the order of issue (which the
// Evaluator promises) the same seed and the same verdicts grow the same trees.

#include <deque>
#include <functional>
#include <map>

#include "core/engine/search/budget.h"
#include "core/engine/search/evaluator.h"
#include "core/engine/search/journal.h"
#include "core/engine/search/snapshot.h"
#include "core/engine/search/steering.h"
#include "core/engine/search/stoppers.h"

namespace kw::search {

struct TaskInput {
  std::string id;
  double share = 0;                    // of the model's time
  double baseline_us = 0, floor_us = 0;   // estimates from the profile; replaced by what is measured
  std::shared_ptr<const Space> space;
};

// What an earlier run left in the session.
struct History {
  std::vector<store::CandidateRecord> candidates;
  std::vector<store::EdgeRecord> edges;
  std::vector<store::EvaluationRecord> evaluations;
};

struct SearchOptions {
  TreeOptions tree;
  BudgetOptions budget;
};

class Search {
 public:
  // All references outlive the search.
  Search(SearchOptions options, Evaluator& evaluator, Journal& journal, const Prior& prior);

  base::Status add(const TaskInput& task, const History& history = {});
  void steer(Steering* steering) { steering_ = steering; }   // outlives the search
  // Until a stopper has a reason or nothing is left to try; the reason ("evaluations", "exhausted", …).
  base::Result<std::string> run(const Stoppers& stoppers, const base::CancelToken& cancel,
                                const std::function<void(const Snapshot&)>& watch);

  Snapshot snapshot() const;
  const Tree* tree(const std::string& task) const;

 private:
  struct Running {
    std::string id;
    double share = 0;
    TaskStanding standing;
    std::shared_ptr<const Space> space;
    std::unique_ptr<Tree> tree;
    std::string unusable;                                // why the task cannot be evaluated
    std::map<int, plan::Plan> plans;                     // of nodes without an evaluation: in flight, lost, or left by an earlier run
    bool exhausted = false;
    int evaluations = 0, in_flight = 0;
  };
  struct Flight { int task = 0; Walk walk; std::vector<std::string> path; };

  base::Result<bool> issue();                            // false: nothing can be issued now
  base::Result<bool> issue_from(int task);
  base::Result<bool> launch(int task, const std::optional<Walk>& walk);
  base::Result<bool> issue_asked();                      // what a person asked for
  void heed();                                           // marks and errands since the last time
  bool paused() const { return steering_ != nullptr && steering_->paused(); }
  double seconds() const;                                // of this run, without its pauses
  base::Status write_new(Running& task, const Walk& walk);
  base::Status finish(const Completion& completion);
  base::Status restore(Running& task, const History& history);
  void learn(Running& task, const Walk& walk, const protocol::Evaluation& evaluation);
  Progress progress() const;
  store::EdgeRecord edge_record(const Running& task, int edge) const;

  SearchOptions options_;
  Evaluator& evaluator_;
  Journal& journal_;
  const Prior& prior_;
  std::vector<Running> tasks_;
  std::map<std::int64_t, Flight> flights_;
  std::int64_t next_job_ = 1;
  std::uint64_t version_ = 0;
  int issued_ = 0, completed_ = 0, measured_ = 0, since_gain_ = 0, unjudged_ = 0;
  std::string unjudged_because_;
  double started_s_ = 0, paused_s_ = 0;
  Steering* steering_ = nullptr;
  Steering::Marks marks_;
  std::deque<std::string> expansions_;
  std::map<std::int64_t, Errand> errands_;               // in flight
};

}  // namespace kw::search
