#pragma once
// The difference of the selected candidate to its parent, or to the one it is compared with.

#include <QWidget>

#include "ui/views/dock_context.h"

namespace kw::ui {

QWidget* make_diff_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
