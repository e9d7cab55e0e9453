#pragma once
// The candidate dock; what it shows: resources/help/gui-candidate.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_candidate_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
