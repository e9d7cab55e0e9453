#pragma once
// A dock's title bar: its name (unless its tab says it already), help, float and close. Dragged like the usual one.

#include <QWidget>

class QDockWidget;
class QLabel;
class QToolButton;

namespace kw::ui {

class DockTitle : public QWidget {
  Q_OBJECT

 public:
  explicit DockTitle(QDockWidget* dock);
  QSize minimumSizeHint() const override { return sizeHint(); }

 signals:
  void help_asked();

 protected:
  void changeEvent(QEvent* event) override;

 private:
  void update_name();
  void take_icons();
  QToolButton* add_button(const QString& name);

  QDockWidget* dock_;
  QLabel* name_;
  QToolButton *help_, *float_, *close_;
};

}  // namespace kw::ui
