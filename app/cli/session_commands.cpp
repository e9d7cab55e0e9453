// show, diff, export, operators: the commands that need no model and no worker.
#include <cstdio>
#include <functional>
#include <map>

#include "app/cli/commands.h"
#include "core/engine/report/exporter.h"
#include "core/engine/report/pages.h"
#include "core/engine/report/tables.h"
#include "core/engine/report/text.h"
#include "core/kernel/definition/definition.h"

namespace kw::cli {
namespace {

using Page = base::Result<std::string>;

int with_session(const std::string& path, const std::function<Page(const store::Session&)>& page) {
  auto session = store::Session::open(path, store::Session::Access::read);
  if (!session) return fail(session.error());
  auto text = page(*session);
  if (!text) return fail(text.error());
  std::fputs(text->c_str(), stdout);
  return 0;
}

Page tasks_page(const store::Session& session) {
  auto summary = report::summarize(session);
  if (!summary) return summary.error();
  std::string out = summary->model.path + ", " + summary->model.target + ", " + std::to_string(summary->model.threads) + " threads, " +
                    summary->environment.cpu + "\n\n" + report::tasks_table(*summary) + "\n" + report::model_lines(*summary) +
                    report::run_line(*summary) + report::verdict_lines(*summary);
  for (const auto& t : summary->tasks)
    if (!t.task.note.empty()) out += t.task.id + ": " + t.task.note + "\n";
  return out;
}

Page timeline_page(const store::Session& session, const std::string& trace_file) {
  auto page = report::timeline_page(session);
  if (!page || trace_file.empty()) return page;
  auto trace = report::timeline_trace(session);
  if (!trace) return trace.error();
  if (auto status = write_json(trace_file, *trace); !status) return status.error();
  return page;
}

}  // namespace

int show(const Options& o, const base::CancelToken&) {
  if (o.view == "candidate" && o.first.empty())
    return fail(base::bad_input("which candidate? `kernelwright show " + o.session + " tree` lists them.", "show"));
  if (o.view != "candidate" && (!o.first.empty() || o.assembly))
    return fail(base::bad_input("an id and --asm belong to `show SESSION candidate ID`.", "show"));
  if (o.view != "timeline" && !o.trace.empty()) return fail(base::bad_input("--trace belongs to `show SESSION timeline`.", "show"));
  return with_session(o.session, [&](const store::Session& session) {
    if (o.view == "timeline") return timeline_page(session, o.trace);
    if (o.view == "tree") return report::tree_page(session);
    if (o.view == "failures") return report::failures_page(session);
    return o.view == "candidate" ? report::candidate_page(session, o.first, o.assembly) : tasks_page(session);
  });
}

int diff(const Options& o, const base::CancelToken&) {
  return with_session(o.session, [&](const store::Session& session) { return report::difference_page(session, o.first, o.second); });
}

int export_candidates(const Options& o, const base::CancelToken&) {
  return with_session(o.session, [&](const store::Session& session) -> Page {
    auto written = o.first.empty() ? report::export_winners(session, o.out) : report::export_candidate(session, o.first, o.out);
    if (!written) return written.error();
    std::string out;
    for (const std::string& folder : *written) out += "Written: " + folder + " (README.md there says how to use it)\n";
    return out;
  });
}

int operators(const Options& o, const base::CancelToken&) {
  const auto rows = kernel::operators();
  if (o.as_json) {
    nlohmann::json list = nlohmann::json::array();
    for (const auto& row : rows) list.push_back({{"operator", row.op}, {"family", row.family}, {"note", row.note}});
    auto status = write_json("-", {{"schema", "kernelwright.operators/1"}, {"operators", list}});
    return status ? 0 : fail(status.error());
  }
  report::Table table;
  table.column("operator");
  table.column("family");
  table.column("note");
  for (const auto& row : rows) table.row({row.op, row.family, row.note});
  std::fputs(table.text().c_str(), stdout);
  std::printf("%zu operators. Matmul, convolution and attention stay with PyTorch on the cpu target.\n", rows.size());
  return 0;
}

}  // namespace kw::cli
