#pragma once
// A sentence in the middle of a view that has nothing to show: what will be here, and what to do. Lies over the viewport of an item view
// as long as its model has no rows, or over any widget as long as it is told to.

#include <QLabel>

class QAbstractItemView;

namespace kw::ui {

class EmptyState : public QLabel {
  Q_OBJECT

 public:
  EmptyState(const QString& sentence, QWidget* over);
  static EmptyState* watch(QAbstractItemView* view, const QString& sentence);   // after the view has its model

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace kw::ui
