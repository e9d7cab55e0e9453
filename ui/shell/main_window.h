#pragma once
// The main window: docks and layouts, menus, the engine and the open session. Owns everything below it. GUI thread.

#include <functional>

#include <QDockWidget>
#include <QMainWindow>

#include "ui/shell/layouts.h"
#include "ui/shell/settings.h"

namespace kw::ui {

class EngineBanner;
class Engine;
class HelpWindow;
class RunControl;
class Selection;
class Session;
class StartPage;
class StatusBar;
class SystemTheme;
struct EngineError;

class MainWindow : public QMainWindow {
  Q_OBJECT

 public:
  explicit MainWindow(const Settings& settings, QWidget* parent = nullptr);
  ~MainWindow() override;

  void start_engine();
  void open_path(const QString& path);          // the engine's: a session is opened, a model is offered for optimizing
  void use_layout(const char* id);              // a ready one
  void show_help();                             // of the dock that has the focus
  Engine* engine() const { return engine_; }
  Session* session() const { return session_; }
  Selection* selection() const { return selection_; }
  QDockWidget* dock(const char* id) const { return findChild<QDockWidget*>(QLatin1String(id)); }

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  QAction* add_action(QMenu* menu, const QString& text, const QString& keys, std::function<void()> act, const char* icon_name = nullptr);
  void make_docks();
  void make_menus();
  void make_toolbar();
  void fill_recent();
  void fill_layouts();
  void update_state();                          // which actions can be used, the title, start page or docks
  void take_icons();

  void ask_open();
  void ask_optimize();
  void ask_settings();
  void ask_layout_name();
  void refused(const QString& path, const EngineError& error);
  void apply_look();
  void show_docks(bool shown);
  void show_page(const QString& file);

  Settings settings_;
  Engine* engine_;
  Selection* selection_;
  Session* session_;
  Layouts layouts_;
  RunControl* run_;
  StartPage* start_page_;
  EngineBanner* banner_;
  StatusBar* status_;
  SystemTheme* system_theme_;
  HelpWindow* help_ = nullptr;
  QMenu *recent_menu_ = nullptr, *layouts_menu_ = nullptr;
  QAction *optimize_ = nullptr, *pause_ = nullptr, *resume_ = nullptr, *stop_ = nullptr, *close_ = nullptr;
  QActionGroup* ready_layouts_ = nullptr;
  QList<std::pair<QAction*, const char*>> icons_;
  QString browsed_;                             // folder of the open dialog
  bool docks_shown_ = false;
};

}  // namespace kw::ui
