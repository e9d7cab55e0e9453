#include "ui/views/raise_dock.h"

#include <QDockWidget>

namespace kw::ui {

void raise_dock(const QWidget* from, const char* id) {
  auto* dock = from->window()->findChild<QDockWidget*>(QLatin1String(id));
  if (!dock) return;
  dock->show();
  dock->raise();
}

}  // namespace kw::ui
