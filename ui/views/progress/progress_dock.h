#pragma once
// The progress dock; what it shows: resources/help/gui-progress.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_progress_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
