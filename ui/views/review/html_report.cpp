#include "ui/views/review/html_report.h"

#include <algorithm>

#include "ui/models/quantities.h"
#include "ui/views/candidate/candidate_text.h"
#include "ui/widgets/palette.h"

namespace kw::ui {

namespace {

constexpr double plot_width = 720, plot_height = 220, plot_margin = 40;

const QString page_style = QStringLiteral(
    "body{font:15px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#1d232d;background:#fff}"
    "table{border-collapse:collapse}td,th{text-align:left;padding:.2em 1em .2em 0;vertical-align:top}"
    "pre{background:#f6f7f9;padding:1em;overflow:auto;font-size:13px}h2{border-bottom:1px solid #cdd2da}");

QString row(const QString& name, const QString& value) {
  return value.isEmpty() ? QString() : QStringLiteral("<tr><th>%1</th><td>%2</td></tr>").arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString dots(const json& samples, double least, double most, const char* colour) {
  QString out;
  const double step = (plot_width - 2 * plot_margin) / static_cast<double>(std::max<std::size_t>(1, samples.size()));
  double x = plot_margin;
  for (const json& sample : samples) {
    const double y = plot_height - plot_margin - (sample.get<double>() - least) / (most - least) * (plot_height - 2 * plot_margin);
    out += QStringLiteral("<circle cx='%1' cy='%2' r='3' fill='%3' fill-opacity='.7'/>").arg(x, 0, 'f', 1).arg(y, 0, 'f', 1).arg(QLatin1String(colour));
    x += step;
  }
  return out;
}

QString figures(const ReportInput& in) {
  const json* m = best_measurement(in.candidate);
  const json& environment = member(in.session, "environment");
  QString out = QStringLiteral("<table>") + row(QStringLiteral("Task"), in.task_title) + row(QStringLiteral("Status"), look_text(candidate_status(in.candidate))) +
                row(QStringLiteral("Hash"), text(in.candidate, "hash"));
  if (m)
    out += row(QStringLiteral("Speedup"), speedup_text(number(*m, "ratio"), range(*m, "ratio_ci95"))) + row(QStringLiteral("Baseline"), text(*m, "baseline")) +
           row(QStringLiteral("Candidate, median"), time_text(number(*m, "candidate_median_us"))) +
           row(QStringLiteral("Baseline, median"), time_text(number(*m, "baseline_median_us"))) + row(QStringLiteral("Device"), text(*m, "device"));
  for (const char* key : {"cpu", "torch", "compiler", "flags", "os"}) out += row(QString::fromLatin1(key), text(environment, key));
  return out + row(QStringLiteral("Model"), text(member(in.session, "model"), "path")) + QStringLiteral("</table>");
}

QString checks(const std::vector<Check>& all) {
  QString out = QStringLiteral("<table>");
  for (const Check& check : all)
    out += QStringLiteral("<tr><td>%1</td><th>%2</th><td>%3</td></tr>").arg(check.passed ? QStringLiteral("✓") : QStringLiteral("✗"), check.question.toHtmlEscaped(), check.answer.toHtmlEscaped());
  return out + QStringLiteral("</table>");
}

QString reviews(const json& candidate) {
  QString out;
  for (const json& record : array(candidate, "reviews")) {
    const Review review = review_of(record);
    out += QStringLiteral("<p><b>%1</b>%2 by %3, %4<br>%5</p>")
               .arg(review.decision.toHtmlEscaped(), review.is_void ? QStringLiteral(" (void: the candidate changed since)") : QString(), review.reviewer.toHtmlEscaped(),
                    review.date.toHtmlEscaped(), review.comment.toHtmlEscaped());
  }
  return out.isEmpty() ? QStringLiteral("<p>Nobody has reviewed it yet.</p>") : out;
}

}  // namespace

QString samples_svg(const json& m) {
  const json &candidate = array(m, "candidate_us"), &baseline = array(m, "baseline_us");
  std::vector<double> all;
  for (const json* samples : {&candidate, &baseline})
    for (const json& sample : *samples) {
      if (!sample.is_number()) return {};
      all.push_back(sample);
    }
  if (all.empty()) return {};
  const double most = *std::max_element(all.begin(), all.end()) * 1.05;
  return QStringLiteral("<svg viewBox='0 0 %1 %2' width='100%' role='img' aria-label='Samples of candidate and baseline, round by round'>"
                        "<line x1='%3' y1='%4' x2='%5' y2='%4' stroke='#cdd2da'/><text x='%3' y='20' font-size='13'>µs a call, round by round: "
                        "<tspan fill='#1a66c4'>● candidate</tspan>  <tspan fill='#c2570c'>● %6</tspan>; top: %7</text>%8%9</svg>")
      .arg(plot_width)
      .arg(plot_height)
      .arg(plot_margin)
      .arg(plot_height - plot_margin)
      .arg(plot_width - plot_margin)
      .arg(text(m, "baseline").toHtmlEscaped(), time_text(most), dots(candidate, 0, most, "#1a66c4"), dots(baseline, 0, most, "#c2570c"));
}

QString html_report(const ReportInput& in) {
  const QString id = text(in.candidate, "id").toHtmlEscaped();
  const json* measured = best_measurement(in.candidate);
  QString out = QStringLiteral("<!doctype html><html lang=en><meta charset=utf-8><title>Candidate %1</title><style>%2</style><h1>Candidate %1</h1>").arg(id, page_style);
  const auto section = [&out](const char* title, const QString& body) { out += QStringLiteral("<h2>%1</h2>%2").arg(QLatin1String(title), body); };
  out += figures(in);
  if (measured) section("Samples", samples_svg(*measured));
  section("Checklist", checks(in.checks));
  section("Reviews", reviews(in.candidate));
  section("Evidence", all_evidence_html(in.candidate));
  section("Plan", plan_html(in.candidate));
  section("Recipe", recipe_html(in.candidate));
  section("Source", QStringLiteral("<pre>%1</pre>").arg(text(in.candidate, "source").toHtmlEscaped()));
  return out + QStringLiteral("</html>\n");
}

}  // namespace kw::ui
