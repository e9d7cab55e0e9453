#pragma once
// What search knows of the world: hand in a plan, get an evaluation back later. The conductor's evaluator speaks to
// workers; tests give a fake one. Called from the search thread only.

#include <optional>
#include <string>

#include "core/plan/plan.h"
#include "core/protocol/records.h"

namespace kw::search {

struct Job {
  std::int64_t id = 0;                 // unique in the run
  std::string task;
  std::string candidate;               // candidate id in the session
  plan::Plan plan;
  bool afresh = false;                 // new process, new inputs, new seed: how winners are confirmed
};
struct Completion {
  std::int64_t id = 0;
  protocol::Evaluation evaluation;
  double wall_s = 0;                   // from issue to completion
  bool task_unusable = false;          // the task itself cannot be evaluated (evidence says why): no more of its jobs
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual int capacity() const = 0;                    // jobs worth having in flight
  virtual void submit(Job job) = 0;                    // never blocks
  virtual std::optional<Completion> wait(double seconds) = 0;   // completions in the order of issue; nullopt: none yet
  virtual void cancel() = 0;                           // what is in flight completes soon, as not_evaluated:cancelled
};

}  // namespace kw::search
