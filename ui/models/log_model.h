#pragma once
// Messages of the engine, its workers and the window, newest last; the oldest are let go. With a proxy that filters by level, part and
// text. GUI thread.

#include <deque>

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "ui/bridge/engine.h"
#include "ui/models/records.h"

namespace kw::ui {

class LogModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Time, Level, Part, Text, column_count };
  static constexpr int most_lines = 20'000;

  LogModel(Engine* engine, QObject* parent);
  void add(LogLine line);
  void clear();
  QStringList parts() const { return parts_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void part_added(const QString& part);

 private:
  std::deque<LogLine> lines_;
  QStringList parts_;
};

class LogFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void set_least_level(const QString& level);   // "info", "warning", "error"
  void set_part(const QString& part);           // "": all
  void set_text(const QString& text);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QString level_ = QStringLiteral("info"), part_, text_;
};

}  // namespace kw::ui
