// Reading everything fast: plain columns only, out of the covering indexes where all rows are wanted.
#include <algorithm>
#include <limits>

#include "core/engine/store/session_impl.h"

namespace kw::store {
namespace {

using Row = SQLite::Statement;

std::string text(Row& row, int column) { return row.getColumn(column).getString(); }
std::int64_t whole(Row& row, int column) { return row.getColumn(column).getInt64(); }
std::optional<double> number(Row& row, int column) {
  const auto value = row.getColumn(column);
  return value.isNull() ? std::nullopt : std::optional(value.getDouble());
}

// ["c1","c17"]: ids hold neither quotes nor escapes.
std::vector<std::string> ids_of(const char* list) {
  std::vector<std::string> out;
  for (const char* at = list; *at != '\0'; ++at) {
    if (*at != '"') continue;
    const char* begin = ++at;
    while (*at != '\0' && *at != '"') ++at;
    if (*at == '\0') break;
    out.emplace_back(begin, at);
  }
  return out;
}

EvaluationRow evaluation_of(Row& row) {
  EvaluationRow e;
  e.row = whole(row, 0);
  e.run = whole(row, 1);
  e.candidate = text(row, 2);
  e.purpose = text(row, 3);
  e.path = ids_of(row.getColumn(4).getText());
  e.verdict = text(row, 5);
  e.kind = text(row, 6);
  e.ratio = number(row, 7);
  e.ratio_ci95 = {number(row, 8).value_or(0), number(row, 9).value_or(std::numeric_limits<double>::infinity())};
  e.candidate_us = number(row, 10);
  e.error_max = number(row, 11);
  e.completed_s = number(row, 12);
  return e;
}

// " WHERE number > 5": not at all for all rows, so that SQLite takes the covering index.
std::string later_than(const char* column, std::int64_t after) {
  return after > 0 ? std::string(" WHERE ") + column + " > " + std::to_string(after) : "";
}

// In order, without what was written while we read.
template <typename T>
std::vector<T> in_order(std::vector<T> rows, std::int64_t last) {
  std::erase_if(rows, [last](const T& row) { return row.row > last; });
  std::sort(rows.begin(), rows.end(), [](const T& a, const T& b) { return a.row < b.row; });
  return rows;
}

}  // namespace

base::Result<Rows> Session::rows() const {
  Rows out;
  const std::string marks = impl_->format >= 2 ? "(SELECT max(id) FROM marks)" : "0";
  auto status = impl_->read("SELECT (SELECT max(number) FROM candidates), (SELECT max(number) FROM edges), (SELECT max(id) FROM evaluations), " + marks +
                                ", (SELECT count(*) + count(ended) FROM runs)",
                            {}, [&](Row& row) { out = {whole(row, 0), whole(row, 1), whole(row, 2), whole(row, 3), whole(row, 4)}; });
  if (!status) return status.error();
  return out;
}

base::Result<std::vector<CandidateRow>> Session::candidate_rows(std::int64_t after, std::int64_t last) const {
  std::vector<CandidateRow> out;
  auto status = impl_->read("SELECT number, id, task, kind FROM candidates" + later_than("number", after), {},
                            [&](Row& row) { out.push_back({whole(row, 0), text(row, 1), text(row, 2), text(row, 3)}); });
  if (!status) return status.error();
  return in_order(std::move(out), last);
}

base::Result<std::vector<EdgeRow>> Session::edge_rows(std::int64_t after, std::int64_t last) const {
  std::vector<EdgeRow> out;
  const std::string prior = impl_->format >= 2 ? "prior" : "NULL";
  auto status = impl_->read("SELECT number, parent, child, key, from_value, to_value, kind, description, " + prior + " FROM edges" + later_than("number", after),
                            {}, [&](Row& row) {
                              out.push_back({whole(row, 0),
                                             {text(row, 1), text(row, 2), text(row, 3), text(row, 4), text(row, 5), text(row, 6), text(row, 7), number(row, 8)}});
                            });
  if (!status) return status.error();
  return in_order(std::move(out), last);
}

base::Result<std::vector<EvaluationRow>> Session::evaluation_rows(std::int64_t after, std::int64_t last) const {
  if (impl_->format < 2)
    if (auto status = guarded(impl_->path, [&] { impl_->database->exec(brief_of_1_sql); }); !status) return status.error();
  std::vector<EvaluationRow> out;
  const std::string table = impl_->format < 2 ? "temp.brief" : "evaluations";
  auto status = impl_->read("SELECT id, run, candidate, purpose, path, verdict, kind, ratio, ratio_low, ratio_high, candidate_us, error_max, completed_s FROM " +
                                table + later_than("id", after),
                            {}, [&](Row& row) { out.push_back(evaluation_of(row)); });
  if (!status) return status.error();
  return in_order(std::move(out), last);
}

base::Result<std::map<std::int64_t, std::string>> Session::failure_summaries() const {
  std::map<std::int64_t, std::string> out;
  auto status = impl_->read("SELECT id, json_extract(evidence, '$.summary') FROM evaluations WHERE verdict <> 'accepted'", {},
                            [&](Row& row) { out.emplace(whole(row, 0), text(row, 1)); });
  if (!status) return status.error();
  return out;
}

base::Result<std::vector<MarkRecord>> Session::marks(std::int64_t after, std::int64_t last) const {
  std::vector<MarkRecord> out;
  if (impl_->format < 2) return out;
  auto status = impl_->read("SELECT id, candidate, mark FROM marks" + later_than("id", after), {},
                            [&](Row& row) { out.push_back({whole(row, 0), text(row, 1), text(row, 2)}); });
  if (!status) return status.error();
  return in_order(std::move(out), last);
}

base::Result<std::vector<ReviewRecord>> Session::reviews(const std::string& candidate) const {
  std::vector<ReviewRecord> out;
  if (impl_->format < 2) return out;
  const std::string where = candidate.empty() ? "" : "WHERE candidate = ? ";
  auto status = impl_->read("SELECT candidate, decision, comment, reviewer, date, hash FROM reviews " + where + "ORDER BY id",
                            candidate.empty() ? std::vector<std::string>{} : std::vector{candidate}, [&](Row& row) {
                              out.push_back({text(row, 0), text(row, 1), text(row, 2), text(row, 3), text(row, 4), text(row, 5)});
                            });
  if (!status) return status.error();
  return out;
}

base::Result<std::string> Session::candidate_with(const std::string& task, const std::string& structural_hash) const {
  std::string out;
  auto status = impl_->read("SELECT id FROM candidates WHERE task = ? AND structural_hash = ?", {task, structural_hash},
                            [&](Row& row) { out = text(row, 0); });
  if (!status) return status.error();
  return out;
}

base::Result<std::vector<std::string>> Session::timelines() const {
  std::vector<std::string> out;
  auto status = impl_->read("SELECT name FROM timelines ORDER BY name", {}, [&](Row& row) { out.push_back(text(row, 0)); });
  if (!status) return status.error();
  return out;
}

base::Result<Origin> Session::origin() const {
  Origin out;
  auto status = impl_->read("SELECT value FROM meta WHERE key = 'origin'", {}, [&](Row& row) {
    const json origin = json::parse(text(row, 0));
    out = {origin.value("host", ""), origin.value("user", ""), origin.value("created", "")};
  });
  if (!status) return status.error();
  if (!out.created.empty()) return out;
  status = impl_->read("SELECT started FROM runs ORDER BY id LIMIT 1", {}, [&](Row& row) { out.created = text(row, 0); });
  if (!status) return status.error();
  return out;
}

}  // namespace kw::store
