#pragma once
// The engine's long jobs, one row each: what, progress, estimate. Finished ones stay until they are cleared. GUI thread.

#include <map>

#include <QAbstractTableModel>

#include "ui/bridge/engine.h"
#include "ui/models/records.h"

namespace kw::ui {

class JobsModel : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { What, Progress, Remaining, Text, column_count };

  JobsModel(Engine* engine, QObject* parent);

  // For a job that a call just answered with: a row, and what to do at its end. Neither is called once `owner` is gone.
  void watch(const QString& job, const QString& session, const QString& what, QObject* owner = nullptr, Engine::Done done = {},
             Engine::Failed failed = {});
  void set_progress(const QString& job, double fraction);   // of a job that the window does itself
  void end(const QString& job, const QString& error);       // "": it is done
  const std::vector<Job>& jobs() const { return jobs_; }
  const Job* first_active() const;              // null when nothing is going on
  void clear_finished();
  bool can_cancel(const QString& job) const;   // it runs in a session, whose run can be stopped
  void cancel(const QString& job);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 signals:
  void changed();

 private:
  struct Watcher {
    QPointer<QObject> owner;
    Engine::Done done;
    Engine::Failed failed;
  };
  void hear(const QString& method, const json& params);
  void finish(const json& params);
  void end_all(const QString& why);
  const Job* find(const QString& id) const;
  Job& row_of(const QString& id);
  void touch(const Job& job);

  Engine* engine_;
  std::vector<Job> jobs_;
  std::map<QString, Watcher> watchers_;
};

}  // namespace kw::ui
