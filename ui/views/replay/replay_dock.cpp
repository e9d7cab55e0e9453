#include "ui/views/replay/replay_dock.h"

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QTimer>
#include <QToolButton>

#include "ui/bridge/selection.h"
#include "ui/models/quantities.h"
#include "ui/models/session.h"
#include "ui/shell/icons.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/palette.h"

namespace kw::ui {

namespace {

struct Pace { const char* name; int steps_per_s; };
constexpr Pace paces[] = {{"1 step/s", 1}, {"4 steps/s", 4}, {"15 steps/s", 15}};

class ReplayDock : public QWidget {
 public:
  ReplayDock(const DockContext& context, QWidget* parent)
      : QWidget(parent), context_(context), slider_(new QSlider(Qt::Horizontal)), play_(new QToolButton), now_(new QPushButton(QStringLiteral("&Now"))),
        follow_(new QCheckBox(QStringLiteral("&Choose the candidate of each step"))), pace_(new QComboBox), words_(new QLabel) {
    slider_->setAccessibleName(QStringLiteral("Moment of the session"));
    play_->setAccessibleName(QStringLiteral("Play or pause"));
    play_->setShortcut(QKeySequence(Qt::CTRL | Qt::Key_Space));
    pace_->setAccessibleName(QStringLiteral("Pace"));
    for (const Pace& pace : paces) pace_->addItem(QLatin1String(pace.name), pace.steps_per_s);
    pace_->setCurrentIndex(1);
    follow_->setChecked(true);
    now_->setToolTip(QStringLiteral("Leave the past: all docks show the session as it is now"));
    words_->setWordWrap(true);
    words_->setTextFormat(Qt::RichText);

    auto* column = dock_column(this);
    QHBoxLayout* bar = add_bar(column);
    bar->addWidget(step_button(Qt::LeftArrow, "Step back", -1));
    bar->addWidget(play_);
    bar->addWidget(step_button(Qt::RightArrow, "Step forward", 1));
    bar->addWidget(slider_, 1);
    bar->addWidget(now_);
    bar = add_bar(column);
    bar->addWidget(words_, 1);
    bar->addWidget(follow_);
    bar->addWidget(pace_);
    column->addStretch(1);

    connect(slider_, &QSlider::valueChanged, this, [this](int step) { go(step); });
    connect(play_, &QToolButton::clicked, this, [this] { timer_.isActive() ? pause() : play(); });
    connect(now_, &QPushButton::clicked, this, [this] { leave(); });
    connect(&timer_, &QTimer::timeout, this, [this] { slider_->value() < slider_->maximum() ? slider_->setValue(slider_->value() + 1) : pause(); });
    connect(pace_, &QComboBox::currentIndexChanged, this, [this] { timer_.setInterval(1000 / pace_->currentData().toInt()); });
    connect(context.session, &Session::steps_changed, this, [this] { fill(); });
    connect(context.selection, &Selection::moment_changed, this, [this] { fill(); });
    timer_.setInterval(1000 / pace_->currentData().toInt());
    fill();
  }

 private:
  QToolButton* step_button(Qt::ArrowType arrow, const char* name, int step) {
    auto* button = new QToolButton;
    button->setArrowType(arrow);
    button->setAccessibleName(QLatin1String(name));
    button->setToolTip(QLatin1String(name));
    connect(button, &QToolButton::clicked, this, [this, step] { slider_->setValue(slider_->value() + step); });
    return button;
  }

  void fill() {
    const Session& session = *context_.session;
    const auto count = static_cast<int>(session.steps().size());
    const QSignalBlocker quiet(slider_);
    slider_->setRange(count ? 1 : 0, count);
    slider_->setValue(static_cast<int>(session.steps_shown()));
    slider_->setPageStep(std::max(1, count / 20));
    for (QWidget* widget : std::initializer_list<QWidget*>{slider_, play_, follow_, pace_}) widget->setEnabled(count > 0);
    now_->setEnabled(session.moment().has_value());
    show_playing();
    say();
  }

  void say() {
    const Session& session = *context_.session;
    if (session.steps().empty())
      return words_->setText(QStringLiteral("The history of a session is played here, evaluation by evaluation; all other docks follow. Open a session first."));
    if (!session.moment()) return words_->setText(QStringLiteral("Now: all %1 evaluations. Drag the slider or press play to walk through them.").arg(session.steps().size()));
    const std::size_t shown = session.steps_shown();
    const Step& step = session.steps()[shown - 1];
    words_->setText(QStringLiteral("Step %1 of %2, after %3: <b>%4</b> of %5, <span style='color:%6'>%7</span> %8")
                        .arg(shown)
                        .arg(session.steps().size())
                        .arg(duration_text(step.at_s), step.candidate.toHtmlEscaped(), session.task_title(step.task).toHtmlEscaped(),
                             look_color(step.verdict).name(), look_text(step.verdict).toHtmlEscaped(), speedup_text(step.speedup)));
  }

  void go(int step) {
    const std::vector<Step>& steps = context_.session->steps();
    if (step < 1 || step > static_cast<int>(steps.size())) return;
    const Step at = steps[static_cast<std::size_t>(step) - 1];
    context_.selection->set_moment(at.evaluation);
    if (follow_->isChecked()) context_.selection->set_candidate(at.candidate);
  }

  void play() {
    if (slider_->value() == slider_->maximum()) slider_->setValue(slider_->minimum());
    timer_.start();
    show_playing();
  }

  void pause() {
    timer_.stop();
    show_playing();
  }

  void leave() {
    pause();
    context_.selection->set_moment({});
  }

  void show_playing() { play_->setIcon(icon(timer_.isActive() ? "pause" : "optimize")); }

  DockContext context_;
  QSlider* slider_;
  QToolButton* play_;
  QPushButton* now_;
  QCheckBox* follow_;
  QComboBox* pace_;
  QLabel* words_;
  QTimer timer_;
};

}  // namespace

QWidget* make_replay_dock(const DockContext& context, QWidget* parent) { return new ReplayDock(context, parent); }

}  // namespace kw::ui
