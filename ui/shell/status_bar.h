#pragma once
// The window's last line: message, job with progress and cancel, device, engine, rate and best gain.

#include <QStatusBar>

class QLabel;
class QProgressBar;
class QToolButton;

namespace kw::ui {

class Engine;
class Session;

class StatusBar : public QStatusBar {
  Q_OBJECT

 public:
  StatusBar(Engine* engine, Session* session, const QString& engine_name, QWidget* parent);
  void set_engine_name(const QString& name);

 private:
  void show_job();
  void show_engine();
  void show_run();

  Engine* engine_;
  Session* session_;
  QString engine_name_;
  QWidget* job_;
  QLabel *job_words_, *run_, *device_, *state_;
  QProgressBar* progress_;
  QToolButton* cancel_;
};

}  // namespace kw::ui
