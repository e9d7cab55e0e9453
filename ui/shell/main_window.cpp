#include "ui/shell/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDropEvent>
#include <QFileInfo>
#include <QMessageBox>
#include <QMimeData>
#include <QSettings>

#include "ui/bridge/engine.h"
#include "ui/bridge/selection.h"
#include "ui/models/session.h"
#include "ui/shell/dock_title.h"
#include "ui/shell/engine_banner.h"
#include "ui/shell/help_window.h"
#include "ui/shell/open_dialog.h"
#include "ui/shell/optimize_dialog.h"
#include "ui/shell/run_control.h"
#include "ui/shell/settings_dialog.h"
#include "ui/shell/start_page.h"
#include "ui/shell/status_bar.h"
#include "ui/shell/system_theme.h"
#include "ui/shell/upload.h"

namespace kw::ui {

namespace {

constexpr int width_characters = 210, height_lines = 62;
const QString last_layout = QStringLiteral(".last");

}  // namespace

MainWindow::MainWindow(const Settings& settings, QWidget* parent)
    : QMainWindow(parent), settings_(settings), engine_(new Engine(this)), selection_(new Selection(this)),
      session_(new Session(engine_, selection_, this)), layouts_(this), run_(new RunControl(session_, this)), start_page_(new StartPage),
      banner_(new EngineBanner(engine_, this)), status_(new StatusBar(engine_, session_, settings.engine_name(), this)),
      system_theme_(new SystemTheme(this)) {
  setDockOptions(AnimatedDocks | AllowNestedDocks | AllowTabbedDocks | GroupedDragging);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  setAcceptDrops(true);
  setStatusBar(status_);
  auto* middle = new QWidget;
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(start_page_);
  setCentralWidget(middle);
  apply_look();
  make_docks();
  make_menus();
  make_toolbar();
  take_icons();
  const QFontMetrics metrics(font());
  resize(metrics.averageCharWidth() * width_characters, metrics.lineSpacing() * height_lines);
  restoreGeometry(QSettings().value(QStringLiteral("window/geometry")).toByteArray());

  connect(system_theme_, &SystemTheme::changed, this, [this] { apply_look(); });
  connect(engine_, &Engine::state_changed, this, [this] { update_state(); });
  connect(engine_, &Engine::complained, this, [this](const QString& message) { status_->showMessage(message, 15'000); });
  connect(session_, &Session::opened, this, [this] {
    add_recent_file(settings_, session_->path());
    fill_recent();
    update_state();
  });
  connect(session_, &Session::closed, this, [this] { update_state(); });
  connect(session_, &Session::run_changed, this, [this] { update_state(); });
  connect(session_, &Session::could_not_open, this, &MainWindow::refused);
  connect(run_, &RunControl::said, this, [this](const QString& message) { status_->showMessage(message, 15'000); });
  connect(run_, &RunControl::started, this, [this](const QString& session) { session_->open(session); });
  connect(banner_, &EngineBanner::restart_asked, this, [this] { start_engine(); });
  connect(banner_, &EngineBanner::settings_asked, this, [this] { ask_settings(); });
  connect(start_page_, &StartPage::open_asked, this, [this] { ask_open(); });
  connect(start_page_, &StartPage::optimize_asked, this, [this] { ask_optimize(); });
  connect(start_page_, &StartPage::help_asked, this, [this] { show_help(); });
  connect(start_page_, &StartPage::file_asked, this, &MainWindow::open_path);
  fill_recent();
  for (QDockWidget* one : findChildren<QDockWidget*>()) one->hide();
  update_state();
}

MainWindow::~MainWindow() = default;

void MainWindow::make_docks() {
  const DockContext context{engine_, selection_, session_};
  for (const DockRow& row : dock_table()) {
    auto* dock = new QDockWidget(QLatin1String(row.title), this);
    dock->setObjectName(QLatin1String(row.id));
    dock->setWidget(row.make(context, dock));
    dock->widget()->setAccessibleName(QLatin1String(row.title));
    auto* title = new DockTitle(dock);
    connect(title, &DockTitle::help_asked, this, [this, page = row.help] { show_page(QLatin1String(page)); });
    dock->setTitleBarWidget(title);
    addDockWidget(row.area, dock);
  }
}

void MainWindow::start_engine() { engine_->start(settings_.command()); }

void MainWindow::open_path(const QString& path) {
  if (is_session(path)) return session_->open(path);
  if (is_model(path)) {
    OptimizeDialog dialog({{"path", path.toStdString()}}, this);
    if (dialog.exec() == QDialog::Accepted) run_->start(dialog.options(), dialog.profile_only());
    return;
  }
  refused(path, {0, QStringLiteral("This is neither a session (.kwr) nor a model (.py, .pt2, .pt)."), {}});
}

void MainWindow::refused(const QString& path, const EngineError& error) {
  auto* box = new QMessageBox(QMessageBox::Warning, QStringLiteral("Not opened"), QStringLiteral("%1 could not be opened.").arg(path), QMessageBox::Ok, this);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setInformativeText(error.message);
  box->open();
}

void MainWindow::apply_look() {
  const Scheme scheme = settings_.theme == ThemeChoice::system ? system_theme_->scheme() : settings_.theme == ThemeChoice::dark ? Scheme::dark : Scheme::light;
  apply_theme(scheme, settings_.text_percent);
  take_icons();
}

void MainWindow::use_layout(const char* id) {
  show_docks(true);
  for (const LayoutRow& row : layout_table())
    if (qstrcmp(row.id, id) == 0) layouts_.use_ready(row);
}

void MainWindow::show_docks(bool shown) {
  if (shown == docks_shown_) return;
  if (shown) {
    centralWidget()->hide();
    if (!layouts_.use_named(last_layout)) layouts_.use_ready(layout_table().front());
  } else {
    layouts_.save_as(last_layout);
    for (QDockWidget* dock : findChildren<QDockWidget*>()) dock->hide();
    centralWidget()->show();
  }
  docks_shown_ = shown;
}

void MainWindow::update_state() {
  const bool ready = engine_->state() == Engine::State::ready, open = session_->is_open(), running = session_->running();
  const bool paused = session_->run().state == QLatin1String("paused");
  optimize_->setEnabled(ready && !running);
  pause_->setEnabled(ready && running && !paused);
  resume_->setEnabled(ready && paused);
  stop_->setEnabled(ready && running);
  close_->setEnabled(open);
  show_docks(open);
  const QString file = QFileInfo(session_->path()).fileName();
  const QString note = session_->read_only() ? QStringLiteral(" (read-only)") : session_->foreign() ? QStringLiteral(" (from another machine)") : QString();
  setWindowTitle(open ? QStringLiteral("%1%2 — Kernelwright").arg(file, note) : QStringLiteral("Kernelwright"));
}

void MainWindow::closeEvent(QCloseEvent* event) {
  if (session_->running()) {
    QMessageBox box(QMessageBox::Question, QStringLiteral("Leave?"), QStringLiteral("The search goes on without this window."), QMessageBox::NoButton, this);
    box.setInformativeText(QStringLiteral("Open the session again to join it, or stop it now. What was measured is kept either way."));
    QPushButton* leave = box.addButton(QStringLiteral("&Leave it running"), QMessageBox::AcceptRole);
    QPushButton* stop = box.addButton(QStringLiteral("&Stop it"), QMessageBox::DestructiveRole);
    box.addButton(QMessageBox::Cancel);
    box.exec();
    if (box.clickedButton() != leave && box.clickedButton() != stop) return event->ignore();
    if (box.clickedButton() == stop) engine_->stop();
  }
  if (docks_shown_) layouts_.save_as(last_layout);
  QSettings().setValue(QStringLiteral("window/geometry"), saveGeometry());
  event->accept();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (event->mimeData()->hasUrls()) event->acceptProposedAction();
}

void MainWindow::dropEvent(QDropEvent* event) {
  const QString file = event->mimeData()->urls().value(0).toLocalFile();
  if (file.isEmpty()) return;
  event->acceptProposedAction();
  if (settings_.is_local()) return open_path(file);
  upload(session_, file, this, [this](const QString& path) { open_path(path); }, [this, file](const QString& why) { refused(file, {0, why, {}}); });
}

void MainWindow::changeEvent(QEvent* event) {
  QMainWindow::changeEvent(event);
  if (event->type() == QEvent::PaletteChange) take_icons();
}

void MainWindow::show_help() {
  for (const DockRow& row : dock_table())
    if (QDockWidget* one = dock(row.id); one && one->isAncestorOf(QApplication::focusWidget())) return show_page(QLatin1String(row.help));
  show_page(QStringLiteral("gui.md"));
}

void MainWindow::show_page(const QString& file) {
  if (!help_) help_ = new HelpWindow(this);
  help_->show_page(file);
}

}  // namespace kw::ui
