#include "ui/models/session.h"

#include <algorithm>

#include <QElapsedTimer>

#include "ui/bridge/selection.h"
#include "ui/models/jobs_model.h"
#include "ui/models/log_model.h"
#include "ui/models/quantities.h"

namespace kw::ui {

namespace {

constexpr qint64 shortest_wait_ms = 250;
constexpr qint64 waits_per_fetch = 10;          // a fetch may take this part of the time

const QStringList running_states{QStringLiteral("profiling"), QStringLiteral("searching"), QStringLiteral("paused"), QStringLiteral("confirming"),
                                 QStringLiteral("timing the model")};

}  // namespace

Session::Session(Engine* engine, Selection* selection, QObject* parent)
    : QObject(parent), engine_(engine), selection_(selection), jobs_(new JobsModel(engine, this)), log_(new LogModel(engine, this)) {
  add_feed("session/operators", [this](const json& result) {
    operators_ = all_of(array(result, "operators"), operator_of);
    model_us_ = number(result, "model_us");
    predicted_speedup_ = number(result, "predicted_speedup");
    ceilings_ = member(result, "ceilings");
    emit operators_changed();
  });
  add_feed("session/history", [this](const json& result) {
    steps_ = all_of(array(result, "steps"), step_of);
    emit steps_changed();
  });
  add_feed("session/failures", [this](const json& result) {
    failures_ = all_of(array(result, "groups"), failure_group_of);
    emit failures_changed();
  });
  add_feed("review/list", [this](const json& result) {
    reviews_ = all_of(array(result, "reviews"), review_of);
    emit reviews_changed();
  });
  add_feed("session/tree", [this](const json& result) { take_nodes(result); });
  tree_feed_ = feeds_.back().get();
  tree_feed_->wanted = false;
  connect(engine_, &Engine::notified, this, &Session::hear);
  connect(selection_, &Selection::moment_changed, this, &Session::moment_changed);
  connect(engine_, &Engine::state_changed, this, [this](Engine::State state) {
    if (state == Engine::State::ready && !path_.isEmpty()) reopen();
  });
}

Session::~Session() = default;

void Session::add_feed(const char* method, std::function<void(const json&)> take) {
  auto feed = std::make_unique<Feed>();
  feed->method = QString::fromLatin1(method);
  feed->take = std::move(take);
  feed->timer = new QTimer(this);
  feed->timer->setSingleShot(true);
  connect(feed->timer, &QTimer::timeout, this, [this, f = feed.get()] { fetch(*f); });
  feeds_.push_back(std::move(feed));
}

void Session::touch(Feed& feed) {
  feed.dirty = true;
  if (feed.wanted && !feed.busy && !feed.timer->isActive()) feed.timer->start(static_cast<int>(feed.wait_ms));
}

void Session::fetch(Feed& feed) {
  if (!is_open() || !feed.wanted || feed.busy) return;
  feed.busy = true;
  feed.dirty = false;
  QElapsedTimer clock;
  clock.start();
  json params{{"session", path_.toStdString()}};
  if (&feed == tree_feed_) params["since"] = tree_version_;
  const auto finish = [this, &feed, clock, mine = opening_] {
    if (mine != opening_) return false;
    feed.busy = false;
    feed.wait_ms = std::max(shortest_wait_ms, clock.elapsed() * waits_per_fetch);
    if (feed.dirty) touch(feed);
    return true;
  };
  engine_->call(
      feed.method, params, this,
      [&feed, finish](const json& result) {
        if (!finish()) return;
        feed.take(result);
      },
      [this, finish](const EngineError& error) {
        if (finish()) log_->add({{}, QStringLiteral("error"), QStringLiteral("window"), error.message});
      });
}

void Session::open(const QString& path) {
  const quint64 mine = ++opening_;
  engine_->call(
      QStringLiteral("session/open"), {{"path", path.toStdString()}}, this,
      [this, mine](const json& record) {
        if (mine == opening_) take_session(record);
      },
      [this, path, mine](const EngineError& error) {
        if (mine == opening_) emit could_not_open(path, error);
      });
}

void Session::take_session(const json& record) {
  const QString path = text(record, "session");
  const bool again = path == path_;
  forget();
  path_ = path;
  info_ = record;
  if (record.value("running", false)) run_.state = QStringLiteral("searching");
  if (!again) selection_->set_session(path_);
  refresh();
  emit opened();
}

void Session::reopen() { open(path_); }

void Session::close() {
  if (!is_open()) return;
  engine_->call(QStringLiteral("session/close"), {{"session", path_.toStdString()}}, this, [](const json&) {}, [](const EngineError&) {});
  ++opening_;
  forget();
  path_.clear();
  selection_->set_session({});
  emit closed();
}

void Session::forget() {
  info_ = ceilings_ = json::object();
  tree_version_ = json();
  operators_.clear();
  steps_.clear();
  failures_.clear();
  reviews_.clear();
  nodes_.clear();
  run_ = {};
  model_us_ = predicted_speedup_ = {};
  for (auto& feed : feeds_) {
    feed->busy = feed->dirty = false;
    feed->wait_ms = 0;
    feed->timer->stop();
  }
  emit operators_changed();
  emit steps_changed();
  emit failures_changed();
  emit reviews_changed();
  emit nodes_changed();
  emit run_changed();
}

void Session::refresh() {
  for (auto& feed : feeds_) touch(*feed);
}

void Session::need_nodes(bool needed) {
  tree_feed_->wanted = needed;
  if (needed && is_open() && (tree_feed_->dirty || tree_version_.is_null())) touch(*tree_feed_);
}

void Session::take_nodes(const json& result) {
  for (const json& record : array(result, "nodes")) {
    Node node = node_of(record);
    const QString id = node.id;
    nodes_.insert(id, std::move(node));
  }
  tree_version_ = result.value("version", json());
  emit nodes_changed();
  if (result.value("more", false)) fetch(*tree_feed_);
}

void Session::hear(const QString& method, const json& params) {
  if (path_.isEmpty() || text(params, "session") != path_) return;
  if (method == QLatin1String("session/changed")) refresh();
  if (method != QLatin1String("run/state")) return;
  run_ = run_state_of(params);
  emit run_changed();
}

bool Session::read_only() const { return info_.value("read_only", false); }
bool Session::foreign() const { return info_.value("foreign", false); }
bool Session::running() const { return running_states.contains(run_.state); }
std::optional<qint64> Session::moment() const { return selection_->moment(); }

std::size_t Session::steps_shown() const {
  const std::optional<qint64> moment = selection_->moment();
  if (!moment) return steps_.size();
  const auto end = std::find_if(steps_.begin(), steps_.end(), [&](const Step& step) { return step.evaluation == *moment; });
  return end == steps_.end() ? steps_.size() : static_cast<std::size_t>(end - steps_.begin()) + 1;
}

QString Session::task_title(const QString& task) const {
  QStringList names;
  QString module;
  for (const Operator& op : operators_) {
    if (op.task != task || task.isEmpty()) continue;
    if (const QString name = short_operator(op.name); !names.contains(name)) names << name;
    if (module.isEmpty()) module = op.module_path;
  }
  if (names.isEmpty()) return task;
  return names.join(QStringLiteral(" + ")) + (module.isEmpty() ? QString() : QStringLiteral(" · ") + module);
}

}  // namespace kw::ui
