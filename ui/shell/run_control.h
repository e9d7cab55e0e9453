#pragma once
// Starts, pauses, resumes and stops the search of a session; asks for trust where a model's code would run.

#include <QObject>

#include "ui/models/records.h"

class QWidget;

namespace kw::ui {

class Session;

class RunControl : public QObject {
  Q_OBJECT

 public:
  RunControl(Session* session, QWidget* window);

  void start(const json& options, bool profile_only);
  void pause();
  void resume();
  void stop();                                  // asks whether the winners are to be confirmed first
  json known_options() const;                   // of the open session, to begin another run with

 signals:
  void started(const QString& session);
  void said(const QString& message);

 private:
  void tell(const QString& method, json more = json::object());
  Session* session_;
  QWidget* window_;
};

}  // namespace kw::ui
