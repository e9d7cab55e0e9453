#pragma once
// A session: one SQLite file (.kwr) that holds everything a run learned, written in small transactions as it happens, so
// that kill -9 at any moment loses at most the evaluations in flight. Owned and called by one thread (the conductor's);
// any number of other processes may have the same file open for reading.
//
//   S.kwr        the database          S.kwr.lock      names the one writer, gone on a clean close
//   S.kwr-wal    while open for writing; folded into S.kwr on a clean close, or by the next writer after a kill

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/engine/store/records.h"

namespace kw::store {

class Session {
 public:
  // annotate: a writer beside the one in this process that holds the lock; marks and reviews only.
  enum class Access { read, write, annotate };

  // Makes a new file and opens it for writing; `path` must not exist.
  static base::Result<Session> create(const std::string& path, const ModelInfo& model);
  static base::Result<Session> open(const std::string& path, Access access);
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  ~Session();                                            // closes; errors are lost, so call close() first
  base::Status close();

  const std::string& path() const;

  // --- writing: each call is one transaction, or all that `work` makes are one ---
  base::Status together(const std::function<base::Status()>& work);
  base::Status set_model(const ModelInfo& model);
  base::Status set_environment(const protocol::Environment& environment);
  base::Status set_graph(const json& graph);
  base::Status set_profile(const protocol::Profile& profile);      // without its timeline and cards
  base::Status set_cards(const std::vector<protocol::OperatorCard>& cards);
  base::Status set_timeline(const std::string& name, const std::vector<protocol::TimelineEvent>& events);
  base::Status set_tasks(const std::vector<TaskRecord>& tasks);    // replaces records of the same id, keeps candidates
  base::Status set_task_facts(const std::string& task, std::optional<double> baseline_us, std::optional<double> floor_us);
  base::Status set_task_note(const std::string& task, const std::string& note);
  base::Status add_candidate(const CandidateRecord& candidate, const std::vector<EdgeRecord>& edges);
  base::Status add_edge(const EdgeRecord& edge);
  base::Result<std::int64_t> add_evaluation(const EvaluationRecord& evaluation);
  base::Status set_final(const FinalRecord& final);
  base::Status clear_final(const std::string& task);
  base::Status add_end_to_end(std::int64_t run, const protocol::EndToEnd& result);
  base::Result<std::int64_t> begin_run(const json& options);
  base::Status end_run(const RunRecord& run);                      // sets `ended` to now
  base::Status add_mark(const std::string& candidate, const std::string& mark);
  base::Result<ReviewRecord> add_review(const ReviewRecord& review);   // sets `date`

  // --- reading ---
  base::Result<ModelInfo> model() const;
  base::Result<protocol::Environment> environment() const;
  base::Result<json> graph() const;
  base::Result<std::optional<protocol::Profile>> profile() const;
  base::Result<std::vector<protocol::OperatorCard>> cards() const;
  base::Result<std::vector<protocol::TimelineEvent>> timeline(const std::string& name) const;
  base::Result<std::vector<TaskRecord>> tasks() const;
  base::Result<TaskRecord> task(const std::string& id) const;
  base::Result<std::vector<CandidateRecord>> candidates(const std::string& task) const;   // "": all; in order of creation
  base::Result<CandidateRecord> candidate(const std::string& id) const;
  base::Result<std::vector<EdgeRecord>> edges() const;                                    // in order of creation
  base::Result<std::vector<EvaluationRecord>> evaluations(const std::string& candidate) const;   // "": all
  base::Result<std::vector<FinalRecord>> finals() const;
  base::Result<std::optional<protocol::EndToEnd>> end_to_end() const;                     // the latest
  base::Result<std::vector<RunRecord>> runs() const;
  base::Result<Origin> origin() const;
  base::Result<std::string> candidate_with(const std::string& task, const std::string& structural_hash) const;   // its id; "": none
  base::Result<std::vector<std::string>> timelines() const;                               // their names
  base::Result<std::vector<ReviewRecord>> reviews(const std::string& candidate) const;    // "": all; in order

  // --- reading everything fast: rows after `after` up to `last`, without JSON ---
  base::Result<Rows> rows() const;
  base::Result<std::vector<CandidateRow>> candidate_rows(std::int64_t after, std::int64_t last) const;
  base::Result<std::vector<EdgeRow>> edge_rows(std::int64_t after, std::int64_t last) const;
  base::Result<std::vector<EvaluationRow>> evaluation_rows(std::int64_t after, std::int64_t last) const;
  base::Result<std::map<std::int64_t, std::string>> failure_summaries() const;           // by evaluation: all that were not accepted
  base::Result<std::vector<MarkRecord>> marks(std::int64_t after, std::int64_t last) const;

 private:
  struct Impl;
  explicit Session(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kw::store
