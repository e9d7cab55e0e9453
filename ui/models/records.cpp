#include "ui/models/records.h"

namespace kw::ui {

namespace {

QString plain(const json& value) {
  if (value.is_string()) return QString::fromStdString(value);
  if (!value.is_array()) return value.is_null() ? QString() : QString::fromStdString(value.dump());
  QStringList parts;
  for (const json& element : value) parts << plain(element);
  return parts.join(QStringLiteral(", "));
}

qint64 whole(const json& object, const char* key) { return static_cast<qint64>(number(object, key).value_or(0)); }

}  // namespace

QString text(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() ? QString() : plain(*found);
}

std::optional<double> number(const json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (found == object.end() || !found->is_number()) return {};
  return found->get<double>();
}

std::optional<Range> range(const json& object, const char* key) {
  const json& pair = array(object, key);
  if (pair.size() != 2 || !pair[0].is_number() || !pair[1].is_number()) return {};
  return Range{pair[0], pair[1]};
}

const json& array(const json& object, const char* key) {
  static const json none = json::array();
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() || !found->is_array() ? none : *found;
}

const json& member(const json& object, const char* key) {
  static const json none = json::object();
  const auto found = object.is_object() ? object.find(key) : object.end();
  return found == object.end() || !found->is_object() ? none : *found;
}

Operator operator_of(const json& r) {
  return {text(r, "operator"), text(r, "signature"), text(r, "module_path"), text(r, "source"), text(r, "shapes"), text(r, "dtype"), whole(r, "calls"),
          number(r, "time_us").value_or(0), number(r, "share").value_or(0), text(r, "bound"), number(r, "roofline_share"), number(r, "bytes"),
          number(r, "flops"), text(r, "task"), text(r, "state"), number(r, "best_speedup"), range(r, "best_ci95"), text(r, "best_candidate"),
          text(r, "note")};
}

Node node_of(const json& r) {
  return {text(r, "id"), text(r, "task"), text(r, "kind"), text(r, "verdict"), text(r, "outcome"), number(r, "speedup"), number(r, "candidate_us"),
          number(r, "error_max"), whole(r, "number")};
}

Step step_of(const json& r) {
  return {whole(r, "evaluation"), text(r, "candidate"), text(r, "task"), text(r, "verdict"), number(r, "at_s").value_or(0), number(r, "speedup")};
}

FailureGroup failure_group_of(const json& r) {
  FailureGroup group{text(r, "verdict"), text(r, "meaning"), {}};
  for (const json& m : array(r, "members"))
    group.members.push_back({text(m, "candidate"), text(m, "task"), text(m, "purpose"), text(m, "summary"), whole(m, "evaluation")});
  return group;
}

Review review_of(const json& r) {
  const auto is_void = r.is_object() ? r.find("void") : r.end();
  return {text(r, "candidate"), text(r, "decision"), text(r, "comment"), text(r, "reviewer"), text(r, "date"), text(r, "hash"),
          is_void != r.end() && is_void->is_boolean() && is_void->get<bool>()};
}

Job job_of(const json& r) {
  return {text(r, "job"), text(r, "session"), text(r, "what"), text(r, "state"), text(r, "text"), number(r, "fraction"), number(r, "eta_s")};
}

LogLine log_line_of(const json& r) { return {text(r, "time"), text(r, "level"), text(r, "part"), text(r, "text")}; }

RunState run_state_of(const json& r) {
  return {text(r, "state"), text(r, "reason"), whole(r, "evaluations"), whole(r, "budget"), number(r, "measured_per_min"), number(r, "best_speedup")};
}

}  // namespace kw::ui
