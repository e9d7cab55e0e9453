// The main window's menus, toolbar and the dialogs behind them.

#include <QAction>
#include <QActionGroup>
#include <QApplication>
#include <QDockWidget>
#include <QInputDialog>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>

#include "ui/bridge/engine.h"
#include "ui/models/session.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/icons.h"
#include "ui/shell/main_window.h"
#include "ui/shell/open_dialog.h"
#include "ui/shell/optimize_dialog.h"
#include "ui/shell/run_control.h"
#include "ui/shell/settings_dialog.h"
#include "ui/shell/start_page.h"
#include "ui/shell/status_bar.h"

namespace kw::ui {

QAction* MainWindow::add_action(QMenu* menu, const QString& text, const QString& keys, std::function<void()> act, const char* icon_name) {
  QAction* action = menu->addAction(text);
  if (!keys.isEmpty()) action->setShortcut(QKeySequence(keys));
  connect(action, &QAction::triggered, this, std::move(act));
  if (icon_name) icons_.append({action, icon_name});
  return action;
}

void MainWindow::make_menus() {
  QMenu* file = menuBar()->addMenu(QStringLiteral("&File"));
  QAction* open = add_action(file, QStringLiteral("&Open…"), QStringLiteral("Ctrl+O"), [this] { ask_open(); }, "open");
  recent_menu_ = file->addMenu(QStringLiteral("Open &recent"));
  close_ = add_action(file, QStringLiteral("&Close session"), QStringLiteral("Ctrl+W"), [this] { session_->close(); });
  file->addSeparator();
  add_action(file, QStringLiteral("&Settings…"), QStringLiteral("Ctrl+,"), [this] { ask_settings(); }, "settings");
  file->addSeparator();
  add_action(file, QStringLiteral("&Quit"), QStringLiteral("Ctrl+Q"), [this] { close(); });
  open->setToolTip(QStringLiteral("Open a session or a model (Ctrl+O)"));

  QMenu* run = menuBar()->addMenu(QStringLiteral("&Run"));
  optimize_ = add_action(run, QStringLiteral("&Optimize…"), QStringLiteral("Ctrl+R"), [this] { ask_optimize(); }, "optimize");
  pause_ = add_action(run, QStringLiteral("&Pause"), QStringLiteral("Ctrl+Shift+S"), [this] { run_->pause(); }, "pause");
  resume_ = add_action(run, QStringLiteral("&Resume"), QStringLiteral("Ctrl+Shift+R"), [this] { run_->resume(); }, "resume");
  stop_ = add_action(run, QStringLiteral("&Stop…"), QStringLiteral("Ctrl+."), [this] { run_->stop(); }, "stop");
  run->addSeparator();
  add_action(run, QStringLiteral("Restart &engine"), {}, [this] { start_engine(); });

  QMenu* view = menuBar()->addMenu(QStringLiteral("&View"));
  for (const DockRow& row : dock_table()) {
    // Not QDockWidget's own toggle: this one also brings a dock forward that lies below another.
    add_action(view, QLatin1String(row.title), QLatin1String(row.shortcut), [this, id = row.id] {
      QDockWidget* one = dock(id);
      one->show();
      one->raise();
      one->widget()->setFocus();
    });
  }
  view->addSeparator();
  add_action(view, QStringLiteral("Refres&h"), QStringLiteral("F5"), [this] { session_->refresh(); });
  add_action(view, QStringLiteral("Command &palette"), QStringLiteral("Ctrl+Shift+P"), [this] { (new CommandPalette(this))->show(); }, "palette");

  layouts_menu_ = menuBar()->addMenu(QStringLiteral("&Layout"));
  ready_layouts_ = new QActionGroup(this);
  int number = 1;
  for (const LayoutRow& row : layout_table()) {
    QAction* action = ready_layouts_->addAction(QLatin1String(row.title));
    action->setShortcut(QKeySequence(QStringLiteral("Alt+%1").arg(number++)));
    action->setToolTip(QStringLiteral("%1 (%2)").arg(QLatin1String(row.hint), action->shortcut().toString()));
    connect(action, &QAction::triggered, this, [this, id = row.id] { use_layout(id); });
  }
  fill_layouts();

  QMenu* help = menuBar()->addMenu(QStringLiteral("&Help"));
  add_action(help, QStringLiteral("&Help on this part"), QStringLiteral("F1"), [this] { show_help(); });
}

void MainWindow::fill_layouts() {
  layouts_menu_->clear();
  layouts_menu_->addActions(ready_layouts_->actions());
  layouts_menu_->addSeparator();
  QMenu* remove = nullptr;
  for (const QString& name : layouts_.names()) {
    add_action(layouts_menu_, name, {}, [this, name] {
      if (!layouts_.use_named(name)) status_->showMessage(QStringLiteral("The layout “%1” is of another version. Save it again.").arg(name));
    });
    if (!remove) remove = new QMenu(QStringLiteral("&Remove"), layouts_menu_);
    add_action(remove, name, {}, [this, name] {
      layouts_.remove(name);
      fill_layouts();
    });
  }
  layouts_menu_->addSeparator();
  add_action(layouts_menu_, QStringLiteral("&Save as…"), QStringLiteral("Ctrl+Alt+S"), [this] { ask_layout_name(); });
  if (remove) layouts_menu_->addMenu(remove);
}

void MainWindow::make_toolbar() {
  QToolBar* bar = addToolBar(QStringLiteral("Main"));
  bar->setObjectName(QStringLiteral("toolbar"));
  bar->setMovable(false);
  bar->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  const int side = fontMetrics().height();
  bar->setIconSize(QSize(side, side));
  for (const auto& [action, name] : icons_)
    if (action == optimize_ || action == pause_ || action == resume_ || action == stop_ || qstrcmp(name, "open") == 0) bar->addAction(action);
  auto* space = new QWidget;
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(space);
  bar->addActions(ready_layouts_->actions());
  bar->addSeparator();
  for (const auto& [action, name] : icons_)
    if (qstrcmp(name, "palette") == 0) bar->addAction(action);
}

void MainWindow::take_icons() {
  for (const auto& [action, name] : icons_) action->setIcon(icon(name));
}

void MainWindow::fill_recent() {
  recent_menu_->clear();
  const QStringList files = recent_files(settings_);
  for (const QString& file : files) add_action(recent_menu_, file, {}, [this, file] { open_path(file); });
  recent_menu_->setEnabled(!files.isEmpty());
  start_page_->set_recent(files, settings_.engine_name());
}

void MainWindow::ask_open() {
  OpenDialog dialog(engine_, settings_, browsed_, this);
  if (dialog.exec() != QDialog::Accepted) return;
  browsed_ = dialog.path().section(u'/', 0, -2);
  open_path(dialog.path());
}

void MainWindow::ask_optimize() {
  OptimizeDialog dialog(run_->known_options(), this);
  if (dialog.exec() == QDialog::Accepted) run_->start(dialog.options(), dialog.profile_only());
}

void MainWindow::ask_settings() {
  SettingsDialog dialog(settings_, this);
  if (dialog.exec() != QDialog::Accepted) return;
  const QStringList before = settings_.command();
  settings_ = dialog.settings();
  save_settings(settings_);
  apply_look();
  fill_recent();
  status_->set_engine_name(settings_.engine_name());
  if (settings_.command() == before && engine_->state() != Engine::State::dead) return;
  session_->close();
  start_engine();
}

void MainWindow::ask_layout_name() {
  const QString name = QInputDialog::getText(this, QStringLiteral("Save layout"), QStringLiteral("Name")).trimmed();
  if (name.isEmpty()) return;
  layouts_.save_as(QString(name).replace(u'/', u'-'));
  fill_layouts();
}

}  // namespace kw::ui
