#pragma once
// Search's journal, written into the session as things happen. Search thread.

#include "core/engine/conductor/session_tasks.h"
#include "core/engine/search/journal.h"
#include "core/engine/store/session.h"

namespace kw::conductor {

class SessionJournal final : public search::Journal {
 public:
  // `last`: the number of candidates the session holds already.
  SessionJournal(store::Session& session, std::int64_t run, int last) : session_(session), run_(run), last_(last) {}

  std::string next_candidate() override { return "c" + std::to_string(++last_); }
  base::Status candidate(const store::CandidateRecord& candidate, const std::vector<store::EdgeRecord>& edges) override {
    return session_.add_candidate(candidate, edges);
  }
  base::Status edge(const store::EdgeRecord& edge) override { return session_.add_edge(edge); }
  base::Result<std::int64_t> evaluated(const store::EvaluationRecord& evaluation) override {
    store::EvaluationRecord record = evaluation;
    record.run = run_;
    return keep_evaluation(session_, record);
  }
  base::Status unusable(const std::string& task, const std::string& reason) override { return session_.set_task_note(task, reason); }

 private:
  store::Session& session_;
  std::int64_t run_;
  int last_;
};

}  // namespace kw::conductor
