// profile, optimize, run, verify: the commands that open a model in a worker.
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "app/cli/commands.h"
#include "app/cli/progress.h"
#include "core/base/paths.h"
#include "core/engine/conductor/commands.h"
#include "core/engine/report/evidence.h"
#include "core/engine/report/json_report.h"
#include "core/engine/report/tables.h"
#include "core/engine/report/text.h"
#include "core/engine/report/timeline.h"

namespace kw::cli {
namespace {

constexpr int default_evaluations = 200;
constexpr std::size_t operators_shown = 20;

void print(const std::string& text) { std::fputs(text.c_str(), stdout); }

base::Status offered(const Options& o) {
  if (o.llm != "off") return base::bad_input("no language model can be used in this version; leave --llm off.", "--llm");
  if (o.optimize.policy != "none" && o.optimize.policy != "default")
    return base::bad_input("learned policies cannot be used in this version; use none or default.", "--policy");
  // Said now and not after the search.
  for (const std::string& file : {o.json, o.trace, o.out}) {
    if (file.empty() || file == "-") continue;
    const auto folder = std::filesystem::absolute(file).parent_path();
    std::error_code ignored;
    if (!std::filesystem::is_directory(folder, ignored)) return base::bad_input("there is no such folder to write into.", folder.string());
  }
  return base::done();
}

base::Result<report::Summary> summary_of(const std::string& path) {
  auto session = store::Session::open(path, store::Session::Access::read);
  if (!session) return session.error();
  return report::summarize(*session);
}

}  // namespace

base::Status write_json(const std::string& path, const nlohmann::json& json) {
  const std::string text = json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  if (path != "-") return base::write_file_atomically(path, text);
  print(text);
  return base::done();
}

int profile(const Options& o, const base::CancelToken& cancel) {
  if (auto status = offered(o); !status) return fail(status.error());
  ProgressLine line;
  auto done = conductor::profile_model(o.optimize.model, o.optimize.session, line.watch(), cancel);
  line.clear();
  if (!done) return fail(done.error());
  const auto& p = done->profile;
  if (o.json != "-") {
    print(report::operators_table(p.cards, operators_shown));
    std::printf("\nModel: %s on %d threads, median of %d runs. Copy bandwidth %.1f GB/s.\n", report::duration(p.model_us).c_str(),
                done->environment.threads, p.runs, p.ceilings.copy_gb_s);
    if (!p.note.empty()) print("Note: " + p.note + "\n");
  }
  if (!o.json.empty())
    if (auto status = write_json(o.json, report::profile_json(o.optimize.model.path, p, done->environment)); !status) return fail(status.error());
  if (!o.trace.empty())
    if (auto status = write_json(o.trace, report::chrome_trace(p.timeline, done->graph, o.optimize.model.path)); !status) return fail(status.error());
  return 0;
}

int optimize(const Options& o, const base::CancelToken& cancel) {
  if (auto status = offered(o); !status) return fail(status.error());
  auto options = o.optimize;
  if (options.evaluations == 0 && options.minutes == 0) options.evaluations = default_evaluations;
  ProgressLine line;
  conductor::OptimizeWatch watch;
  watch.common = line.watch();
  watch.profiled = [&](const std::vector<protocol::OperatorCard>& cards) {
    line.clear();
    if (o.json != "-") print(report::operators_table(cards, operators_shown) + "\n");
    std::fflush(stdout);
  };
  watch.search = [&](const search::Snapshot& snapshot, int budget) { line.search(snapshot, budget); };
  auto done = conductor::optimize(options, watch, cancel);
  line.clear();
  if (!done) return fail(done.error());
  auto summary = summary_of(done->session);
  if (!summary) return fail(summary.error());
  if (o.json != "-") {
    print(report::tasks_table(*summary) + "\n" + report::model_lines(*summary) + report::run_line(*summary) + report::verdict_lines(*summary));
    if (done->workers_lost > 0) std::printf("Workers replaced: %d\n", done->workers_lost);
    print("Session: " + done->session + "\n");
  }
  if (!o.json.empty())
    if (auto status = write_json(o.json, report::optimize_json(*summary)); !status) return fail(status.error());
  if (!done->cancelled && done->evaluations == 0 && done->unjudged > 0)
    return fail({base::ErrorCode::io, "not one candidate could be judged: " + done->unjudged_because, done->session});
  if (!done->cancelled) return 0;
  std::fprintf(stderr, "Stopped. Everything measured so far is kept; the same command does the rest.\n");
  return 130;
}

int run(const Options& o, const base::CancelToken& cancel) {
  if (auto status = offered(o); !status) return fail(status.error());
  ProgressLine line;
  auto done = conductor::run_model(o.optimize.model, o.session, o.out, line.watch(), cancel);
  line.clear();
  if (!done) return fail(done.error());
  for (std::size_t i = 0; i < done->outputs.size(); ++i) std::printf("output %zu: %s\n", i, done->outputs[i].c_str());
  if (!o.session.empty()) std::printf("With %d winners of %s.\n", done->winners, o.session.c_str());
  if (!o.out.empty()) std::printf("Written to %s.\n", o.out.c_str());
  return 0;
}

int verify(const Options& o, const base::CancelToken& cancel) {
  ProgressLine line;
  auto done = conductor::evaluate_candidate(o.session, {o.first}, o.optimize.model, line.watch(), cancel);
  line.clear();
  if (!done) return fail(done.error());
  const auto& e = done->evaluation;
  std::printf("%s: %s\n", o.first.c_str(), e.verdict_text().c_str());
  print(report::evidence_lines(e.evidence));
  if (e.measurement)
    std::printf("%s against %s of %s: %s %s, %s\n", report::duration(e.measurement->candidate_median_us).c_str(),
                report::duration(e.measurement->baseline_median_us).c_str(), e.measurement->baseline.c_str(),
                report::ratio(e.measurement->ratio).c_str(), report::interval(e.measurement->ratio_ci95).c_str(),
                protocol::name(protocol::outcome(*e.measurement)));
  return e.verdict == protocol::Verdict::accepted ? 0 : 1;
}

}  // namespace kw::cli
