#pragma once
// Winners: the best few candidates of each task are measured again, afresh, before one is called a winner. Selecting the
// best of many noisy measurements flatters it; a new measurement in a new process does not.

#include <functional>

#include "core/base/cancel.h"
#include "core/engine/search/evaluator.h"
#include "core/engine/search/journal.h"

namespace kw::search {

struct Finalist {
  store::CandidateRecord candidate;
  double ratio = 0;                    // as the search measured it
};

struct Winner {
  std::string task, candidate;
  std::int64_t evaluation = 0;         // the fresh one
  protocol::Measurement measurement;
};

// The accepted candidates that may be faster than the baseline, best first, at most `count`.
std::vector<Finalist> finalists(const std::vector<store::CandidateRecord>& candidates,
                                const std::vector<store::EvaluationRecord>& evaluations, int count);

// Of each task the confirmed candidate (accepted and `faster` afresh) whose interval has the highest lower end.
base::Result<std::vector<Winner>> confirm(const std::vector<Finalist>& finalists, Evaluator& evaluator, Journal& journal,
                                          const base::CancelToken& cancel, const std::function<void(int done, int all)>& watch);

}  // namespace kw::search
