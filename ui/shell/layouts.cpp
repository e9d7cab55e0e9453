#include "ui/shell/layouts.h"

#include <QDockWidget>
#include <QSettings>

namespace kw::ui {

namespace {

constexpr int state_version = 1;                // of what saveState wrote: raise it when docks change their meaning
const QString group = QStringLiteral("layouts");

}  // namespace

QDockWidget* Layouts::dock(const char* id) const { return window_->findChild<QDockWidget*>(QLatin1String(id)); }

// Puts the cell's docks on one another beside `beside` (null: the window's first). Returns the front one; null where none of them exists.
QDockWidget* Layouts::pile(const LayoutCell& cell, QDockWidget* beside, Qt::Orientation orientation) {
  QDockWidget* front = nullptr;
  for (const char* id : cell.docks) {
    QDockWidget* one = dock(id);
    if (!one) continue;
    if (front) window_->tabifyDockWidget(front, one);
    else if (beside) window_->splitDockWidget(beside, one, orientation);
    else window_->addDockWidget(Qt::LeftDockWidgetArea, one);
    one->show();
    if (!front) front = one;
  }
  return front;
}

void Layouts::use_ready(const LayoutRow& layout) {
  for (const DockRow& row : dock_table())
    if (QDockWidget* one = dock(row.id)) {
      one->setFloating(false);
      window_->removeDockWidget(one);
    }
  QList<QDockWidget*> columns, cells;
  QList<int> widths, heights;
  // All columns first: a split of one that is already split would go into its last cell.
  std::vector<std::vector<const LayoutCell*>> rest;
  for (const LayoutColumn& column : layout.columns) {
    QDockWidget* front = nullptr;
    std::vector<const LayoutCell*> left;
    for (const LayoutCell& cell : column.cells) {
      if (front) {
        left.push_back(&cell);
      } else if ((front = pile(cell, columns.isEmpty() ? nullptr : columns.back(), Qt::Horizontal))) {
        columns << front;
        widths << column.weight * 100;
        cells << front;
        heights << cell.weight * 100;
      }
    }
    if (front) rest.push_back(std::move(left));
  }
  for (qsizetype i = 0; i < columns.size(); ++i) {
    QDockWidget* above = columns[i];
    for (const LayoutCell* cell : rest[static_cast<std::size_t>(i)])
      if (QDockWidget* front = pile(*cell, above, Qt::Vertical)) {
        above = front;
        cells << front;
        heights << cell->weight * 100;
      }
  }
  for (const DockRow& row : dock_table())
    if (QDockWidget* one = dock(row.id); one && window_->dockWidgetArea(one) == Qt::NoDockWidgetArea) {
      if (columns.isEmpty()) window_->addDockWidget(row.area, one);
      else window_->tabifyDockWidget(columns.back(), one);
      one->hide();
    }
  for (QDockWidget* front : cells) front->raise();
  window_->resizeDocks(columns, widths, Qt::Horizontal);
  window_->resizeDocks(cells, heights, Qt::Vertical);
}

bool Layouts::use_named(const QString& name) {
  return window_->restoreState(QSettings().value(group + u'/' + name).toByteArray(), state_version);
}

void Layouts::save_as(const QString& name) { QSettings().setValue(group + u'/' + name, window_->saveState(state_version)); }
void Layouts::remove(const QString& name) { QSettings().remove(group + u'/' + name); }

QStringList Layouts::names() const {
  QSettings settings;
  settings.beginGroup(group);
  QStringList names = settings.childKeys();
  names.removeIf([](const QString& name) { return name.startsWith(u'.'); });   // the window's own, of its last session
  return names;
}

}  // namespace kw::ui
