#pragma once
// The model's operators, one row a card of the profile, as they were at the selection's moment. GUI thread.

#include <QAbstractTableModel>

#include "ui/models/records.h"

namespace kw::ui {

class Session;

class OperatorsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Name, Module, Time, Share, Best, State, Bound, Roofline, Calls, Shapes, Dtype, Source, column_count };

  explicit OperatorsModel(Session* session, QObject* parent = nullptr);
  const Operator& row(int row) const { return rows_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void fill();

  Session* session_;
  std::vector<Operator> rows_;
};

// `operators` as they were after `steps`: the best of each task that had been found by then.
std::vector<Operator> operators_after(std::vector<Operator> operators, const std::vector<Step>& steps, std::size_t count);

}  // namespace kw::ui
