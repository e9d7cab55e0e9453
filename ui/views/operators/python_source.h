#pragma once
// A window on the Python line that calls an operator, read where the engine runs.

#include <QString>

class QWidget;

namespace kw::ui {

class Engine;

void show_python_source(Engine* engine, const QString& source, QWidget* parent);   // source: "file:line"

}  // namespace kw::ui
