#pragma once
// The row of controls above a dock's view, one height, one spacing, and what they do.

#include <QAction>
#include <QHBoxLayout>
#include <QKeySequence>
#include <QLineEdit>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>

namespace kw::ui {

inline QHBoxLayout* add_bar(QVBoxLayout* column) {
  auto* bar = new QHBoxLayout;
  bar->setContentsMargins(6, 4, 6, 4);
  bar->setSpacing(6);
  column->addLayout(bar);
  return bar;
}

inline QVBoxLayout* dock_column(QWidget* dock) {
  auto* column = new QVBoxLayout(dock);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  return column;
}

// Works by its keys wherever the focus is in the dock.
inline QAction* add_dock_action(QWidget* dock, const QString& text, const QKeySequence& keys, const QString& tip) {
  auto* action = new QAction(text, dock);
  action->setShortcut(keys);
  action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
  action->setToolTip(keys.isEmpty() ? tip : QStringLiteral("%1 (%2)").arg(tip, keys.toString(QKeySequence::NativeText)));
  dock->addAction(action);
  return action;
}

inline QToolButton* add_button(QHBoxLayout* bar, QAction* action) {
  auto* button = new QToolButton;
  button->setDefaultAction(action);
  button->setAutoRaise(true);
  bar->addWidget(button);
  return button;
}

inline QLineEdit* filter_edit(const QString& what) {
  auto* edit = new QLineEdit;
  edit->setPlaceholderText(QStringLiteral("Filter ") + what);
  edit->setAccessibleName(QStringLiteral("Filter ") + what);
  edit->setClearButtonEnabled(true);
  return edit;
}

}  // namespace kw::ui
