#include "core/engine/conductor/session_tasks.h"
#include "core/engine/report/assembly.h"
#include "core/engine/report/evidence.h"
#include "core/engine/report/pages.h"
#include "core/engine/report/text.h"
#include "core/engine/report/timeline.h"
#include "core/graph/graph.h"

namespace kw::report {
namespace {

std::string heading(const std::string& title) { return "\n== " + title + " ==\n"; }

std::string indented(const std::string& text) {
  std::string out = "    ";
  for (std::size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (text[i] == '\n' && i + 1 < text.size()) out += "    ";
  }
  return out.empty() || out.back() == '\n' ? out : out + "\n";
}

std::string element_line(const protocol::Evidence::Element& e) {
  std::string index;
  for (const auto i : e.index) index += (index.empty() ? "" : ", ") + std::to_string(i);
  char numbers[120];
  std::snprintf(numbers, sizeof(numbers), "%.9g instead of %.9g, error %.3g", e.value, e.truth, e.error);
  return "output " + std::to_string(e.output) + " [" + index + "]: " + numbers + "\n";
}

std::string error_line(std::size_t output, const protocol::OutputError& e) {
  std::string out = "output " + std::to_string(output) + ": error max " + scientific(e.max) + ", rms " + scientific(e.rms) + "; eager's own " +
                    scientific(e.eager_max) + ", " + scientific(e.eager_rms) + "; allowed " + scientific(e.tolerance_max) + ", " +
                    scientific(e.tolerance_rms);
  if (e.left_out > 0) out += "; " + std::to_string(e.left_out) + " elements left out, eager itself disagrees with float64";
  return out + "\n";
}

std::string measurement_lines(const protocol::Measurement& m) {
  std::string out = "candidate " + duration(m.candidate_median_us) + ", " + m.baseline + " " + duration(m.baseline_median_us) + ", speedup " +
                    ratio(m.ratio) + " " + interval(m.ratio_ci95) + ": " + protocol::name(protocol::outcome(m)) + "\n";
  for (const auto& weaker : m.weaker)
    out += weaker.name + " " + duration(weaker.median_us) + ", speedup over it " + ratio(weaker.ratio) + " " + interval(weaker.ratio_ci95) + "\n";
  out += std::to_string(m.rounds) + " paired rounds, " + std::to_string(m.discarded) + " discarded, " + std::to_string(m.threads) + " threads, " + m.device;
  if (m.floor_us > 0) out += ", floor " + duration(m.floor_us) + " (" + percent(m.floor_us / m.candidate_median_us) + " of the roofline)";
  return out + "\n";
}

std::string plan_lines(const store::CandidateRecord& candidate) {
  std::string out;
  const auto& plan = candidate.plan;
  for (const auto& b : plan.value("buffers", nlohmann::json::array()))
    out += b.value("role", "") + " " + b.value("name", "") + ": " + b.value("dtype", "") + b.value("sizes", nlohmann::json()).dump() + " strides " +
           b.value("strides", nlohmann::json()).dump() + "\n";
  for (const auto& s : plan.value("steps", nlohmann::json::array()))
    out += s.value("kind", "") + " " + s.value("name", "") + " on buffers " + s.value("buffers", nlohmann::json()).dump() +
           (s.value("generated", false) ? " (generated)" : "") + "\n";
  return out + "expected traffic: " + bytes(candidate.traffic_bytes) + "\n";
}

base::Result<std::string> edges_section(const store::Session& session, const store::CandidateRecord& candidate) {
  auto edges = session.edges();
  if (!edges) return edges.error();
  std::string out;
  for (const auto& e : *edges) {
    if (e.child != candidate.id && e.parent != candidate.id) continue;
    const bool made_by = e.child == candidate.id;
    out += made_by ? "from " + e.parent : "to " + e.child;
    out += ": " + e.kind + ", " + e.key + " " + e.from + " -> " + e.to + "\n";
    if (!e.description.empty()) out += indented(e.description);
    auto other = session.candidate(made_by ? e.parent : e.child);
    if (!other) return other.error();
    for (const std::string& sentence : made_by ? explained(session, *other, candidate) : explained(session, candidate, *other)) out += indented(sentence);
  }
  return out.empty() ? std::string("the root of its task\n") : out;
}

}  // namespace

const char* meaning_of(const std::string& verdict) {
  for (const auto& row : protocol::verdicts())
    if (verdict.substr(0, verdict.find(':')) == row.name) return row.meaning;
  return "";
}

std::string evidence_lines(const protocol::Evidence& evidence) {
  std::string out = evidence.summary.empty() ? "" : evidence.summary + "\n";
  if (!evidence.input_set.empty()) out += "input set: " + evidence.input_set + "\n";
  for (const auto& element : evidence.worst) out += element_line(element);
  for (std::size_t i = 0; i < evidence.errors.size(); ++i) out += error_line(i, evidence.errors[i]);
  if (!evidence.detail.empty()) out += evidence.detail + (evidence.detail.back() == '\n' ? "" : "\n");
  return out;
}

std::vector<std::string> explained(const store::Session& session, const store::CandidateRecord& from, const store::CandidateRecord& to) {
  auto task = session.task(to.task);
  auto environment = session.environment();
  if (!task || !environment) return {};
  auto graph = graph::graph_from_json(task->graph);
  auto before = kernel::recipe_from_text(from.recipe), after = kernel::recipe_from_text(to.recipe);
  if (!graph || !before || !after) return {"(an edit by hand or of another generator: compare the sources with `kernelwright diff`)"};
  auto program = kernel::define(*graph);
  if (!program) return {};
  const auto limits = conductor::limits_of(*environment);
  auto a = kernel::generate(*program, *before, limits), b = kernel::generate(*program, *after, limits);
  if (!a || !b) return {};
  return kernel::explain(*a, *b);
}

base::Result<std::string> candidate_page(const store::Session& session, const std::string& id, bool assembly) {
  auto candidate = session.candidate(id);
  if (!candidate) return candidate.error();
  auto task = session.task(candidate->task);
  auto evaluations = session.evaluations(id);
  auto environment = session.environment();
  auto edges = edges_section(session, *candidate);
  auto kernels = session.timeline("candidate:" + id);
  if (!task) return task.error();
  if (!evaluations) return evaluations.error();
  if (!environment) return environment.error();
  if (!edges) return edges.error();
  if (!kernels) return kernels.error();
  std::string out = "candidate " + id + " of " + task->id + " (" + candidate->kind + ")\n";
  if (!task->source.empty()) out += "task at " + task->source + (task->module_path.empty() ? "" : ", module " + task->module_path) + "\n";
  out += heading("recipe") + (candidate->recipe.empty() ? "none: edited\n" : candidate->recipe + "\n");
  out += heading("edits") + *edges;
  out += heading("evaluations");
  for (const auto& e : *evaluations) {
    out += e.evaluation.verdict_text() + " (" + e.purpose + ", attempt " + std::to_string(e.attempt) + ", " + duration(1e6 * e.wall_s) + ")\n";
    if (e.evaluation.measurement) out += indented(measurement_lines(*e.evaluation.measurement));
    if (const std::string evidence = evidence_lines(e.evaluation.evidence); !evidence.empty()) out += indented(evidence);
  }
  if (evaluations->empty()) out += "none yet\n";
  if (!kernels->empty()) out += heading("kernels of one call") + kernels_by_track(*kernels);
  out += heading("plan") + plan_lines(*candidate);
  out += heading("source") + candidate->source;
  if (!assembly) return out;
  auto machine = assembly_of(candidate->source, environment->compiler, environment->flags);
  if (!machine) return machine.error();
  return out + heading("machine code") + *machine;
}

}  // namespace kw::report
