#include "ui/models/failures_model.h"

#include <algorithm>

#include "ui/models/roles.h"
#include "ui/models/session.h"

namespace kw::ui {

namespace {

QVariant alignment_of(int column) {
  const bool is_number = column == FailuresModel::Count || column == FailuresModel::Evaluation;
  return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter | (is_number ? Qt::AlignRight : Qt::AlignLeft)));
}

}  // namespace

FailuresModel::FailuresModel(Session* session, QObject* parent) : QAbstractItemModel(parent), session_(session), root_(std::make_unique<Item>()) {
  connect(session, &Session::failures_changed, this, &FailuresModel::fill);
  connect(session, &Session::moment_changed, this, &FailuresModel::fill);
  fill();
}

FailuresModel::~FailuresModel() = default;

int FailuresModel::Item::row() const {
  const auto& siblings = parent->children;
  const auto found = std::find_if(siblings.begin(), siblings.end(), [this](const auto& one) { return one.get() == this; });
  return static_cast<int>(found - siblings.begin());
}

// Rows are only added as long as nothing goes away, so what the user opened and selected stays.
void FailuresModel::fill() {
  const std::optional<qint64> moment = session_->moment();
  std::vector<std::pair<const FailureGroup*, const Failure*>> wanted;
  std::set<qint64> evaluations;
  for (const FailureGroup& group : session_->failures())
    for (const Failure& failure : group.members)
      if ((!moment || failure.evaluation <= *moment) && evaluations.insert(failure.evaluation).second) wanted.emplace_back(&group, &failure);
  if (!std::includes(evaluations.begin(), evaluations.end(), known_.begin(), known_.end())) {
    beginResetModel();
    root_ = std::make_unique<Item>();
    known_.clear();
    endResetModel();
  }
  for (const auto& [group, failure] : wanted)
    if (known_.insert(failure->evaluation).second) add(*group, *failure);
}

void FailuresModel::add(const FailureGroup& group, const Failure& failure) {
  Item* verdict = child_of(root_.get(), group.verdict, group.verdict, group.meaning, group.meaning);
  Item* cause = child_of(verdict, group.verdict + failure.summary, {}, failure.summary, failure.summary);
  auto leaf = std::make_unique<Item>();
  leaf->text = failure.candidate;
  leaf->key = QString::number(failure.evaluation);
  leaf->hint = failure.summary;
  leaf->failure = failure;
  append(cause, std::move(leaf));
  for (Item* above : {cause, verdict}) {
    ++above->count;
    const QModelIndex at = index_of(above);
    emit dataChanged(at, at.siblingAtColumn(column_count - 1));
  }
}

FailuresModel::Item* FailuresModel::child_of(Item* parent, const QString& key, const QString& verdict, const QString& text, const QString& hint) {
  for (const auto& child : parent->children)
    if (child->key == key) return child.get();
  auto item = std::make_unique<Item>();
  item->verdict = verdict;
  item->text = text;
  item->key = key;
  item->hint = hint;
  return append(parent, std::move(item));
}

FailuresModel::Item* FailuresModel::append(Item* parent, std::unique_ptr<Item> item) {
  const int row = static_cast<int>(parent->children.size());
  item->parent = parent;
  beginInsertRows(index_of(parent), row, row);
  parent->children.push_back(std::move(item));
  endInsertRows();
  return parent->children.back().get();
}

FailuresModel::Item* FailuresModel::item_of(const QModelIndex& index) const {
  return index.isValid() ? static_cast<Item*>(index.internalPointer()) : root_.get();
}

QModelIndex FailuresModel::index_of(Item* item) const { return item == root_.get() ? QModelIndex() : createIndex(item->row(), 0, item); }

QModelIndex FailuresModel::index(int row, int column, const QModelIndex& parent) const {
  if (!hasIndex(row, column, parent)) return {};
  return createIndex(row, column, item_of(parent)->children[static_cast<std::size_t>(row)].get());
}

QModelIndex FailuresModel::parent(const QModelIndex& child) const { return child.isValid() ? index_of(item_of(child)->parent) : QModelIndex(); }

int FailuresModel::rowCount(const QModelIndex& parent) const {
  return parent.column() > 0 ? 0 : static_cast<int>(item_of(parent)->children.size());
}

int FailuresModel::columnCount(const QModelIndex&) const { return column_count; }

QVariant FailuresModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Item& item = *item_of(index);
  const bool is_leaf = item.children.empty();
  switch (role) {
    case StatusRole: return index.column() == What ? item.verdict : QVariant();
    case CandidateRole: return item.failure.candidate;
    case TaskRole: return item.failure.task;
    case KeyRole: return item.key;
    case Qt::ToolTipRole: return item.hint;
    case Qt::TextAlignmentRole: return alignment_of(index.column());
    case Qt::DisplayRole:
    case SortRole: break;
    default: return {};
  }
  switch (index.column()) {
    case What: return item.text;
    case Count: return is_leaf ? QVariant() : QVariant(item.count);
    case Task: return is_leaf ? session_->task_title(item.failure.task) : QVariant();
    case Purpose: return item.failure.purpose;
    default: return is_leaf ? QVariant(item.failure.evaluation) : QVariant();
  }
}

QVariant FailuresModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const QStringList titles{QStringLiteral("Verdict, cause, candidate"), QStringLiteral("Count"), QStringLiteral("Task"), QStringLiteral("Purpose"),
                                  QStringLiteral("Evaluation")};
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return alignment_of(section);
  return role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

}  // namespace kw::ui
