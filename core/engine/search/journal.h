#pragma once
// Where search writes what it does, as it does it. The conductor's journal is the session; tests keep it in memory.
// An error (a full disk) stops the search. Called from the search thread.

#include "core/base/result.h"
#include "core/engine/store/records.h"

namespace kw::search {

class Journal {
 public:
  virtual ~Journal() = default;
  virtual std::string next_candidate() = 0;            // a new id, in order
  virtual base::Status candidate(const store::CandidateRecord& candidate, const std::vector<store::EdgeRecord>& edges) = 0;
  virtual base::Status edge(const store::EdgeRecord& edge) = 0;
  virtual base::Result<std::int64_t> evaluated(const store::EvaluationRecord& evaluation) = 0;
  virtual base::Status unusable(const std::string& task, const std::string& reason) = 0;
};

}  // namespace kw::search
