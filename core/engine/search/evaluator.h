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
};
struct Completion {
  std::int64_t id = 0;
  protocol::Evaluation evaluation;
};

class Evaluator {
 public:
  virtual ~Evaluator() = default;
  virtual int capacity() const = 0;                    // jobs worth having in flight
  virtual void submit(Job job) = 0;                    // never blocks
  virtual std::optional<Completion> wait(double seconds) = 0;   // completions in the order of issue; nullopt: none yet
};

}  // namespace kw::search
