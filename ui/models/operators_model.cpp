#include "ui/models/operators_model.h"

#include <algorithm>
#include <map>

#include "ui/models/quantities.h"
#include "ui/models/roles.h"
#include "ui/models/session.h"

namespace kw::ui {

namespace {

struct ColumnRow {
  const char* title;
  const char* hint;
  bool is_number;
  QString (*display)(const Operator&);
  QVariant (*sort)(const Operator&);
};

QVariant or_least(std::optional<double> value) { return value.value_or(-1); }

// In the order of OperatorsModel::Column.
const std::vector<ColumnRow>& columns() {
  static const std::vector<ColumnRow> rows{
      {"Operator", "ATen operators of this card; a chain that is computed together stands as one", false,
       [](const Operator& op) { return short_operator(op.name); }, [](const Operator& op) { return QVariant(short_operator(op.name)); }},
      {"Module", "Path of the module that calls it", false, [](const Operator& op) { return op.module_path; },
       [](const Operator& op) { return QVariant(op.module_path); }},
      {"Time", "All calls of one run", true, [](const Operator& op) { return time_text(op.time_us); }, [](const Operator& op) { return QVariant(op.time_us); }},
      {"Share", "Of the time of all operators", true, [](const Operator& op) { return share_text(op.share); },
       [](const Operator& op) { return QVariant(op.share); }},
      {"Best speedup", "Over the strongest baseline, with its 95 % interval", true,
       [](const Operator& op) { return speedup_text(op.best_speedup, op.best_ci95); }, [](const Operator& op) { return or_least(op.best_speedup); }},
      {"State", "What the search found", false, [](const Operator& op) { return op.state; }, [](const Operator& op) { return QVariant(op.state); }},
      {"Bound", "What limits it: memory traffic or arithmetic", false, [](const Operator& op) { return op.bound; },
       [](const Operator& op) { return QVariant(op.bound); }},
      {"Roofline", "Share of what this machine's measured ceilings allow; what is missing to 100 % can be gained", true,
       [](const Operator& op) { return share_text(op.roofline_share); }, [](const Operator& op) { return or_least(op.roofline_share); }},
      {"Calls", "Calls in one run of the model", true, [](const Operator& op) { return QString::number(op.calls); },
       [](const Operator& op) { return QVariant(op.calls); }},
      {"Shapes", "Shapes of its inputs", false, [](const Operator& op) { return op.shapes; }, [](const Operator& op) { return QVariant(op.shapes); }},
      {"Dtype", "Element type", false, [](const Operator& op) { return op.dtype; }, [](const Operator& op) { return QVariant(op.dtype); }},
      {"Source", "Python line that calls it; double click opens it", false, [](const Operator& op) { return op.source.section(u'/', -1); },
       [](const Operator& op) { return QVariant(op.source); }},
  };
  return rows;
}

bool same_rows(const std::vector<Operator>& a, const std::vector<Operator>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Operator& x, const Operator& y) { return x.signature == y.signature && x.name == y.name; });
}

}  // namespace

std::vector<Operator> operators_after(std::vector<Operator> operators, const std::vector<Step>& steps, std::size_t count) {
  std::map<QString, const Step*> best;
  for (std::size_t i = 0; i < count; ++i) {
    const Step*& leader = best[steps[i].task];
    if (steps[i].speedup && (!leader || *steps[i].speedup > leader->speedup.value_or(0))) leader = &steps[i];
  }
  for (Operator& op : operators) {
    const auto found = best.find(op.task);
    op.best_ci95.reset();
    op.best_speedup.reset();
    op.best_candidate.clear();
    if (!op.task.isEmpty()) op.state = found == best.end() ? QStringLiteral("not searched") : QStringLiteral("searching");
    if (found == best.end() || !found->second) continue;
    op.best_speedup = found->second->speedup;
    op.best_candidate = found->second->candidate;
  }
  return operators;
}

OperatorsModel::OperatorsModel(Session* session, QObject* parent) : QAbstractTableModel(parent), session_(session) {
  connect(session, &Session::operators_changed, this, &OperatorsModel::fill);
  connect(session, &Session::moment_changed, this, &OperatorsModel::fill);
  fill();
}

void OperatorsModel::fill() {
  std::vector<Operator> rows = session_->operators();
  if (session_->moment()) rows = operators_after(std::move(rows), session_->steps(), session_->steps_shown());
  if (!rows.empty() && same_rows(rows, rows_)) {
    rows_ = std::move(rows);
    emit dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
    return;
  }
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int OperatorsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(rows_.size()); }
int OperatorsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant OperatorsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Operator& op = row(index.row());
  const ColumnRow& column = columns()[static_cast<std::size_t>(index.column())];
  switch (role) {
    case Qt::DisplayRole: return column.display(op);
    case SortRole: return column.sort(op);
    case StatusRole: return index.column() == State ? op.state : QVariant();
    case CandidateRole: return op.best_candidate;
    case TaskRole: return op.task;
    case KeyRole: return op.name + op.signature;
    case Qt::TextAlignmentRole: return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column.is_number ? Qt::AlignRight : Qt::AlignLeft)));
    case Qt::ToolTipRole: return index.column() == State && !op.note.isEmpty() ? op.note : index.column() == Source ? op.source : column.display(op);
    default: return {};
  }
}

QVariant OperatorsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= column_count) return {};
  const ColumnRow& column = columns()[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return QString::fromLatin1(column.title);
  if (role == Qt::ToolTipRole) return QString::fromLatin1(column.hint);
  if (role == Qt::TextAlignmentRole) return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (column.is_number ? Qt::AlignRight : Qt::AlignLeft)));
  return {};
}

}  // namespace kw::ui
