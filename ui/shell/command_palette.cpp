#include "ui/shell/command_palette.h"

#include <algorithm>

#include <QAction>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace kw::ui {

namespace {

constexpr int width_em = 40, height_lines = 18;

QString plain(const QString& text) { return QString(text).remove(u'&').remove(QStringLiteral("…")); }

// "Run: Pause" for an action of the menu "Run".
QString full_name(const QAction* action) {
  for (QObject* object : action->associatedObjects())
    if (auto* menu = qobject_cast<QMenu*>(object); menu && !menu->title().isEmpty()) return plain(menu->title()) + QStringLiteral(": ") + plain(action->text());
  return plain(action->text());
}

}  // namespace

bool matches_words(const QString& text, const QString& words) {
  const QStringList wanted = words.split(u' ', Qt::SkipEmptyParts);
  return std::all_of(wanted.begin(), wanted.end(), [&](const QString& word) { return text.contains(word, Qt::CaseInsensitive); });
}

CommandPalette::CommandPalette(QWidget* window) : QDialog(window, Qt::Popup), words_(new QLineEdit), list_(new QTreeWidget) {
  setAttribute(Qt::WA_DeleteOnClose);
  setAccessibleName(QStringLiteral("Command palette"));
  words_->setPlaceholderText(QStringLiteral("Type a command"));
  words_->setAccessibleName(QStringLiteral("Command"));
  list_->setAccessibleName(QStringLiteral("Commands"));
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setColumnCount(2);
  list_->setHeaderHidden(true);
  list_->setRootIsDecorated(false);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(6, 6, 6, 6);
  column->addWidget(words_);
  column->addWidget(list_);
  for (QAction* action : window->findChildren<QAction*>())
    if (!action->isSeparator() && action->isEnabled() && !action->text().isEmpty() && !action->menu() && !action->associatedObjects().isEmpty() &&
        action->shortcutContext() == Qt::WindowShortcut)
      actions_ << action;
  std::sort(actions_.begin(), actions_.end(), [](QAction* a, QAction* b) { return full_name(a) < full_name(b); });
  words_->installEventFilter(this);
  connect(words_, &QLineEdit::textChanged, this, &CommandPalette::fill);
  connect(words_, &QLineEdit::returnPressed, this, &CommandPalette::run_current);
  connect(list_, &QTreeWidget::itemClicked, this, &CommandPalette::run_current);
  fill({});
  const QFontMetrics metrics(font());
  resize(std::min(metrics.horizontalAdvance(u'm') * width_em, window->width()), metrics.lineSpacing() * height_lines);
  move(window->mapToGlobal(QPoint((window->width() - width()) / 2, window->height() / 8)));
}

void CommandPalette::fill(const QString& words) {
  list_->clear();
  for (qsizetype i = 0; i < actions_.size(); ++i) {
    const QString name = full_name(actions_[i]);
    if (!matches_words(name, words)) continue;
    auto* item = new QTreeWidgetItem(list_, {name, actions_[i]->shortcut().toString(QKeySequence::NativeText)});
    item->setData(0, Qt::UserRole, i);
    item->setForeground(1, palette().brush(QPalette::PlaceholderText));
  }
  list_->setCurrentItem(list_->topLevelItem(0));
}

void CommandPalette::run_current() {
  const QTreeWidgetItem* item = list_->currentItem();
  if (!item) return;
  QAction* action = actions_[item->data(0, Qt::UserRole).toInt()];
  close();
  action->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::KeyPress) {
    auto* key = static_cast<QKeyEvent*>(event);
    const int step = key->key() == Qt::Key_Down ? 1 : key->key() == Qt::Key_Up ? -1 : 0;
    if (step) {
      const int row = list_->indexOfTopLevelItem(list_->currentItem()) + step;
      if (QTreeWidgetItem* item = list_->topLevelItem(row)) list_->setCurrentItem(item);
      return true;
    }
  }
  return QDialog::eventFilter(watched, event);
}

}  // namespace kw::ui
