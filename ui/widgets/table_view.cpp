#include "ui/widgets/table_view.h"

#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QHeaderView>
#include <QMenu>
#include <QSettings>
#include <QSortFilterProxyModel>

#include "ui/models/roles.h"
#include "ui/widgets/status_delegate.h"

namespace kw::ui {

namespace {

constexpr int widest_column_em = 34;

void visit(const QAbstractItemModel& model, const QModelIndex& parent, const std::function<void(const QModelIndex&)>& see) {
  for (int row = 0; row < model.rowCount(parent); ++row) {
    const QModelIndex index = model.index(row, 0, parent);
    see(index);
    visit(model, index, see);
  }
}

}  // namespace

QString as_tsv(const QList<QList<QString>>& cells) {
  QString out;
  for (const QList<QString>& row : cells) {
    QStringList plain;
    for (QString cell : row) plain << cell.replace(u'\t', u' ').replace(u'\n', u' ');
    out += plain.join(u'\t') + u'\n';
  }
  return out;
}

QString as_markdown(const QList<QList<QString>>& cells) {
  QString out;
  for (qsizetype i = 0; i < cells.size(); ++i) {
    QStringList escaped;
    for (QString cell : cells[i]) escaped << cell.replace(u'|', QStringLiteral("\\|")).replace(u'\n', u' ');
    out += QStringLiteral("| ") + escaped.join(QStringLiteral(" | ")) + QStringLiteral(" |\n");
    if (i == 0) out += u'|' + QStringLiteral(" --- |").repeated(cells[0].size()) + u'\n';
  }
  return out;
}

TableView::TableView(const QString& name, const QString& title, QWidget* parent) : QTreeView(parent), name_(name) {
  setAccessibleName(title);
  setObjectName(name);
  setUniformRowHeights(true);
  setAllColumnsShowFocus(true);
  setSelectionMode(ExtendedSelection);
  setHorizontalScrollMode(ScrollPerPixel);
  setAlternatingRowColors(true);
  setTextElideMode(Qt::ElideRight);
  setItemDelegate(new StatusDelegate(this));
  header()->setSectionsMovable(true);
  header()->setContextMenuPolicy(Qt::CustomContextMenu);
  header()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  connect(header(), &QWidget::customContextMenuRequested, this, [this](const QPoint& at) { choose_columns(header()->mapToGlobal(at)); });
  const auto add = [this](const QString& text, const QKeySequence& keys, auto copied) {
    auto* action = new QAction(text, this);
    action->setShortcut(keys);
    action->setShortcutContext(Qt::WidgetShortcut);
    connect(action, &QAction::triggered, this, [this, copied] { QApplication::clipboard()->setText((this->*copied)()); });
    addAction(action);
  };
  add(QStringLiteral("Copy as TSV"), QKeySequence::Copy, &TableView::selected_as_tsv);
  add(QStringLiteral("Copy as Markdown"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_C), &TableView::selected_as_markdown);
  connect(this, &QTreeView::doubleClicked, this, &TableView::row_opened);
}

TableView::~TableView() {
  if (fitted_) QSettings().setValue(QStringLiteral("tables/") + name_, header()->saveState());
}

void TableView::setModel(QAbstractItemModel* model) {
  auto* proxy = qobject_cast<QSortFilterProxyModel*>(model);
  if (!proxy) {
    proxy = new QSortFilterProxyModel(this);
    proxy->setSourceModel(model);
  }
  proxy->setSortRole(SortRole);
  proxy->setSortCaseSensitivity(Qt::CaseInsensitive);
  QTreeView::setModel(proxy);
  connect(proxy, &QAbstractItemModel::modelAboutToBeReset, this, &TableView::remember);
  connect(proxy, &QAbstractItemModel::modelReset, this, &TableView::restore);
  connect(proxy, &QAbstractItemModel::modelReset, this, &TableView::fit_columns);
  connect(proxy, &QAbstractItemModel::rowsInserted, this, [this] { if (!fitted_) fit_columns(); });
  fit_columns();
}

void TableView::fit_columns() {
  if (fitted_ || !model() || model()->rowCount() == 0) return;
  fitted_ = true;
  if (header()->restoreState(QSettings().value(QStringLiteral("tables/") + name_).toByteArray())) return;
  const int em = fontMetrics().horizontalAdvance(u'm');
  for (int column = 0; column < model()->columnCount(); ++column) {
    resizeColumnToContents(column);
    setColumnWidth(column, std::min(columnWidth(column) + em, widest_column_em * em));
  }
}

void TableView::hide_at_first(const QList<int>& columns) {
  for (const int column : columns) setColumnHidden(column, true);
}

void TableView::remember() {
  restoring_ = true;
  open_keys_.clear();
  current_key_ = currentIndex().data(KeyRole).toString();
  visit(*model(), {}, [this](const QModelIndex& index) {
    if (isExpanded(index)) open_keys_.insert(index.data(KeyRole).toString());
  });
}

void TableView::restore() {
  visit(*model(), {}, [this](const QModelIndex& index) {
    if (open_keys_.contains(index.data(KeyRole).toString())) expand(index);
  });
  if (!current_key_.isEmpty()) select_key(current_key_);
  restoring_ = false;
}

void TableView::select_key(const QString& key) {
  QModelIndex found;
  visit(*model(), {}, [&](const QModelIndex& index) {
    if (index.data(KeyRole).toString() == key) found = index;
  });
  if (found.isValid()) setCurrentIndex(found);
}

void TableView::currentChanged(const QModelIndex& current, const QModelIndex& previous) {
  QTreeView::currentChanged(current, previous);
  if (current.isValid() && !restoring_) emit row_chosen(current);
}

void TableView::keyPressEvent(QKeyEvent* event) {
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && currentIndex().isValid()) return emit row_opened(currentIndex());
  QTreeView::keyPressEvent(event);
}

QList<QList<QString>> TableView::selected_cells() const {
  QList<int> columns;
  for (int visual = 0; visual < header()->count(); ++visual)
    if (const int logical = header()->logicalIndex(visual); !isColumnHidden(logical)) columns << logical;
  QList<QList<QString>> cells(1);
  for (const int column : columns) cells[0] << model()->headerData(column, Qt::Horizontal).toString();
  const bool all = selectionModel()->selectedRows().size() < 2;
  visit(*model(), {}, [&](const QModelIndex& index) {
    if (!all && !selectionModel()->isRowSelected(index.row(), index.parent())) return;
    cells << QList<QString>();
    for (const int column : columns) cells.back() << index.siblingAtColumn(column).data().toString();
  });
  return cells;
}

QString TableView::selected_as_tsv() const { return as_tsv(selected_cells()); }
QString TableView::selected_as_markdown() const { return as_markdown(selected_cells()); }

void TableView::contextMenuEvent(QContextMenuEvent* event) {
  QMenu menu(this);
  menu.addActions(actions());
  menu.exec(event->globalPos());
}

void TableView::choose_columns(const QPoint& at) {
  QMenu menu(this);
  for (int column = 0; column < model()->columnCount(); ++column) {
    QAction* action = menu.addAction(model()->headerData(column, Qt::Horizontal).toString());
    action->setCheckable(true);
    action->setChecked(!isColumnHidden(column));
    connect(action, &QAction::toggled, this, [this, column](bool shown) { setColumnHidden(column, !shown); });
  }
  menu.exec(at);
}

}  // namespace kw::ui
