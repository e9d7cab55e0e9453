#include "ui/shell/status_bar.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>

#include "ui/models/jobs_model.h"
#include "ui/models/quantities.h"
#include "ui/models/session.h"
#include "ui/shell/theme.h"

namespace kw::ui {

namespace {

constexpr int progress_em = 10, permille = 1000;

struct StateRow { Engine::State state; const char* glyph; const char* words; Tone tone; };
constexpr StateRow states[] = {
    {Engine::State::stopped, "○", "engine stopped", Tone::waiting},
    {Engine::State::starting, "…", "engine starting", Tone::working},
    {Engine::State::ready, "●", "engine ready", Tone::good},
    {Engine::State::dead, "✕", "engine dead", Tone::failure},
};

}  // namespace

StatusBar::StatusBar(Engine* engine, Session* session, const QString& engine_name, QWidget* parent)
    : QStatusBar(parent), engine_(engine), session_(session), engine_name_(engine_name), job_(new QWidget), job_words_(new QLabel), run_(new QLabel),
      device_(new QLabel), state_(new QLabel), progress_(new QProgressBar), cancel_(new QToolButton) {
  setSizeGripEnabled(false);
  auto* row = new QHBoxLayout(job_);
  row->setContentsMargins(4, 0, 4, 0);
  for (QWidget* widget : std::initializer_list<QWidget*>{job_words_, progress_, cancel_}) row->addWidget(widget);
  progress_->setMaximumWidth(fontMetrics().horizontalAdvance(u'm') * progress_em);
  progress_->setMaximumHeight(fontMetrics().height());
  progress_->setAccessibleName(QStringLiteral("Progress of the job"));
  cancel_->setText(QStringLiteral("Cancel"));
  cancel_->setAutoRaise(true);
  for (QWidget* widget : std::initializer_list<QWidget*>{job_, run_, device_, state_}) addPermanentWidget(widget);
  connect(session->jobs(), &JobsModel::changed, this, &StatusBar::show_job);
  connect(session, &Session::run_changed, this, &StatusBar::show_run);
  connect(session, &Session::operators_changed, this, &StatusBar::show_run);
  connect(session, &Session::opened, this, &StatusBar::show_engine);
  connect(session, &Session::closed, this, &StatusBar::show_engine);
  connect(engine, &Engine::state_changed, this, &StatusBar::show_engine);
  connect(cancel_, &QToolButton::clicked, this, [this] {
    if (const Job* job = session_->jobs()->first_active()) session_->jobs()->cancel(job->id);
  });
  state_->setContentsMargins(0, 0, fontMetrics().horizontalAdvance(u'm'), 0);
  show_job();
  show_engine();
  show_run();
}

void StatusBar::changeEvent(QEvent* event) {
  QStatusBar::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) show_engine();
}

void StatusBar::set_engine_name(const QString& name) {
  engine_name_ = name;
  show_engine();
}

void StatusBar::show_job() {
  const Job* job = session_->jobs()->first_active();
  job_->setVisible(job != nullptr);
  if (!job) return;
  const QString remaining = job->eta_s ? QStringLiteral(", %1 left").arg(duration_text(job->eta_s)) : QString();
  job_words_->setText((job->what.isEmpty() ? job->text : job->what) + remaining);
  job_words_->setToolTip(job->text);
  progress_->setRange(0, job->fraction ? permille : 0);
  progress_->setValue(static_cast<int>(job->fraction.value_or(0) * permille));
  cancel_->setVisible(session_->jobs()->can_cancel(job->id));
}

void StatusBar::show_engine() {
  for (const StateRow& row : states)
    if (row.state == engine_->state())
      state_->setText(QStringLiteral("<span style='color:%1'>%2</span> %3, %4")
                          .arg(tone(row.tone).name(), QString::fromUtf8(row.glyph), QLatin1String(row.words), engine_name_.toHtmlEscaped()));
  QString device = text(member(session_->info(), "environment"), "device");
  if (device.isEmpty()) device = text(engine_->hello(), "devices");
  device_->setText(device);
  device_->setVisible(!device.isEmpty());
}

void StatusBar::show_run() {
  const RunState& run = session_->run();
  QStringList parts;
  if (!run.state.isEmpty()) parts << run.state;
  if (run.budget > 0) parts << QStringLiteral("%1 of %2 evaluations").arg(run.evaluations).arg(run.budget);
  if (run.measured_per_min) parts << QStringLiteral("%1 measured/min").arg(digits(*run.measured_per_min, 2));
  std::optional<double> best = run.best_speedup;
  for (const Operator& op : session_->operators())
    if (op.best_speedup && op.best_speedup > best) best = op.best_speedup;
  if (best) parts << QStringLiteral("best %1").arg(speedup_text(best));
  run_->setText(parts.join(QStringLiteral("  ·  ")));
  run_->setVisible(!parts.isEmpty());
}

}  // namespace kw::ui
