#pragma once
// Brings another dock of the same window to the front, by its id.

class QWidget;

namespace kw::ui {

void raise_dock(const QWidget* from, const char* id);

}  // namespace kw::ui
