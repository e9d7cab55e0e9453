#include "ui/shell/dock_title.h"

#include <QDockWidget>
#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMainWindow>
#include <QToolButton>

#include "ui/shell/icons.h"

namespace kw::ui {

DockTitle::DockTitle(QDockWidget* dock) : QWidget(dock), dock_(dock), name_(new QLabel(dock->windowTitle())) {
  QFont bold = font();
  bold.setBold(true);
  name_->setFont(bold);
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 2, 4, 2);
  row->setSpacing(2);
  row->addWidget(name_, 1);
  help_ = add_button(QStringLiteral("Help"));
  float_ = add_button(QStringLiteral("Float or dock"));
  close_ = add_button(QStringLiteral("Close"));
  take_icons();
  connect(help_, &QToolButton::clicked, this, &DockTitle::help_asked);
  connect(float_, &QToolButton::clicked, dock, [dock] { dock->setFloating(!dock->isFloating()); });
  connect(close_, &QToolButton::clicked, dock, &QDockWidget::close);
  const auto later = [this] { QMetaObject::invokeMethod(this, [this] { update_name(); }, Qt::QueuedConnection); };
  connect(dock, &QDockWidget::visibilityChanged, this, later);
  connect(dock, &QDockWidget::dockLocationChanged, this, later);
  connect(dock, &QDockWidget::topLevelChanged, this, later);
}

QToolButton* DockTitle::add_button(const QString& name) {
  auto* button = new QToolButton;
  button->setAutoRaise(true);
  button->setToolTip(name);
  button->setAccessibleName(name + u' ' + dock_->windowTitle());
  const int side = fontMetrics().height() * 4 / 5;
  button->setIconSize(QSize(side, side));
  layout()->addWidget(button);
  return button;
}

void DockTitle::update_name() {
  const auto* window = qobject_cast<QMainWindow*>(dock_->parentWidget());
  const bool in_tab = window && !dock_->isFloating() && !window->tabifiedDockWidgets(dock_).isEmpty();
  name_->setText(in_tab ? QString() : dock_->windowTitle());
}

void DockTitle::take_icons() {
  help_->setIcon(icon("help"));
  float_->setIcon(icon("float"));
  close_->setIcon(icon("close"));
}

void DockTitle::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) take_icons();
  QWidget::changeEvent(event);
}

}  // namespace kw::ui
