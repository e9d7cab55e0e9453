#pragma once
// The operators dock; what it shows: resources/help/gui-operators.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_operators_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
