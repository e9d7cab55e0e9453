#include "ui/views/diff/diff_dock.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

#include "ui/bridge/engine.h"
#include "ui/bridge/selection.h"
#include "ui/models/records.h"
#include "ui/widgets/bar.h"
#include "ui/widgets/diff/diff_view.h"

namespace kw::ui {
namespace {

const QString choose_one = QStringLiteral("Choose a candidate to see what was changed of its parent. Name another one above to compare with that instead.");

class DiffDock : public QWidget {
 public:
  DiffDock(const DockContext& context, QWidget* parent);

 private:
  QAction* add_action(QHBoxLayout* bar, const QString& text, const QKeySequence& keys, const QString& tip);
  void ask();
  void ask_for_difference(const QString& before, const QString& after);
  void show(const json& answer);

  DockContext context_;
  DiffView* view_ = new DiffView;
  QLineEdit* compared_ = new QLineEdit;
  QLabel* where_ = new QLabel;
  int turn_ = 0;                       // late answers are dropped
};

DiffDock::DiffDock(const DockContext& context, QWidget* parent) : QWidget(parent), context_(context) {
  QVBoxLayout* column = dock_column(this);
  QHBoxLayout* bar = add_bar(column);
  auto* label = new QLabel(QStringLiteral("Compare with"));
  label->setBuddy(compared_);
  compared_->setPlaceholderText(QStringLiteral("its parent"));
  compared_->setAccessibleName(QStringLiteral("Compare with candidate"));
  compared_->setClearButtonEnabled(true);
  bar->addWidget(label);
  bar->addWidget(compared_, 1);
  bar->addWidget(where_);
  QAction* previous = add_action(bar, QStringLiteral("▲"), QKeySequence(Qt::SHIFT | Qt::Key_F7), QStringLiteral("Previous change"));
  QAction* next = add_action(bar, QStringLiteral("▼"), QKeySequence(Qt::Key_F7), QStringLiteral("Next change"));
  QAction* unified = add_action(bar, QStringLiteral("Unified"), QKeySequence(Qt::CTRL | Qt::Key_U), QStringLiteral("One under the other instead of side by side"));
  unified->setCheckable(true);
  QAction* swap = add_action(bar, QStringLiteral("Swap"), {}, QStringLiteral("The other way round"));
  QAction* copy = add_action(nullptr, QStringLiteral("Copy difference"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), QStringLiteral("As a unified difference"));
  column->addWidget(view_, 1);
  view_->set_message(choose_one);

  connect(previous, &QAction::triggered, view_, &DiffView::previous_change);
  connect(next, &QAction::triggered, view_, &DiffView::next_change);
  connect(unified, &QAction::toggled, view_, &DiffView::set_unified);
  connect(copy, &QAction::triggered, this, [this] { QApplication::clipboard()->setText(view_->unified_text()); });
  connect(swap, &QAction::triggered, this, [this] {
    const QString candidate = context_.selection->candidate(), other = context_.selection->compared();
    if (candidate.isEmpty() || other.isEmpty()) return;
    context_.selection->set_compared(candidate);
    context_.selection->set_candidate(other);
  });
  connect(view_, &DiffView::current_changed, this, [this](int change, int of) {
    where_->setText(of == 0 ? QString() : QStringLiteral("%1 of %2").arg(change + 1).arg(of));
  });
  connect(compared_, &QLineEdit::editingFinished, this, [this] { context_.selection->set_compared(compared_->text().trimmed()); });
  connect(context.selection, &Selection::candidate_changed, this, &DiffDock::ask);
  connect(context.selection, &Selection::compared_changed, this, [this](const QString& id) {
    compared_->setText(id);
    ask();
  });
  connect(context.selection, &Selection::session_changed, this, &DiffDock::ask);
  ask();
}

QAction* DiffDock::add_action(QHBoxLayout* bar, const QString& text, const QKeySequence& keys, const QString& tip) {
  QAction* action = add_dock_action(this, text, keys, tip);
  if (bar != nullptr) add_button(bar, action)->setAccessibleName(tip);
  return action;
}

void DiffDock::ask() {
  const int turn = ++turn_;
  const QString candidate = context_.selection->candidate(), other = context_.selection->compared();
  if (context_.selection->session().isEmpty() || candidate.isEmpty()) return view_->set_message(choose_one);
  if (!other.isEmpty()) return ask_for_difference(other, candidate);
  context_.engine->call(
      QStringLiteral("candidate/get"), {{"session", context_.selection->session().toStdString()}, {"id", candidate.toStdString()}}, this,
      [this, turn, candidate](const json& answer) {
        if (turn != turn_) return;
        const json& parents = array(answer, "parents");
        if (parents.empty()) return view_->set_message(QStringLiteral("%1 is the root of its task: it has no parent. Name a candidate above to compare it with.").arg(candidate));
        ask_for_difference(text(parents.front(), "parent"), candidate);
      },
      [this, turn](const EngineError& error) {
        if (turn == turn_) view_->set_message(error.message);
      });
}

void DiffDock::ask_for_difference(const QString& before, const QString& after) {
  const int turn = ++turn_;
  context_.engine->call(
      QStringLiteral("candidate/diff"),
      {{"session", context_.selection->session().toStdString()}, {"a", before.toStdString()}, {"b", after.toStdString()}}, this,
      [this, turn](const json& answer) {
        if (turn == turn_) show(answer);
      },
      [this, turn](const EngineError& error) {
        if (turn == turn_) view_->set_message(error.message);
      });
}

void DiffDock::show(const json& answer) {
  const json &a = member(answer, "a"), &b = member(answer, "b");
  const QString left = text(a, "source"), right = text(b, "source");
  if (left.isEmpty() && right.isEmpty())
    return view_->set_message(QStringLiteral("Neither %1 nor %2 has source text: their plans are library calls only.").arg(text(a, "id"), text(b, "id")));
  view_->set_texts(text(a, "id"), left, text(b, "id"), right);
}

}  // namespace

QWidget* make_diff_dock(const DockContext& context, QWidget* parent) { return new DiffDock(context, parent); }

}  // namespace kw::ui
