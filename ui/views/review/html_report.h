#pragma once
// A candidate's review as one HTML file that needs nothing else: figures, checklist, evidence, plots (SVG), source, reviews.

#include "ui/models/records.h"
#include "ui/views/review/checklist.h"

namespace kw::ui {

struct ReportInput {
  json session, candidate;                      // records `Session` and `Candidate`
  QString task_title;
  std::vector<Check> checks;
};

QString html_report(const ReportInput& input);
QString samples_svg(const json& measurement);   // both sides' samples, round by round; "" without any

}  // namespace kw::ui
