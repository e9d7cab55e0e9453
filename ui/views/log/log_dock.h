#pragma once
// The log dock; what it shows: resources/help/gui-log.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_log_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
