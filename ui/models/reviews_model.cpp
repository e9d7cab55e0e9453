#include "ui/models/reviews_model.h"

#include "ui/models/roles.h"
#include "ui/models/session.h"

namespace kw::ui {

ReviewsModel::ReviewsModel(Session* session, QObject* parent) : QAbstractTableModel(parent), session_(session) {
  connect(session, &Session::reviews_changed, this, &ReviewsModel::fill);
  fill();
}

void ReviewsModel::fill() {
  beginResetModel();
  rows_ = session_->reviews();
  endResetModel();
}

int ReviewsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int ReviewsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant ReviewsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Review& review = row(index.row());
  const QString status = review.is_void ? QStringLiteral("void") : review.decision;
  switch (role) {
    case StatusRole: return index.column() == Decision ? status : QVariant();
    case CandidateRole: return review.candidate;
    case KeyRole: return review.candidate + review.date;
    case Qt::ToolTipRole:
      return review.is_void ? QStringLiteral("Void: the candidate is no longer the one that was reviewed (%1).").arg(review.hash.left(12)) : review.comment;
    case Qt::DisplayRole:
    case SortRole: break;
    default: return {};
  }
  switch (index.column()) {
    case Candidate: return review.candidate;
    case Decision: return review.is_void ? QStringLiteral("%1 (void)").arg(review.decision) : review.decision;
    case Reviewer: return review.reviewer;
    case Date: return review.date;
    default: return review.comment;
  }
}

QVariant ReviewsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const QStringList titles{QStringLiteral("Candidate"), QStringLiteral("Decision"), QStringLiteral("Reviewer"), QStringLiteral("Date"),
                                  QStringLiteral("Comment")};
  return orientation == Qt::Horizontal && role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

}  // namespace kw::ui
