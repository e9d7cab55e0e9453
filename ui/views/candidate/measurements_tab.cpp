#include "ui/views/candidate/measurements_tab.h"

#include <algorithm>

#include <QSplitter>

#include "ui/models/quantities.h"
#include "ui/widgets/bar.h"

namespace kw::ui {

namespace {

std::vector<double> samples_of(const json& measurement, const char* key) {
  std::vector<double> out;
  for (const json& sample : array(measurement, key))
    if (sample.is_number()) out.push_back(sample);
  return out;
}

QString figure(const QString& name, const QString& value) {
  return value.isEmpty() ? QString() : QStringLiteral("<tr><td style='padding-right:1.2em'>%1</td><td><b>%2</b></td></tr>").arg(name.toHtmlEscaped(), value.toHtmlEscaped());
}

QString figures_html(const json& m) {
  const std::optional<double> candidate = number(m, "candidate_median_us"), floor = number(m, "floor_us");
  QString out = QStringLiteral("<table>");
  out += figure(QStringLiteral("Speedup"), speedup_text(number(m, "ratio"), range(m, "ratio_ci95")));
  out += figure(QStringLiteral("Candidate, median"), time_text(candidate));
  out += figure(QStringLiteral("Baseline, median"), QStringLiteral("%1 (%2)").arg(time_text(number(m, "baseline_median_us")), text(m, "baseline")));
  if (floor && candidate && *floor > 0) out += figure(QStringLiteral("Roofline floor"), QStringLiteral("%1 (%2 reached)").arg(time_text(floor), share_text(*floor / *candidate)));
  out += figure(QStringLiteral("Rounds"), QStringLiteral("%1, %2 discarded").arg(text(m, "rounds"), text(m, "discarded")));
  out += figure(QStringLiteral("Device"), text(m, "device"));
  out += figure(QStringLiteral("Threads"), text(m, "threads"));
  out += figure(QStringLiteral("Clock"), text(m, "clock"));
  for (const json& weaker : array(m, "weaker"))
    out += figure(QStringLiteral("Against %1").arg(text(weaker, "name")),
                  QStringLiteral("%1 of %2").arg(speedup_text(number(weaker, "ratio"), range(weaker, "ratio_ci95")), time_text(number(weaker, "median_us"))));
  return out + QStringLiteral("</table>");
}

}  // namespace

MeasurementsTab::MeasurementsTab(QWidget* parent)
    : QWidget(parent), which_(new QComboBox), figures_(new QTextBrowser),
      chart_(new Chart(QStringLiteral("Sample distribution"), QStringLiteral("µs a call"), QStringLiteral("samples"))) {
  which_->setAccessibleName(QStringLiteral("Evaluation"));
  figures_->setAccessibleName(QStringLiteral("Figures"));
  auto* column = dock_column(this);
  add_bar(column)->addWidget(which_, 1);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(chart_);
  splitter->addWidget(figures_);
  splitter->setStretchFactor(0, 3);
  splitter->setStretchFactor(1, 2);
  column->addWidget(splitter, 1);
  connect(which_, &QComboBox::currentIndexChanged, this, [this] {
    const json& evaluations = array(candidate_, "evaluations");
    const int at = which_->currentData().toInt();
    if (which_->currentIndex() >= 0 && at < static_cast<int>(evaluations.size())) show_measurement(member(evaluations[static_cast<std::size_t>(at)], "measurement"));
  });
}

void MeasurementsTab::show_candidate(const json& candidate) {
  candidate_ = candidate;
  const QSignalBlocker quiet(which_);
  which_->clear();
  int at = 0;
  for (const json& evaluation : array(candidate, "evaluations")) {
    if (!member(evaluation, "measurement").empty())
      which_->addItem(QStringLiteral("evaluation %1, %2").arg(text(evaluation, "id"), text(evaluation, "purpose")), at);
    ++at;
  }
  which_->setCurrentIndex(which_->count() - 1);
  which_->setEnabled(which_->count() > 0);
  const int last = which_->currentData().toInt();
  show_measurement(which_->count() ? member(array(candidate, "evaluations")[static_cast<std::size_t>(last)], "measurement") : json::object());
}

void MeasurementsTab::show_measurement(const json& m) {
  chart_->clearPlottables();
  chart_->clearItems();
  const std::vector<double> candidate = samples_of(m, "candidate_us"), baseline = samples_of(m, "baseline_us");
  chart_->show_axes(!candidate.empty());
  if (candidate.empty()) {
    figures_->setHtml(QStringLiteral("<p>Not timed: only a candidate that is right is timed.</p>"));
    chart_->replot();
    return;
  }
  figures_->setHtml(figures_html(m));
  std::vector<double> all = candidate;
  all.insert(all.end(), baseline.begin(), baseline.end());
  std::sort(all.begin(), all.end());
  const double low = all.front(), high = all[all.size() - 1 - all.size() / 50];
  const std::size_t bins = std::clamp<std::size_t>(all.size() / 2, 12, 60);
  const double width = std::max((high - low) / static_cast<double>(bins), low * 1e-4 + 1e-9);
  add_bars(QStringLiteral("candidate"), Tone::plot_a, candidate, low, width, bins);
  add_bars(text(m, "baseline"), Tone::plot_b, baseline, low, width, bins);
  chart_->rescaleAxes();
  chart_->yAxis->setRangeLower(0);
  chart_->yAxis->setRangeUpper(chart_->yAxis->range().upper * 1.15);
  chart_->replot();
}

void MeasurementsTab::add_bars(const QString& name, Tone colour, const std::vector<double>& samples, double low, double width, std::size_t bins) {
  QVector<double> keys, counts;
  for (std::size_t i = 0; i < bins; ++i) {
    keys << low + (static_cast<double>(i) + 0.5) * width;
    counts << 0;
  }
  for (const double sample : samples) counts[static_cast<qsizetype>(std::min<double>((sample - low) / width, static_cast<double>(bins - 1)))] += 1;
  auto* bars = new QCPBars(chart_->xAxis, chart_->yAxis);
  bars->setName(name);
  bars->setWidth(width);
  bars->setData(keys, counts, true);
  QColor fill = tone(colour);
  bars->setPen(fill);
  fill.setAlphaF(0.45F);
  bars->setBrush(fill);
}

}  // namespace kw::ui
