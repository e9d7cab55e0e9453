#pragma once
// The failures dock; what it shows: resources/help/gui-failures.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_failures_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
