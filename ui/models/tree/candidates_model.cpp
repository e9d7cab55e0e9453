#include "ui/models/tree/candidates_model.h"

#include <array>
#include <cmath>

#include "ui/models/quantities.h"
#include "ui/models/roles.h"

namespace kw::ui {
namespace {

struct ColumnRow { const char* title; const char* tip; bool right; };
constexpr std::array<ColumnRow, CandidatesModel::column_count> columns = {{
    {"Candidate", "In the order of creation", false},
    {"Task", "The region of the graph that it computes", false},
    {"Verdict", "Right or not; of right ones, fast or not", false},
    {"Speedup", "Against the strongest baseline, with its 95 % interval", true},
    {"Time", "Of one call of the candidate", true},
    {"Error", "Largest error against the float64 truth", true},
    {"Visits", "Walks of the search that passed here", true},
    {"Edit", "What was changed of its first parent", false},
    {"At", "When it was evaluated, since the session began", true},
}};

std::optional<double> number(float value) { return std::isnan(value) ? std::nullopt : std::optional<double>(static_cast<double>(value)); }

}  // namespace

CandidatesModel::CandidatesModel(const TreeData* tree, QObject* parent) : QAbstractTableModel(parent), tree_(tree), rows_(static_cast<int>(tree->nodes().size())) {}

void CandidatesModel::take(const TreeData::Change& change) {
  const int now = static_cast<int>(tree_->nodes().size());
  if (now > rows_) {
    beginInsertRows({}, rows_, now - 1);
    rows_ = now;
    endInsertRows();
  }
  // One signal a run of neighbours.
  for (std::size_t i = 0; i < change.changed.size();) {
    std::size_t end = i + 1;
    while (end < change.changed.size() && change.changed[end] == change.changed[end - 1] + 1) ++end;
    Q_EMIT dataChanged(index(change.changed[i], 0), index(change.changed[end - 1], column_count - 1));
    i = end;
  }
}

void CandidatesModel::start_anew() {
  beginResetModel();
  rows_ = static_cast<int>(tree_->nodes().size());
  endResetModel();
}

int CandidatesModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : rows_; }
int CandidatesModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant CandidatesModel::shown(int node, int column) const {
  const TreeNode& n = tree_->node(node);
  switch (column) {
    case Id: return tree_->id(node);
    case Task: return tree_->text(n.task);
    case Verdict: return n.outcome != 0 ? tree_->text(n.outcome) : n.verdict != 0 ? tree_->text(n.verdict) : QStringLiteral("waiting");
    case Speedup: return speedup_text(number(n.speedup), std::isnan(n.low) || std::isnan(n.high) ? std::nullopt : std::optional(Range{static_cast<double>(n.low), static_cast<double>(n.high)}));
    case Time: return time_text(number(n.candidate_us));
    case Error: return error_text(number(n.error_max));
    case Visits: return n.visits;
    case Edit: return tree_->edit_text(n.edge);
    case At: return duration_text(number(n.at_s));
    default: return {};
  }
}

QVariant CandidatesModel::sorted_by(int node, int column) const {
  const TreeNode& n = tree_->node(node);
  const auto or_last = [](float value) { return std::isnan(value) ? -1.0 : static_cast<double>(value); };
  switch (column) {
    case Id: return node;
    case Speedup: return or_last(n.speedup);
    case Time: return or_last(n.candidate_us);
    case Error: return or_last(n.error_max);
    case Visits: return n.visits;
    case At: return or_last(n.at_s);
    default: return shown(node, column);
  }
}

QVariant CandidatesModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= static_cast<int>(tree_->nodes().size())) return {};
  const int node = index.row(), column = index.column();
  switch (role) {
    case Qt::DisplayRole: return shown(node, column);
    case SortRole: return sorted_by(node, column);
    case Qt::TextAlignmentRole: return static_cast<int>(Qt::AlignVCenter | (columns[static_cast<std::size_t>(column)].right ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ToolTipRole: return column == Edit && tree_->node(node).edge >= 0 ? tree_->text(tree_->edge(tree_->node(node).edge).description) : QVariant();
    case StatusRole:
      if (column != Verdict) return {};
      return tree_->text(tree_->node(node).outcome != 0 ? tree_->node(node).outcome : tree_->node(node).verdict);
    case KeyRole:
    case CandidateRole: return tree_->id(node);
    case TaskRole: return tree_->text(tree_->node(node).task);
    default: return {};
  }
}

QVariant CandidatesModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const ColumnRow& column = columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return QString::fromUtf8(column.title);
  if (role == Qt::ToolTipRole) return QString::fromUtf8(column.tip);
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignVCenter | (column.right ? Qt::AlignRight : Qt::AlignLeft));
  return {};
}

void CandidatesFilter::set_shown(std::vector<char> shown) {
  shown_ = std::move(shown);
  invalidateFilter();
}

bool CandidatesFilter::filterAcceptsRow(int row, const QModelIndex&) const {
  const auto index = static_cast<std::size_t>(row);
  return index >= shown_.size() || shown_[index] != 0;
}

}  // namespace kw::ui
