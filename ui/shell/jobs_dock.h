#pragma once
// The jobs dock; what it shows: resources/help/gui-jobs.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_jobs_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
