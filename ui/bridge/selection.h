#pragma once
// What the user looks at, shared by all docks: one session, a task, a candidate, another to compare it with, and a moment of the session's
// history. GUI thread.

#include <optional>

#include <QObject>
#include <QString>

namespace kw::ui {

class Selection : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const QString& session() const { return session_; }      // "" when none is open
  const QString& task() const { return task_; }            // "": all
  const QString& candidate() const { return candidate_; }
  const QString& compared() const { return compared_; }    // "": the candidate's parent
  std::optional<qint64> moment() const { return moment_; } // an evaluation: show the session as it was then; none: now

  void set_session(const QString& session);                // clears the others
  void set_task(const QString& task);
  void set_candidate(const QString& candidate);
  void set_compared(const QString& candidate);
  void set_moment(std::optional<qint64> evaluation);

 signals:
  void session_changed(const QString& session);
  void task_changed(const QString& task);
  void candidate_changed(const QString& candidate);
  void compared_changed(const QString& candidate);
  void moment_changed();

 private:
  QString session_, task_, candidate_, compared_;
  std::optional<qint64> moment_;
};

}  // namespace kw::ui
