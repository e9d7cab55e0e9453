#include <unistd.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <ctime>

#include "core/base/hash.h"
#include "core/engine/store/session_impl.h"

namespace kw::store {
namespace {

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

json to_json_text(const ModelInfo& m) {
  return {{"path", m.path},     {"sha256", m.sha256}, {"kind", m.kind},       {"graph_hash", m.graph_hash}, {"target", m.target},
          {"generator", m.generator}, {"python", m.python}, {"inputs", m.inputs}, {"input_set", m.input_set}, {"threads", m.threads}, {"seed", m.seed}};
}

json spans_json(const std::vector<protocol::Span>& spans) {
  json out = json::array();
  for (const auto& span : spans) out.push_back({span.what, span.start_s, span.end_s});
  return out;
}

// Compiler output and file names may hold anything: invalid UTF-8 is replaced, never thrown on.
std::string dump(const json& value) { return value.dump(-1, ' ', false, json::error_handler_t::replace); }

void set_meta(SQLite::Database& db, const char* key, const json& value) {
  insert(db, "INSERT OR REPLACE INTO meta VALUES (?, ?)", key, dump(value));
}

double unix_s() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

std::optional<double> finite(double value) { return std::isfinite(value) ? std::optional(value) : std::nullopt; }

void bind_measurement(SQLite::Statement& s, int first, const protocol::Measurement& m) {
  for (const double value : {m.ratio, m.ratio_ci95.low, m.ratio_ci95.high, m.candidate_median_us}) bind_optional(s, first++, finite(value));
}

std::optional<double> error_max(const protocol::Evidence& evidence) {
  double most = -1;
  for (const auto& output : evidence.errors) most = std::max(most, output.max);
  return most < 0 ? std::nullopt : finite(most);
}

void insert_edge(SQLite::Database& db, const EdgeRecord& e) {
  SQLite::Statement s(db, "INSERT INTO edges (parent, child, key, from_value, to_value, kind, description, prior) VALUES (?, ?, ?, ?, ?, ?, ?, ?)");
  SQLite::bind(s, e.parent, e.child, e.key, e.from, e.to, e.kind, e.description);
  bind_optional(s, 8, e.prior);
  s.exec();
}

}  // namespace

base::Status Session::together(const std::function<base::Status()>& work) {
  base::Status result = base::done();
  auto status = guarded(impl_->path, [&] {
    SQLite::Transaction transaction(*impl_->database);
    impl_->together = true;
    result = work();
    impl_->together = false;
    if (result) transaction.commit();
  });
  impl_->together = false;
  return status ? result : status;
}

base::Status Session::set_model(const ModelInfo& model) {
  return impl_->write([&](auto& db) { set_meta(db, "model", to_json_text(model)); });
}

base::Status Session::set_environment(const protocol::Environment& environment) {
  return impl_->write([&](auto& db) { set_meta(db, "environment", environment); });
}

base::Status Session::set_graph(const json& graph) {
  return impl_->write([&](auto& db) { set_meta(db, "graph", graph); });
}

base::Status Session::set_profile(const protocol::Profile& profile) {
  protocol::Profile lean = profile;
  lean.cards.clear();
  lean.timeline.clear();
  return impl_->write([&](auto& db) { set_meta(db, "profile", lean); });
}

base::Status Session::set_cards(const std::vector<protocol::OperatorCard>& cards) {
  return impl_->write([&](auto& db) {
    db.exec("DELETE FROM cards");
    for (std::size_t i = 0; i < cards.size(); ++i)
      insert(db, "INSERT INTO cards VALUES (?, ?)", static_cast<std::int64_t>(i), dump(cards[i]));
  });
}

base::Status Session::set_timeline(const std::string& name, const std::vector<protocol::TimelineEvent>& events) {
  return impl_->write([&](auto& db) { insert(db, "INSERT OR REPLACE INTO timelines VALUES (?, ?)", name, dump(events)); });
}

base::Status Session::set_tasks(const std::vector<TaskRecord>& tasks) {
  return impl_->write([&](auto& db) {
    for (const TaskRecord& t : tasks) {
      SQLite::Statement s(db,
                          "INSERT INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET "
                          "position = excluded.position, share = excluded.share, time_us = excluded.time_us");
      SQLite::bind(s, t.id, t.position, t.signature, dump(t.operators), t.module_path, t.source, t.calls, t.share, t.time_us, t.bytes,
                   t.flops);
      bind_optional(s, 12, t.baseline_us);
      bind_optional(s, 13, t.floor_us);
      s.bind(14, t.note);
      s.bind(15, dump(t.graph));
      s.bind(16, dump(t.instances));
      s.exec();
    }
  });
}

base::Status Session::set_task_facts(const std::string& task, std::optional<double> baseline_us, std::optional<double> floor_us) {
  return impl_->write([&](auto& db) {
    SQLite::Statement s(db, "UPDATE tasks SET baseline_us = ?, floor_us = ? WHERE id = ?");
    bind_optional(s, 1, baseline_us);
    bind_optional(s, 2, floor_us);
    s.bind(3, task);
    s.exec();
  });
}

base::Status Session::set_task_note(const std::string& task, const std::string& note) {
  return impl_->write([&](auto& db) { insert(db, "UPDATE tasks SET note = ? WHERE id = ?", note, task); });
}

base::Status Session::add_candidate(const CandidateRecord& c, const std::vector<EdgeRecord>& edges) {
  return impl_->write([&](auto& db) {
    const std::string hash = base::sha256_hex(c.source);
    insert(db, "INSERT OR IGNORE INTO sources VALUES (?, ?)", hash, c.source);
    insert(db,
           "INSERT INTO candidates (id, task, kind, recipe, structural_hash, plan, source, traffic_bytes) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
           c.id, c.task, c.kind, c.recipe, c.structural_hash, dump(c.plan), hash, c.traffic_bytes);
    for (const EdgeRecord& e : edges) insert_edge(db, e);
  });
}

base::Status Session::add_edge(const EdgeRecord& edge) {
  return impl_->write([&](auto& db) { insert_edge(db, edge); });
}

base::Result<std::int64_t> Session::add_evaluation(const EvaluationRecord& e) {
  std::int64_t id = 0;
  const auto& evaluation = e.evaluation;
  auto status = impl_->write([&](auto& db) {
    SQLite::Statement s(db,
                        "INSERT INTO evaluations (run, candidate, purpose, attempt, path, verdict, kind, evidence, measurement, spans, wall_s, "
                        "ratio, ratio_low, ratio_high, candidate_us, error_max, completed_s) "
                        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");
    SQLite::bind(s, e.run, e.candidate, e.purpose, e.attempt, dump(e.path), protocol::name(evaluation.verdict), evaluation.kind,
                 dump(evaluation.evidence));
    if (evaluation.measurement)
      s.bind(9, dump(*evaluation.measurement));
    else
      s.bind(9);
    s.bind(10, dump(spans_json(evaluation.spans)));
    s.bind(11, e.wall_s);
    if (evaluation.measurement) bind_measurement(s, 12, *evaluation.measurement);
    bind_optional(s, 16, error_max(evaluation.evidence));
    s.bind(17, e.completed_s > 0 ? e.completed_s : unix_s());
    s.exec();
    id = db.getLastInsertRowid();
  });
  if (!status) return status.error();
  return id;
}

base::Status Session::set_final(const FinalRecord& f) {
  return impl_->write([&](auto& db) {
    insert(db, "INSERT INTO marks (candidate, mark, date) VALUES (?, 'winner', ?)", f.candidate, now_text());
    insert(db, "INSERT OR REPLACE INTO finals VALUES (?, ?, ?, ?)", f.task, f.candidate, f.evaluation, f.used ? 1 : 0);
  });
}

base::Status Session::clear_final(const std::string& task) {
  return impl_->write([&](auto& db) {
    insert(db, "INSERT INTO marks (candidate, mark, date) SELECT candidate, 'no winner', ? FROM finals WHERE task = ?", now_text(), task);
    insert(db, "DELETE FROM finals WHERE task = ?", task);
  });
}

base::Status Session::add_end_to_end(std::int64_t run, const protocol::EndToEnd& result) {
  return impl_->write([&](auto& db) { insert(db, "INSERT INTO end_to_end (run, result) VALUES (?, ?)", run, dump(result)); });
}

base::Result<std::int64_t> Session::begin_run(const json& options) {
  std::int64_t id = 0;
  auto status = impl_->write([&](auto& db) {
    insert(db, "INSERT INTO runs (started, options) VALUES (?, ?)", now_text(), dump(options));
    id = db.getLastInsertRowid();
  });
  if (!status) return status.error();
  return id;
}

base::Status Session::end_run(const RunRecord& r) {
  return impl_->write([&](auto& db) {
    SQLite::Statement s(db,
                        "UPDATE runs SET ended = ?, reason = ?, evaluations = ?, measured = ?, wall_s = ?, overhead_share = ? WHERE id = ?");
    SQLite::bind(s, now_text(), r.reason, r.evaluations, r.measured, r.wall_s);
    bind_optional(s, 6, r.overhead_share);
    s.bind(7, r.id);
    s.exec();
  });
}

base::Status Session::add_mark(const std::string& candidate, const std::string& mark) {
  return impl_->write([&](auto& db) { insert(db, "INSERT INTO marks (candidate, mark, date) VALUES (?, ?, ?)", candidate, mark, now_text()); });
}

base::Result<ReviewRecord> Session::add_review(const ReviewRecord& review) {
  ReviewRecord out = review;
  out.date = now_text();
  auto status = impl_->write([&](auto& db) {
    insert(db, "INSERT INTO reviews (candidate, decision, comment, reviewer, date, hash) VALUES (?, ?, ?, ?, ?, ?)", out.candidate, out.decision,
           out.comment, out.reviewer, out.date, out.hash);
  });
  if (!status) return status.error();
  return out;
}

base::Status Session::Impl::sign() {
  char host[128] = {};
  gethostname(host, sizeof(host) - 1);
  const char* user = std::getenv("USER");
  return write([&](auto& db) {
    set_meta(db, "origin", {{"host", host}, {"user", user != nullptr ? user : std::to_string(getuid())}, {"created", now_text()}});
  });
}

}  // namespace kw::store
