#pragma once
// What a range of a timeline comes to, one row a name and track. GUI thread.

#include <QAbstractTableModel>

#include "ui/widgets/timeline/timeline_canvas.h"

namespace kw::ui {

class RangeModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Track, Count, Total, Mean, Share, column_count };
  using QAbstractTableModel::QAbstractTableModel;

  void show(const TimelineData& data, TimeRange range);
  void clear();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row { QString name, track; qint64 count = 0; double total_us = 0, share = 0; };
  std::vector<Row> rows_;
};

}  // namespace kw::ui
