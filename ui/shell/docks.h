#pragma once
// The one table of docks. A new dock is a function in ui/views/<dock>/ and a row here.

#include <vector>

#include <QString>

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

struct DockRow {
  const char* id;                               // also its QDockWidget's object name
  const char* title;
  QWidget* (*make)(const DockContext& context, QWidget* parent);
  Qt::DockWidgetArea area;                      // where it comes when no layout says otherwise
  const char* help;                             // page in resources/help
  const char* shortcut;
};
const std::vector<DockRow>& dock_table();

// A ready layout: columns of cells from left to right, each cell a pile of docks, the first in front. Weights share the space.
struct LayoutCell { int weight; std::vector<const char*> docks; };
struct LayoutColumn { int weight; std::vector<LayoutCell> cells; };
struct LayoutRow { const char* id; const char* title; const char* hint; std::vector<LayoutColumn> columns; };
const std::vector<LayoutRow>& layout_table();

}  // namespace kw::ui
