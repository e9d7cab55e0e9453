#pragma once
// The row of controls above a dock's view: one height, one spacing.

#include <QHBoxLayout>
#include <QLineEdit>
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

inline QLineEdit* filter_edit(const QString& what) {
  auto* edit = new QLineEdit;
  edit->setPlaceholderText(QStringLiteral("Filter ") + what);
  edit->setAccessibleName(QStringLiteral("Filter ") + what);
  edit->setClearButtonEnabled(true);
  return edit;
}

}  // namespace kw::ui
