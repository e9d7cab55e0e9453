#pragma once
// The open session as the engine tells it: data for the models, kept up to date by the engine's notifications. One request of a kind is
// under way at a time, and after one that took long the next waits longer, so a fast search costs this process little. GUI thread.

#include <functional>

#include <QObject>
#include <QTimer>

#include "ui/bridge/engine.h"
#include "ui/models/records.h"

namespace kw::ui {

class JobsModel;
class LogModel;
class Selection;

class Session : public QObject {
  Q_OBJECT

 public:
  Session(Engine* engine, Selection* selection, QObject* parent = nullptr);
  ~Session() override;

  void open(const QString& path);               // ends in opened() or could_not_open()
  void reopen();                                // with a new engine
  void close();

  bool is_open() const { return !info_.empty(); }
  const QString& path() const { return path_; }
  const json& info() const { return info_; }    // the record `Session`
  bool read_only() const;
  bool foreign() const;

  const std::vector<Operator>& operators() const { return operators_; }
  QString task_title(const QString& task) const;   // "add + layer_norm · norm1"
  std::optional<double> model_us() const { return model_us_; }
  std::optional<double> predicted_speedup() const { return predicted_speedup_; }
  const json& ceilings() const { return ceilings_; }
  const std::vector<Step>& steps() const { return steps_; }
  std::size_t steps_shown() const;              // those up to the selection's moment
  std::optional<qint64> moment() const;
  const std::vector<FailureGroup>& failures() const { return failures_; }
  const std::vector<Review>& reviews() const { return reviews_; }
  const RunState& run() const { return run_; }
  bool running() const;

  // Nodes are many: they are asked for only while somebody shows them.
  void need_nodes(bool needed);
  const QHash<QString, Node>& nodes() const { return nodes_; }

  void refresh();                               // ask for everything again
  JobsModel* jobs() const { return jobs_; }
  LogModel* log() const { return log_; }
  Engine* engine() const { return engine_; }

 signals:
  void opened();
  void closed();
  void could_not_open(const QString& path, const kw::ui::EngineError& error);
  void operators_changed();
  void steps_changed();
  void failures_changed();
  void reviews_changed();
  void nodes_changed();
  void run_changed();
  void moment_changed();

 private:
  struct Feed {                                 // one kind of request
    QString method;
    std::function<void(const json&)> take;
    QTimer* timer = nullptr;
    bool dirty = false, busy = false, wanted = true;
    qint64 wait_ms = 0;
  };
  void add_feed(const char* method, std::function<void(const json&)> take);
  void touch(Feed& feed);
  void fetch(Feed& feed);
  void hear(const QString& method, const json& params);
  void take_session(const json& record);
  void take_nodes(const json& result);
  void forget();

  Engine* engine_;
  Selection* selection_;
  JobsModel* jobs_;
  LogModel* log_;
  QString path_;
  quint64 opening_ = 0;                         // late answers for an earlier session are dropped
  json info_ = json::object(), ceilings_ = json::object(), tree_version_;
  std::vector<Operator> operators_;
  std::optional<double> model_us_, predicted_speedup_;
  std::vector<Step> steps_;
  std::vector<FailureGroup> failures_;
  std::vector<Review> reviews_;
  QHash<QString, Node> nodes_;
  RunState run_;
  std::vector<std::unique_ptr<Feed>> feeds_;
  Feed* tree_feed_ = nullptr;
};

}  // namespace kw::ui
