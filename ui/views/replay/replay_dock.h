#pragma once
// The replay dock; what it shows: resources/help/gui-replay.md.

#include "ui/views/dock_context.h"

class QWidget;

namespace kw::ui {

QWidget* make_replay_dock(const DockContext& context, QWidget* parent);

}  // namespace kw::ui
