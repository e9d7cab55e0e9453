#include "ui/views/why/roofline_bars.h"

#include "ui/models/quantities.h"
#include "ui/views/candidate/candidate_text.h"

namespace kw::ui {

namespace {

struct Bar { QString name; double us; Tone tone; };

}  // namespace

RooflineBars::RooflineBars() : Chart(QStringLiteral("Before and after"), QStringLiteral("µs a call"), QString()) {
  legend->setVisible(false);
  setInteractions({});
}

void RooflineBars::show_pair(const json& before, const json& after) {
  clearPlottables();
  clearItems();
  std::vector<Bar> bars;
  std::optional<double> floor;
  for (const auto& [candidate, colour] : {std::pair{&after, Tone::plot_a}, std::pair{&before, Tone::plot_f}}) {
    const json* measured = best_measurement(*candidate);
    const std::optional<double> us = measured ? number(*measured, "candidate_median_us") : std::nullopt;
    if (us) bars.push_back({text(*candidate, "id"), *us, colour});
    if (measured && !floor) floor = number(*measured, "floor_us");
    if (measured && candidate == &before)
      if (const auto baseline = number(*measured, "baseline_median_us")) bars.push_back({text(*measured, "baseline"), *baseline, Tone::plot_b});
  }
  setVisible(!bars.empty());
  auto ticker = QSharedPointer<QCPAxisTickerText>::create();
  double most = 0;
  for (std::size_t i = 0; i < bars.size(); ++i) {
    const auto at = static_cast<double>(i);
    ticker->addTick(at, bars[i].name);
    auto* plotted = new QCPBars(yAxis, xAxis);
    plotted->setData({at}, {bars[i].us});
    plotted->setWidth(0.6);
    plotted->setPen(tone(bars[i].tone));
    QColor fill = tone(bars[i].tone);
    fill.setAlphaF(0.55F);
    plotted->setBrush(fill);
    auto* label = new QCPItemText(this);
    label->setText(floor && *floor > 0 ? QStringLiteral("%1, %2 of the roofline").arg(time_text(bars[i].us), share_text(*floor / bars[i].us)) : time_text(bars[i].us));
    label->setColor(tone(Tone::text));
    label->setFont(font());
    label->setPositionAlignment(Qt::AlignLeft | Qt::AlignVCenter);
    label->position->setCoords(bars[i].us * 0.02, at);
    most = std::max(most, bars[i].us);
  }
  if (floor && *floor > 0) {
    auto* line = new QCPItemStraightLine(this);
    line->point1->setCoords(*floor, 0);
    line->point2->setCoords(*floor, 1);
    line->setPen(QPen(tone(Tone::good), 2, Qt::DashLine));
    auto* name = new QCPItemText(this);
    name->setText(QStringLiteral(" roofline floor %1").arg(time_text(floor)));
    name->setColor(tone(Tone::good));
    name->setFont(font());
    name->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    name->position->setCoords(*floor, static_cast<double>(bars.size()) + 0.15);
  }
  yAxis->setTicker(ticker);
  yAxis->setRange(-0.6, static_cast<double>(bars.size()) + 0.2);
  xAxis->setRange(0, most > 0 ? most * 1.08 : 1);
  replot(rpQueuedReplot);
}

}  // namespace kw::ui
