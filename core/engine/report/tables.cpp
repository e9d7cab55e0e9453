#include "core/engine/report/tables.h"

#include <algorithm>

#include "core/engine/report/text.h"

namespace kw::report {
namespace {

constexpr auto right = Table::Align::right;

std::string joined_operators(const store::TaskRecord& task) {
  std::string out;
  for (const std::string& op : task.operators) {
    std::string name = short_op(op);
    if (const auto dot = name.find('.'); dot != std::string::npos) name.erase(dot);
    out += (out.empty() ? "" : " + ") + name;
  }
  return shortened(out, 44);
}

std::string outcome_cell(const TaskSummary& t) {
  if (!t.task.note.empty() && t.evaluations == 0) return "not searched";
  if (!t.measurement) return t.evaluations == 0 ? "" : "nothing right";
  std::string out = protocol::name(t.outcome);
  if (t.outcome != protocol::Outcome::faster) return out;
  if (!t.confirmed) return out + " (not confirmed)";
  return t.used ? out : out + " (left out)";
}

}  // namespace

std::string operators_table(const std::vector<protocol::OperatorCard>& cards, std::size_t most) {
  std::vector<const protocol::OperatorCard*> sorted;
  for (const auto& card : cards) sorted.push_back(&card);
  std::stable_sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->share > b->share; });
  Table table;
  table.column("share", right);
  table.column("time", right);
  table.column("calls", right);
  table.column("operator");
  table.column("bound");
  table.column("roofline", right);
  table.column("module");
  table.column("source");
  for (std::size_t i = 0; i < sorted.size() && i < most; ++i) {
    const auto& c = *sorted[i];
    table.row({percent(c.share), duration(c.time_us), std::to_string(c.calls), short_op(c.op), c.bound,
               c.roofline_share > 0 ? percent(c.roofline_share) : "", shortened(c.module_path, 24), without_folders(c.source)});
  }
  std::string out = table.text();
  if (sorted.size() > most) out += "… and " + std::to_string(sorted.size() - most) + " more with a smaller share\n";
  return out;
}

std::string tasks_table(const Summary& summary) {
  Table table;
  table.column("task");
  table.column("share", right);
  table.column("calls", right);
  table.column("operators");
  table.column("eager", right);
  table.column("best", right);
  table.column("speedup", right);
  table.column("95 % interval");
  table.column("outcome");
  table.column("evaluated", right);
  table.column("candidate");
  for (const auto& t : summary.tasks) {
    const bool has = t.measurement.has_value();
    table.row({t.task.id, percent(t.task.share), std::to_string(t.task.calls), joined_operators(t.task),
               has ? duration(t.measurement->baseline_median_us) : duration(t.task.baseline_us.value_or(t.task.time_us)),
               has ? duration(t.measurement->candidate_median_us) : "", has ? ratio(t.measurement->ratio) : "",
               has ? interval(t.measurement->ratio_ci95) : "", outcome_cell(t), std::to_string(t.evaluations), t.best});
  }
  return table.text();
}

std::string model_lines(const Summary& summary) {
  if (!summary.end_to_end) return "Whole model: not timed end to end (no confirmed winner, or the run was stopped).\n";
  const auto& e = *summary.end_to_end;
  const auto line = [](const std::string& name, const auto& way) {
    return name + ": " + duration(way.before_us) + " -> " + duration(way.after_us) + ", " + ratio(way.speedup) + " " + interval(way.speedup_ci95) +
           " over " + std::to_string(way.rounds) + " paired rounds\n";
  };
  std::string out = e.rounds == 0 ? "Whole model: could not be timed, the machine is too busy.\n" : line("Whole model", e);
  for (const auto& way : e.ways) out += line("Whole model, " + way.name, way);
  out += "Error against float64: " + scientific(e.error_max) + " (eager's own " + scientific(e.error_eager_max) + ")" +
         (e.within_tolerance ? "" : ", OUTSIDE the tolerance") + "\n";
  for (const std::string& task : e.left_out) out += "Left out, because the whole model is not faster with it: " + task + "\n";
  if (!e.note.empty()) out += "Note: " + e.note + "\n";
  return out;
}

std::string run_line(const Summary& summary) {
  if (!summary.run || summary.run->wall_s <= 0) return "";
  const auto& run = *summary.run;
  std::string out = std::to_string(run.evaluations) + " evaluations (" + std::to_string(run.measured) + " measured) in " + duration(run.wall_s * 1e6);
  char rate[64];
  std::snprintf(rate, sizeof(rate), ", %.0f measured a minute", 60 * run.measured / run.wall_s);
  out += rate;
  if (run.overhead_share) out += ", engine overhead " + percent(*run.overhead_share);
  return out + "\n";
}

std::string verdict_lines(const Summary& summary) {
  std::map<std::string, int> all;
  for (const auto& t : summary.tasks)
    for (const auto& [verdict, n] : t.verdicts)
      if (verdict != "accepted") all[verdict] += n;
  std::string out;
  for (const auto& [verdict, n] : all) out += (out.empty() ? "Not accepted: " : ", ") + verdict + " " + std::to_string(n);
  return out.empty() ? out : out + " (`kernelwright show " + summary.session + " failures` has the evidence)\n";
}

}  // namespace kw::report
