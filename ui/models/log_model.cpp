#include "ui/models/log_model.h"

#include <QDateTime>

#include "ui/models/roles.h"

namespace kw::ui {

namespace {

int weight(const QString& level) {
  static const QStringList levels{QStringLiteral("debug"), QStringLiteral("info"), QStringLiteral("warning"), QStringLiteral("error")};
  return static_cast<int>(levels.indexOf(level));
}

}  // namespace

LogModel::LogModel(Engine* engine, QObject* parent) : QAbstractTableModel(parent) {
  connect(engine, &Engine::notified, this, [this](const QString& method, const json& params) {
    if (method == QLatin1String("log")) add(log_line_of(params));
  });
  connect(engine, &Engine::complained, this,
          [this](const QString& message) { add({{}, QStringLiteral("error"), QStringLiteral("engine"), message}); });
}

void LogModel::add(LogLine line) {
  if (line.time.isEmpty()) line.time = QDateTime::currentDateTime().toString(QStringLiteral("HH:mm:ss"));
  if (!parts_.contains(line.part)) {
    parts_ << line.part;
    emit part_added(line.part);
  }
  if (lines_.size() >= most_lines) {
    const int going = most_lines / 10;
    beginRemoveRows({}, 0, going - 1);
    lines_.erase(lines_.begin(), lines_.begin() + going);
    endRemoveRows();
  }
  const int row = static_cast<int>(lines_.size());
  beginInsertRows({}, row, row);
  lines_.push_back(std::move(line));
  endInsertRows();
}

void LogModel::clear() {
  beginResetModel();
  lines_.clear();
  endResetModel();
}

int LogModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(lines_.size()); }
int LogModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant LogModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const LogLine& line = lines_[static_cast<std::size_t>(index.row())];
  if (role == StatusRole) return index.column() == Level ? line.level : QVariant();
  if (role == Qt::ToolTipRole) return line.text;
  if (role != Qt::DisplayRole && role != SortRole) return {};
  switch (index.column()) {
    case Time: return line.time;
    case Level: return line.level;
    case Part: return line.part;
    default: return line.text;
  }
}

QVariant LogModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const QStringList titles{QStringLiteral("Time"), QStringLiteral("Level"), QStringLiteral("Part"), QStringLiteral("Message")};
  return orientation == Qt::Horizontal && role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

void LogFilter::set_least_level(const QString& level) {
  level_ = level;
  invalidateFilter();
}

void LogFilter::set_part(const QString& part) {
  part_ = part;
  invalidateFilter();
}

void LogFilter::set_text(const QString& text) {
  text_ = text;
  invalidateFilter();
}

bool LogFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const auto cell = [&](int column) { return sourceModel()->index(row, column, parent).data().toString(); };
  return weight(cell(LogModel::Level)) >= weight(level_) && (part_.isEmpty() || cell(LogModel::Part) == part_) &&
         (text_.isEmpty() || cell(LogModel::Text).contains(text_, Qt::CaseInsensitive));
}

}  // namespace kw::ui
