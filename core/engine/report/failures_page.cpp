#include <map>

#include "core/engine/report/evidence.h"
#include "core/engine/report/pages.h"

namespace kw::report {
namespace {

constexpr std::size_t shown_in_full = 3;   // of each verdict; the others get a line

struct Failure { std::string task; const store::EvaluationRecord* record; };

std::string entry(const Failure& failure, bool full) {
  const auto& evidence = failure.record->evaluation.evidence;
  std::string out = "  " + failure.record->candidate + "  " + failure.task + (failure.record->purpose == "search" ? "" : " (" + failure.record->purpose + ")") + "\n";
  if (!full) return out.substr(0, out.size() - 1) + "  " + evidence.summary + "\n";
  std::string lines = evidence_lines(evidence);
  std::size_t start = 0;
  while (start < lines.size()) {
    const std::size_t end = lines.find('\n', start);
    out += "      " + lines.substr(start, end - start) + "\n";
    if (end == std::string::npos) break;
    start = end + 1;
  }
  return out;
}

}  // namespace

base::Result<std::string> failures_page(const store::Session& session) {
  auto evaluations = session.evaluations("");
  auto candidates = session.candidates("");
  auto tasks = session.tasks();
  if (!evaluations) return evaluations.error();
  if (!candidates) return candidates.error();
  if (!tasks) return tasks.error();
  std::map<std::string, std::string> task_of;
  for (const auto& c : *candidates) task_of[c.id] = c.task;
  std::map<std::string, std::vector<Failure>> groups;
  for (const auto& record : *evaluations)
    if (record.evaluation.verdict != protocol::Verdict::accepted) groups[record.evaluation.verdict_text()].push_back({task_of[record.candidate], &record});
  std::string out;
  for (const auto& [verdict, failures] : groups) {
    out += verdict + ": " + std::to_string(failures.size()) + ". " + meaning_of(verdict) + "\n";
    for (std::size_t i = 0; i < failures.size(); ++i) out += entry(failures[i], i < shown_in_full);
    out += "\n";
  }
  for (const auto& task : *tasks)
    if (!task.note.empty()) out += "task " + task.id + ": " + task.note + "\n";
  return out.empty() ? std::string("Nothing has failed.\n") : out;
}

}  // namespace kw::report
