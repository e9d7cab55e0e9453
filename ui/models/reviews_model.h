#pragma once
// The session's reviews, newest last; a void one (the candidate's hash changed since) says so. GUI thread.

#include <QAbstractTableModel>

#include "ui/models/records.h"

namespace kw::ui {

class Session;

class ReviewsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { Candidate, Decision, Reviewer, Date, Comment, column_count };

  explicit ReviewsModel(Session* session, QObject* parent = nullptr);
  const Review& row(int row) const { return rows_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  void fill();
  Session* session_;
  std::vector<Review> rows_;
};

}  // namespace kw::ui
