#include "core/engine/store/session_impl.h"

namespace kw::store {
namespace {

using Row = SQLite::Statement;

std::string text(Row& row, int column) { return row.getColumn(column).getString(); }
json parsed(Row& row, int column) { return json::parse(text(row, column)); }
std::optional<double> number(Row& row, int column) {
  const auto value = row.getColumn(column);
  if (value.isNull()) return std::nullopt;
  return value.getDouble();
}

ModelInfo model_of(const json& j) {
  ModelInfo m;
  m.path = j.at("path");
  m.sha256 = j.at("sha256");
  m.kind = j.at("kind");
  m.graph_hash = j.at("graph_hash");
  m.generator = j.at("generator");
  m.target = j.at("target");
  m.python = j.at("python");
  m.inputs = j.at("inputs");
  m.input_set = j.value("input_set", "");
  m.threads = j.at("threads");
  m.seed = j.at("seed");
  return m;
}

TaskRecord task_of(Row& row) {
  TaskRecord t;
  t.id = text(row, 0);
  t.position = row.getColumn(1);
  t.signature = text(row, 2);
  t.operators = parsed(row, 3).get<std::vector<std::string>>();
  t.module_path = text(row, 4);
  t.source = text(row, 5);
  t.calls = row.getColumn(6);
  t.share = row.getColumn(7);
  t.time_us = row.getColumn(8);
  t.bytes = row.getColumn(9).getInt64();
  t.flops = row.getColumn(10).getInt64();
  t.baseline_us = number(row, 11);
  t.floor_us = number(row, 12);
  t.note = text(row, 13);
  t.graph = parsed(row, 14);
  t.instances = parsed(row, 15);
  return t;
}

CandidateRecord candidate_of(Row& row) {
  CandidateRecord c;
  c.id = text(row, 0);
  c.task = text(row, 1);
  c.kind = text(row, 2);
  c.recipe = text(row, 3);
  c.structural_hash = text(row, 4);
  c.plan = parsed(row, 5);
  c.source = text(row, 6);
  c.traffic_bytes = row.getColumn(7).getInt64();
  return c;
}

protocol::Verdict verdict_of(const std::string& name) {
  for (const auto& row : protocol::verdicts())
    if (name == row.name) return row.verdict;
  return protocol::Verdict::not_evaluated;
}

EvaluationRecord evaluation_of(Row& row) {
  EvaluationRecord e;
  e.id = row.getColumn(0).getInt64();
  e.run = row.getColumn(1).getInt64();
  e.candidate = text(row, 2);
  e.purpose = text(row, 3);
  e.attempt = row.getColumn(4);
  e.path = parsed(row, 5).get<std::vector<std::string>>();
  e.evaluation.verdict = verdict_of(text(row, 6));
  e.evaluation.kind = text(row, 7);
  e.evaluation.evidence = parsed(row, 8).get<protocol::Evidence>();
  if (!row.getColumn(9).isNull()) e.evaluation.measurement = parsed(row, 9).get<protocol::Measurement>();
  for (const json& span : parsed(row, 10)) e.evaluation.spans.push_back({span.at(0), span.at(1), span.at(2)});
  e.wall_s = row.getColumn(11);
  return e;
}

constexpr const char* candidate_columns =
    "SELECT c.id, c.task, c.kind, c.recipe, c.structural_hash, c.plan, s.text, c.traffic_bytes FROM candidates c "
    "JOIN sources s ON s.hash = c.source ";

base::Error missing(const std::string& what, const std::string& id, const std::string& path, const std::string& advice) {
  return {base::ErrorCode::not_found, "there is no " + what + " '" + id + "' in this session. " + advice, path};
}

// The one value of a list read by its key.
template <typename T>
base::Result<T> only(base::Result<std::vector<T>> found, const base::Error& none) {
  if (!found) return found.error();
  if (found->empty()) return none;
  return std::move(found->front());
}

}  // namespace

base::Result<ModelInfo> Session::model() const {
  std::optional<ModelInfo> found;
  auto status = impl_->read("SELECT value FROM meta WHERE key = 'model'", {}, [&](Row& row) { found = model_of(parsed(row, 0)); });
  if (!status) return status.error();
  if (!found) return base::Error{base::ErrorCode::bad_input, "the session names no model.", impl_->path};
  return *found;
}

base::Result<protocol::Environment> Session::environment() const {
  protocol::Environment found;
  auto status = impl_->read("SELECT value FROM meta WHERE key = 'environment'", {},
                            [&](Row& row) { found = parsed(row, 0).get<protocol::Environment>(); });
  if (!status) return status.error();
  return found;
}

base::Result<json> Session::graph() const {
  json found;
  auto status = impl_->read("SELECT value FROM meta WHERE key = 'graph'", {}, [&](Row& row) { found = parsed(row, 0); });
  if (!status) return status.error();
  return found;
}

base::Result<std::optional<protocol::Profile>> Session::profile() const {
  std::optional<protocol::Profile> found;
  auto status = impl_->read("SELECT value FROM meta WHERE key = 'profile'", {},
                            [&](Row& row) { found = parsed(row, 0).get<protocol::Profile>(); });
  if (!status) return status.error();
  return found;
}

base::Result<std::vector<protocol::OperatorCard>> Session::cards() const {
  std::vector<protocol::OperatorCard> found;
  auto status = impl_->read("SELECT card FROM cards ORDER BY position", {},
                            [&](Row& row) { found.push_back(parsed(row, 0).get<protocol::OperatorCard>()); });
  if (!status) return status.error();
  return found;
}

base::Result<std::vector<protocol::TimelineEvent>> Session::timeline(const std::string& name) const {
  std::vector<protocol::TimelineEvent> found;
  auto status = impl_->read("SELECT events FROM timelines WHERE name = ?", {name}, [&](Row& row) {
    found = parsed(row, 0).get<std::vector<protocol::TimelineEvent>>();
  });
  if (!status) return status.error();
  return found;
}

base::Result<std::vector<TaskRecord>> Session::tasks() const {
  std::vector<TaskRecord> found;
  auto status = impl_->read("SELECT * FROM tasks ORDER BY position", {}, [&](Row& row) { found.push_back(task_of(row)); });
  if (!status) return status.error();
  return found;
}

base::Result<TaskRecord> Session::task(const std::string& id) const {
  std::vector<TaskRecord> found;
  auto status = impl_->read("SELECT * FROM tasks WHERE id = ?", {id}, [&](Row& row) { found.push_back(task_of(row)); });
  if (!status) return status.error();
  return only<TaskRecord>(std::move(found), missing("task", id, impl_->path, "`kernelwright show SESSION tasks` lists them."));
}

base::Result<std::vector<CandidateRecord>> Session::candidates(const std::string& task) const {
  std::vector<CandidateRecord> found;
  const std::string where = task.empty() ? "" : "WHERE c.task = ? ";
  auto status = impl_->read(candidate_columns + where + "ORDER BY c.number", task.empty() ? std::vector<std::string>{} : std::vector{task},
                            [&](Row& row) { found.push_back(candidate_of(row)); });
  if (!status) return status.error();
  return found;
}

base::Result<CandidateRecord> Session::candidate(const std::string& id) const {
  std::vector<CandidateRecord> found;
  auto status = impl_->read(std::string(candidate_columns) + "WHERE c.id = ?", {id}, [&](Row& row) { found.push_back(candidate_of(row)); });
  if (!status) return status.error();
  return only<CandidateRecord>(std::move(found), missing("candidate", id, impl_->path, "`kernelwright show SESSION tree` lists them."));
}

base::Result<std::vector<EdgeRecord>> Session::edges() const {
  std::vector<EdgeRecord> found;
  auto status = impl_->read("SELECT parent, child, key, from_value, to_value, kind, description FROM edges ORDER BY number", {},
                            [&](Row& row) {
                              found.push_back({text(row, 0), text(row, 1), text(row, 2), text(row, 3), text(row, 4), text(row, 5), text(row, 6), {}});
                            });
  if (!status) return status.error();
  return found;
}

base::Result<std::vector<EvaluationRecord>> Session::evaluations(const std::string& candidate) const {
  std::vector<EvaluationRecord> found;
  const std::string where = candidate.empty() ? "" : "WHERE candidate = ? ";
  auto status = impl_->read(
      "SELECT id, run, candidate, purpose, attempt, path, verdict, kind, evidence, measurement, spans, wall_s FROM evaluations " + where +
          "ORDER BY id",
      candidate.empty() ? std::vector<std::string>{} : std::vector{candidate}, [&](Row& row) { found.push_back(evaluation_of(row)); });
  if (!status) return status.error();
  return found;
}

base::Result<std::vector<FinalRecord>> Session::finals() const {
  std::vector<FinalRecord> found;
  auto status = impl_->read("SELECT task, candidate, evaluation, used FROM finals ORDER BY task", {}, [&](Row& row) {
    found.push_back({text(row, 0), text(row, 1), row.getColumn(2).getInt64(), row.getColumn(3).getInt() != 0});
  });
  if (!status) return status.error();
  return found;
}

base::Result<std::optional<protocol::EndToEnd>> Session::end_to_end() const {
  std::optional<protocol::EndToEnd> found;
  auto status = impl_->read("SELECT result FROM end_to_end ORDER BY id DESC LIMIT 1", {},
                            [&](Row& row) { found = parsed(row, 0).get<protocol::EndToEnd>(); });
  if (!status) return status.error();
  return found;
}

base::Result<std::vector<RunRecord>> Session::runs() const {
  std::vector<RunRecord> found;
  auto status = impl_->read("SELECT id, started, coalesce(ended, ''), reason, options, evaluations, measured, wall_s, overhead_share FROM runs "
                            "ORDER BY id",
                            {}, [&](Row& row) {
                              RunRecord r;
                              r.id = row.getColumn(0).getInt64();
                              r.started = text(row, 1);
                              r.ended = text(row, 2);
                              r.reason = text(row, 3);
                              r.options = parsed(row, 4);
                              r.evaluations = row.getColumn(5);
                              r.measured = row.getColumn(6);
                              r.wall_s = row.getColumn(7);
                              r.overhead_share = number(row, 8);
                              found.push_back(std::move(r));
                            });
  if (!status) return status.error();
  return found;
}

}  // namespace kw::store
