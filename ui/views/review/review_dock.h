#pragma once
// The review dock; what it shows: resources/help/gui-review.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_review_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
