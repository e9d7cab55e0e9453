#pragma once
// Arranges the docks of a window: by a ready layout, or as the user saved them under a name. GUI thread.

#include <QMainWindow>

#include "ui/shell/docks.h"

namespace kw::ui {

class Layouts {
 public:
  explicit Layouts(QMainWindow* window) : window_(window) {}

  void use_ready(const LayoutRow& layout);
  bool use_named(const QString& name);          // false: there is none, or it is of another version
  void save_as(const QString& name);
  void remove(const QString& name);
  QStringList names() const;

 private:
  QDockWidget* dock(const char* id) const;
  QDockWidget* pile(const LayoutCell& cell, QDockWidget* beside, Qt::Orientation orientation);

  QMainWindow* window_;
};

}  // namespace kw::ui
