#pragma once
// Draws a cell that has a status (StatusRole) with its glyph, in its colour; all other cells as always.

#include <QStyledItemDelegate>

namespace kw::ui {

class StatusDelegate : public QStyledItemDelegate {
  Q_OBJECT

 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override;
};

}  // namespace kw::ui
