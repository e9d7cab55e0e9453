#include "ui/views/timeline/range_model.h"

#include "ui/models/quantities.h"
#include "ui/models/roles.h"

namespace kw::ui {
namespace {

struct ColumnRow { const char* title; const char* tip; };
constexpr ColumnRow columns[RangeModel::column_count] = {
    {"Name", "Of the operator or kernel"}, {"Track", "Where it ran"}, {"Count", "Events that touch the range"},
    {"Total", "Time within the range; nested events count in each"}, {"Mean", "Total by count"}, {"Share", "Of the range's length"},
};

}  // namespace

void RangeModel::show(const TimelineData& data, TimeRange range) {
  beginResetModel();
  rows_.clear();
  for (const NameSum& sum : data.sums(range.start_us, range.end_us))
    rows_.push_back({data.names()[sum.name], data.tracks()[static_cast<std::size_t>(sum.track)].name, sum.count, sum.total_us, range.length() > 0 ? sum.total_us / range.length() : 0});
  endResetModel();
}

void RangeModel::clear() {
  beginResetModel();
  rows_.clear();
  endResetModel();
}

int RangeModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int RangeModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant RangeModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  const QVariant raw[] = {row.name, row.track, row.count, row.total_us, row.total_us / static_cast<double>(std::max<qint64>(1, row.count)), row.share};
  const int column = index.column();
  if (role == SortRole) return raw[column];
  if (role == KeyRole) return QString(row.name + QChar(0) + row.track);
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignVCenter | (column >= Count ? Qt::AlignRight : Qt::AlignLeft));
  if (role == Qt::ToolTipRole && column == Name) return row.name;
  if (role != Qt::DisplayRole) return {};
  if (column == Total || column == Mean) return time_text(raw[column].toDouble());
  return column == Share ? share_text(row.share) : raw[column];
}

QVariant RangeModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  if (role == Qt::DisplayRole) return QString::fromUtf8(columns[section].title);
  if (role == Qt::ToolTipRole) return QString::fromUtf8(columns[section].tip);
  return {};
}

}  // namespace kw::ui
