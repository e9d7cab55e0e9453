#include "ui/widgets/chart.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QFileDialog>
#include <QMenu>
#include <QSvgGenerator>

namespace kw::ui {

namespace {

constexpr double margin_share = 0.06;           // of the range, left free at both ends

void widen(QCPAxis* axis) {
  const QCPRange range = axis->range();
  if (axis->scaleType() == QCPAxis::stLogarithmic) {
    const double factor = std::pow(range.upper / range.lower, margin_share);
    axis->setRange(range.lower / factor, range.upper * factor);
  } else {
    axis->setRange(range.lower - range.size() * margin_share, range.upper + range.size() * margin_share);
  }
}

}  // namespace

Chart::Chart(const QString& title, const QString& x, const QString& y, QWidget* parent) : QCustomPlot(parent), title_(title) {
  setAccessibleName(title);
  setFocusPolicy(Qt::StrongFocus);
  xAxis->setLabel(x);
  yAxis->setLabel(y);
  setInteractions(QCP::iRangeDrag | QCP::iRangeZoom | QCP::iSelectPlottables);
  legend->setVisible(true);
  axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignRight | Qt::AlignTop);
  axisRect()->setupFullAxesBox();
  const auto add = [this](const QString& text, const QKeySequence& keys, auto act) {
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, act);
    addAction(action);
  };
  add(QStringLiteral("Save chart as SVG or PNG…"), QKeySequence::Save, [this] { ask_and_save(); });
  add(QStringLiteral("Show all"), QKeySequence(Qt::Key_Home), [this] { show_all(); });
  connect(this, &QCustomPlot::mouseDoubleClick, this, [this] { show_all(); });
  setContextMenuPolicy(Qt::DefaultContextMenu);
  take_colours();
}

void Chart::use_log(QCPAxis* axis) {
  axis->setScaleType(QCPAxis::stLogarithmic);
  axis->setTicker(QSharedPointer<QCPAxisTickerLog>::create());
  axis->setNumberFormat(QStringLiteral("gb"));
  axis->setNumberPrecision(0);
}

QCPGraph* Chart::add_line(const QString& name, Tone colour, bool steps) {
  QCPGraph* graph = addGraph();
  graph->setName(name);
  if (steps) graph->setLineStyle(QCPGraph::lsStepLeft);
  tones_.insert(graph, colour);
  take_colours();
  return graph;
}

QCPGraph* Chart::add_points(const QString& name, Tone colour, QCPScatterStyle::ScatterShape shape) {
  QCPGraph* graph = addGraph();
  graph->setName(name);
  graph->setLineStyle(QCPGraph::lsNone);
  graph->setScatterStyle(QCPScatterStyle(shape, fontMetrics().height() * 0.5));
  tones_.insert(graph, colour);
  take_colours();
  return graph;
}

void Chart::show_axes(bool shown) {
  for (QCPAxis* axis : {xAxis, yAxis, xAxis2, yAxis2}) axis->setVisible(shown);
  for (QCPAxis* axis : {xAxis, yAxis}) axis->grid()->setVisible(shown);
}

void Chart::show_all() {
  rescaleAxes(true);
  for (QCPAxis* axis : {xAxis, yAxis}) widen(axis);
  replot(rpQueuedReplot);
}

Tone Chart::series_tone(qsizetype index) {
  static constexpr Tone tones[] = {Tone::plot_a, Tone::plot_b, Tone::plot_c, Tone::plot_d, Tone::plot_e, Tone::plot_f};
  return tones[static_cast<std::size_t>(index) % std::size(tones)];
}

void Chart::take_colours() {
  setBackground(tone(Tone::base));
  for (QCPAxis* axis : {xAxis, yAxis, xAxis2, yAxis2}) {
    axis->setBasePen(tone(Tone::border));
    axis->setTickPen(tone(Tone::border));
    axis->setSubTickPen(tone(Tone::border));
    axis->setLabelColor(tone(Tone::faint_text));
    axis->setTickLabelColor(tone(Tone::faint_text));
    axis->setLabelFont(font());
    axis->setTickLabelFont(font());
    axis->grid()->setPen(QPen(tone(Tone::border), 0, Qt::DotLine));
    axis->grid()->setZeroLinePen(QPen(tone(Tone::border), 0));
  }
  QColor ground = tone(Tone::base);
  ground.setAlphaF(0.85F);
  legend->setBrush(ground);
  legend->setBorderPen(tone(Tone::border));
  legend->setTextColor(tone(Tone::text));
  legend->setFont(font());
  for (int i = 0; i < graphCount(); ++i)
    if (const auto found = tones_.find(graph(i)); found != tones_.end()) graph(i)->setPen(QPen(tone(*found), 2));
}

void Chart::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    take_colours();
    emit themed();
    replot(rpQueuedReplot);
  }
  QCustomPlot::changeEvent(event);
}

bool Chart::save(const QString& path) {
  if (path.endsWith(QLatin1String(".png"), Qt::CaseInsensitive)) return savePng(path, 0, 0, 2);
  QSvgGenerator svg;
  svg.setFileName(path);
  svg.setTitle(title_);
  svg.setSize(size());
  svg.setViewBox(rect());
  QCPPainter painter;
  if (!painter.begin(&svg)) return false;
  painter.setMode(QCPPainter::pmVectorized);
  painter.setMode(QCPPainter::pmNoCaching);
  toPainter(&painter, width(), height());
  return painter.end();
}

void Chart::ask_and_save() {
  const QString path = QFileDialog::getSaveFileName(this, QStringLiteral("Save chart"), title_ + QStringLiteral(".svg"),
                                                    QStringLiteral("Vector graphics (*.svg);;Pixels (*.png)"));
  if (!path.isEmpty() && !save(path)) QToolTip::showText(mapToGlobal(rect().center()), QStringLiteral("%1 could not be written.").arg(path), this);
}

void Chart::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addActions(actions());
  menu.exec(event->globalPos());
}

}  // namespace kw::ui
