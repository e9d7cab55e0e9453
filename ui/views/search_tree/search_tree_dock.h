#pragma once
// The search tree as a canvas and as a list, with its filter, its search and what steers the run: pin, ban, expand.

#include <QWidget>

#include "ui/views/dock_context.h"

namespace kw::ui {

QWidget* make_search_tree_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
