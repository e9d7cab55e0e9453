#pragma once
// The nodes of a TreeData as a flat table, one row a node. CandidatesFilter keeps those of a task, of some verdicts, or that a search found.
// GUI thread.

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>

#include "ui/models/tree/tree_data.h"

namespace kw::ui {

class CandidatesModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Id, Task, Verdict, Speedup, Time, Error, Visits, Edit, At, column_count };

  explicit CandidatesModel(const TreeData* tree, QObject* parent = nullptr);
  // After TreeData::apply or clear: rows that came, rows that changed.
  void take(const TreeData::Change& change);
  void start_anew();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant shown(int node, int column) const;
  QVariant sorted_by(int node, int column) const;

  const TreeData* tree_;
  int rows_ = 0;                       // what views have been told
};

class CandidatesFilter : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  using QSortFilterProxyModel::QSortFilterProxyModel;
  void set_shown(std::vector<char> shown);     // by node; nodes beyond its end are shown

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  std::vector<char> shown_;
};

}  // namespace kw::ui
