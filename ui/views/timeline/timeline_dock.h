#pragma once
// The session's timelines (the model's run, a candidate's kernels, the workers' activity) and Chrome-trace files of this machine.

#include <QWidget>

#include "ui/views/dock_context.h"

namespace kw::ui {

QWidget* make_timeline_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
