#include "ui/views/progress/progress_dock.h"

#include <cmath>

#include <QTabWidget>

#include "ui/bridge/selection.h"
#include "ui/models/session.h"
#include "ui/views/progress/progress_charts.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/chart.h"
#include "ui/widgets/empty_state.h"

namespace kw::ui {

namespace {

constexpr std::size_t most_curves = 8;
constexpr double near_px = 12;

class ProgressDock : public QWidget {
 public:
  ProgressDock(const DockContext& context, QWidget* parent) : QWidget(parent), context_(context), tabs_(new QTabWidget) {
    add(evaluations_, "By evaluations", "evaluations", "best speedup", "The best speedup of each task will be drawn here over its evaluations. Start a search with Ctrl+R.");
    add(time_, "By time", "seconds", "best speedup", "The best speedup of each task will be drawn here over time. Start a search with Ctrl+R.");
    add(roofline_, "Roofline", "FLOP per byte", "GFLOP/s", "Candidates will be drawn here below the roof that was measured on their machine.");
    add(errors_, "Error and speed", "speedup", "largest error against float64", "Candidates will be drawn here by their speed and their error, once they are measured.");
    for (Chart* chart : {roofline_.chart, errors_.chart}) chart->use_log(chart->yAxis);
    roofline_.chart->use_log(roofline_.chart->xAxis);
    for (Chart* chart : {evaluations_.chart, time_.chart, roofline_.chart}) chart->axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignRight | Qt::AlignBottom);
    tabs_->setDocumentMode(true);
    dock_column(this)->addWidget(tabs_);
    connect(context.session, &Session::steps_changed, this, [this] { draw(); });
    connect(context.session, &Session::moment_changed, this, [this] { draw(); });
    connect(context.session, &Session::nodes_changed, this, [this] { draw(); });
    connect(context.session, &Session::operators_changed, this, [this] { draw(); });
    connect(context.selection, &Selection::task_changed, this, [this] { draw(); });
    connect(context.selection, &Selection::candidate_changed, this, [this] { draw(); });
    connect(tabs_, &QTabWidget::currentChanged, this, [this] { want_nodes(); });
  }

 protected:
  void showEvent(QShowEvent* event) override {
    QWidget::showEvent(event);
    want_nodes();
  }
  void hideEvent(QHideEvent* event) override {
    QWidget::hideEvent(event);
    context_.session->need_nodes(false);
  }

 private:
  struct Page { Chart* chart = nullptr; EmptyState* empty = nullptr; Cloud cloud; };

  void add(Page& page, const char* title, const char* x, const char* y, const char* empty) {
    page.chart = new Chart(QLatin1String(title), QLatin1String(x), QLatin1String(y));
    page.empty = new EmptyState(QLatin1String(empty), page.chart);
    tabs_->addTab(page.chart, QLatin1String(title));
    connect(page.chart, &QCustomPlot::mousePress, this, [this, &page](const QMouseEvent* event) { pick(page, event->pos()); });
  }

  bool shows_nodes() const { return tabs_->currentWidget() == roofline_.chart || tabs_->currentWidget() == errors_.chart; }

  void want_nodes() {
    context_.session->need_nodes(isVisible() && shows_nodes());
    draw();
  }

  void draw() {
    if (!isVisible()) return;
    if (tabs_->currentWidget() == evaluations_.chart) draw_curves(evaluations_, false);
    if (tabs_->currentWidget() == time_.chart) draw_curves(time_, true);
    if (tabs_->currentWidget() == roofline_.chart) draw_roofline();
    if (tabs_->currentWidget() == errors_.chart) draw_errors();
  }

  void finish(Page& page, bool empty) {
    page.empty->setVisible(empty);
    page.chart->show_axes(!empty);
    page.chart->legend->setVisible(!empty && page.chart->graphCount() > 1);
    page.chart->show_all();
  }

  void draw_curves(Page& page, bool over_time) {
    const Session& session = *context_.session;
    std::vector<Curve> curves = best_so_far(session.steps(), session.steps_shown(), over_time);
    const QString task = context_.selection->task();
    if (!task.isEmpty()) std::erase_if(curves, [&](const Curve& curve) { return curve.task != task; });
    std::sort(curves.begin(), curves.end(), [](const Curve& a, const Curve& b) { return a.y.back() > b.y.back(); });
    if (curves.size() > most_curves) curves.resize(most_curves);
    page.chart->clearGraphs();
    qsizetype index = 0;
    for (const Curve& curve : curves)
      page.chart->add_line(session.task_title(curve.task), Chart::series_tone(index++), true)->setData(curve.x, curve.y, true);
    finish(page, curves.empty());
  }

  void add_cloud(Page& page, const QString& name, Cloud cloud) {
    page.cloud = std::move(cloud);
    page.chart->add_points(name, Tone::plot_a, QCPScatterStyle::ssCircle)->setData(page.cloud.x, page.cloud.y);
    const qsizetype chosen = page.cloud.ids.indexOf(context_.selection->candidate());
    if (chosen >= 0) page.chart->add_points(page.cloud.ids[chosen], Tone::plot_b, QCPScatterStyle::ssDiamond)->setData({page.cloud.x[chosen]}, {page.cloud.y[chosen]});
  }

  void draw_roofline() {
    Cloud cloud = roofline_points(context_.session->nodes(), context_.session->operators(), context_.selection->task());
    roofline_.chart->clearGraphs();
    const bool empty = cloud.x.isEmpty();
    if (!empty) {
      const auto [low, high] = std::minmax_element(cloud.x.begin(), cloud.x.end());
      const Curve line = roof(context_.session->ceilings(), *low / 4, *high * 16);
      if (!line.x.isEmpty()) roofline_.chart->add_line(QStringLiteral("measured roof"), Tone::plot_c)->setData(line.x, line.y, true);
      add_cloud(roofline_, QStringLiteral("candidates"), std::move(cloud));
    }
    finish(roofline_, empty);
  }

  void draw_errors() {
    Cloud cloud = error_and_speed(context_.session->nodes(), context_.selection->task());
    errors_.chart->clearGraphs();
    const bool empty = cloud.x.isEmpty();
    if (!empty) add_cloud(errors_, QStringLiteral("candidates"), std::move(cloud));
    finish(errors_, empty);
  }

  // A press near a point chooses its candidate.
  void pick(const Page& page, const QPoint& at) {
    double nearest = near_px;
    QString id;
    for (qsizetype i = 0; i < page.cloud.ids.size(); ++i) {
      const double dx = page.chart->xAxis->coordToPixel(page.cloud.x[i]) - at.x(), dy = page.chart->yAxis->coordToPixel(page.cloud.y[i]) - at.y();
      if (std::hypot(dx, dy) < nearest) {
        nearest = std::hypot(dx, dy);
        id = page.cloud.ids[i];
      }
    }
    if (!id.isEmpty()) context_.selection->set_candidate(id);
  }

  DockContext context_;
  QTabWidget* tabs_;
  Page evaluations_, time_, roofline_, errors_;
};

}  // namespace

QWidget* make_progress_dock(const DockContext& context, QWidget* parent) { return new ProgressDock(context, parent); }

}  // namespace kw::ui
