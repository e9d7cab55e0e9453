// Grabs every dock and layout, light and dark, into a folder:
//   gui_screenshots SESSION.kwr OUT_DIR [ENGINE_PROGRAM]
// The window is the real one, over a real engine; no display is needed.

#include <cstdio>

#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>

#include "ui/bridge/engine.h"
#include "ui/bridge/selection.h"
#include "ui/models/session.h"
#include "ui/shell/command_palette.h"
#include "ui/shell/main_window.h"
#include "ui/shell/open_dialog.h"
#include "ui/shell/optimize_dialog.h"
#include "ui/shell/settings_dialog.h"
#include "ui/views/raise_dock.h"

namespace {

using namespace kw::ui;

constexpr int settle_ms = 700, patience_ms = 30'000, width = 1680, height = 1000;
constexpr QSize dock_size(900, 640);

void settle(int ms = settle_ms) {
  QElapsedTimer clock;
  clock.start();
  while (clock.elapsed() < ms) QApplication::processEvents(QEventLoop::AllEvents, 50);
}

template <typename Condition>
bool wait_for(Condition condition) {
  QElapsedTimer clock;
  clock.start();
  while (!condition() && clock.elapsed() < patience_ms) QApplication::processEvents(QEventLoop::AllEvents, 50);
  return condition();
}

// The fastest candidate, the first failed one, and one in the middle of the history.
QString candidate_to_show(const Session& session, bool failed) {
  const Step* found = nullptr;
  for (const Step& step : session.steps()) {
    if (failed && step.verdict != QLatin1String("accepted")) return step.candidate;
    if (!failed && step.speedup && (!found || *step.speedup > *found->speedup)) found = &step;
  }
  return found ? found->candidate : QString();
}

class Grabber {
 public:
  Grabber(MainWindow& window, const QString& folder, const QString& scheme) : window_(window), folder_(folder), scheme_(scheme) {}

  void grab(QWidget* widget, const QString& name) {
    settle();
    widget->grab().save(QStringLiteral("%1/%2-%3.png").arg(folder_, name, scheme_));
  }

  void grab_docks() {
    for (const DockRow& row : dock_table()) {
      QDockWidget* dock = window_.dock(row.id);
      dock->setFloating(true);
      dock->show();
      dock->resize(dock_size);
      grab(dock, QStringLiteral("dock-%1").arg(QLatin1String(row.id)));
      grab_tabs(dock, QLatin1String(row.id));
      dock->setFloating(false);
    }
  }

 private:
  void grab_tabs(QDockWidget* dock, const QString& id) {
    auto* tabs = dock->findChild<QTabWidget*>();
    for (int i = 1; tabs && i < tabs->count(); ++i) {
      tabs->setCurrentIndex(i);
      grab(dock, QStringLiteral("dock-%1-%2").arg(id, tabs->tabText(i).toLower().replace(u' ', u'_')));
    }
    if (tabs) tabs->setCurrentIndex(0);
  }

  MainWindow& window_;
  QString folder_, scheme_;
};

void grab_dialogs(MainWindow& window, Grabber& grabber, const Settings& settings) {
  OpenDialog open(window.engine(), settings, window.session()->path().section(u'/', 0, -2), &window);
  OptimizeDialog optimize(window.session()->info().value("model", json::object()), &window);
  SettingsDialog edit(settings, &window);
  const std::pair<QDialog*, const char*> dialogs[] = {{&open, "dialog-open"}, {&optimize, "dialog-optimize"}, {&edit, "dialog-settings"}};
  for (const auto& [dialog, name] : dialogs) {
    dialog->show();
    grabber.grab(dialog, QLatin1String(name));
    dialog->close();
  }
  auto* palette = new CommandPalette(&window);
  palette->show();
  grabber.grab(palette, QStringLiteral("palette"));
  palette->close();
}

int grab_all(ThemeChoice theme, const QString& session, const QString& folder, const QString& engine) {
  Settings settings;
  settings.engine_program = engine;
  settings.theme = theme;
  settings.reviewer = QStringLiteral("ada");
  const QString scheme = theme == ThemeChoice::dark ? QStringLiteral("dark") : QStringLiteral("light");
  MainWindow window(settings);
  window.resize(width, height);
  window.show();
  Grabber grabber(window, folder, scheme);
  grabber.grab(&window, QStringLiteral("start"));
  window.use_layout("optimize");
  grabber.grab(&window, QStringLiteral("empty"));
  window.start_engine();
  if (!wait_for([&] { return window.engine()->state() != Engine::State::starting; }) || window.engine()->state() != Engine::State::ready) {
    std::fprintf(stderr, "The engine did not start: %s\n", qPrintable(window.engine()->last_words()));
    grabber.grab(&window, QStringLiteral("dead"));
    return 1;
  }
  window.open_path(session);
  if (!wait_for([&] { return !window.session()->steps().empty(); })) return std::fprintf(stderr, "The session did not open.\n"), 1;
  window.selection()->set_candidate(candidate_to_show(*window.session(), false));
  for (const LayoutRow& layout : layout_table()) {
    window.use_layout(layout.id);
    grabber.grab(&window, QStringLiteral("layout-%1").arg(QLatin1String(layout.id)));
  }
  grab_dialogs(window, grabber, settings);
  grabber.grab_docks();
  window.use_layout("optimize");
  window.selection()->set_candidate(candidate_to_show(*window.session(), true));
  grabber.grab(&window, QStringLiteral("failed-candidate"));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  qputenv("QT_QPA_PLATFORM", "offscreen");
  QTemporaryDir home;                           // the user's own settings stay out of the pictures
  qputenv("XDG_CONFIG_HOME", home.path().toUtf8());
  qputenv("XDG_DATA_HOME", home.path().toUtf8());
  QApplication app(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("kernelwright"));
  QApplication::setApplicationName(QStringLiteral("screenshots"));
  const QStringList arguments = QApplication::arguments();
  if (arguments.size() < 3) return std::fprintf(stderr, "usage: gui_screenshots SESSION.kwr OUT_DIR [ENGINE_PROGRAM]\n"), 2;
  QDir().mkpath(arguments[2]);
  for (const ThemeChoice theme : {ThemeChoice::light, ThemeChoice::dark})
    if (const int status = grab_all(theme, QFileInfo(arguments[1]).absoluteFilePath(), arguments[2], arguments.value(3))) return status;
  std::printf("%s: %lld pictures\n", qPrintable(arguments[2]), static_cast<long long>(QDir(arguments[2]).entryList({QStringLiteral("*.png")}).size()));
  return 0;
}
