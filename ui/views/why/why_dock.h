#pragma once
// The why dock; what it shows: resources/help/gui-why.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_why_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
