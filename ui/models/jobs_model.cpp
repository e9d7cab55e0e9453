#include "ui/models/jobs_model.h"

#include <algorithm>

#include "ui/models/quantities.h"
#include "ui/models/roles.h"

namespace kw::ui {

namespace {

bool active(const Job& job) { return job.state != QLatin1String("done") && job.state != QLatin1String("failed"); }

QString progress_text(const Job& job) {
  if (!active(job)) return job.state;
  return job.fraction ? QStringLiteral("%1%").arg(static_cast<int>(*job.fraction * 100)) : QStringLiteral("…");
}

}  // namespace

JobsModel::JobsModel(Engine* engine, QObject* parent) : QAbstractTableModel(parent), engine_(engine) {
  connect(engine, &Engine::notified, this, &JobsModel::hear);
  connect(engine, &Engine::state_changed, this, [this](Engine::State state) {
    if (state == Engine::State::dead || state == Engine::State::stopped) return end_all(QStringLiteral("The engine stopped."));
    if (state != Engine::State::ready) return;
    engine_->call(QStringLiteral("jobs/list"), json::object(), this, [this](const json& result) {
      for (const json& record : array(result, "jobs")) {
        const Job job = job_of(record);
        row_of(job.id) = job;
        touch(job);
      }
    }, [](const EngineError&) {});
  });
}

void JobsModel::watch(const QString& job, const QString& session, const QString& what, QObject* owner, Engine::Done done, Engine::Failed failed) {
  Job& row = row_of(job);
  row.session = session;
  row.what = what;
  if (owner) watchers_[job] = {owner, std::move(done), std::move(failed)};
  touch(row);
}

Job& JobsModel::row_of(const QString& id) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id == id; });
  if (found != jobs_.end()) return *found;
  const int row = static_cast<int>(jobs_.size());
  beginInsertRows({}, row, row);
  Job job;
  job.id = id;
  job.state = QStringLiteral("running");
  jobs_.push_back(std::move(job));
  endInsertRows();
  return jobs_.back();
}

void JobsModel::touch(const Job& job) {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& other) { return other.id == job.id; });
  const int row = static_cast<int>(found - jobs_.begin());
  emit dataChanged(index(row, 0), index(row, column_count - 1));
  emit changed();
}

void JobsModel::hear(const QString& method, const json& params) {
  if (method == QLatin1String("job/done")) return finish(params);
  if (method != QLatin1String("job/progress")) return;
  const Job news = job_of(params);
  Job& job = row_of(news.id);
  job.fraction = news.fraction;
  job.eta_s = news.eta_s;
  job.text = news.text;
  touch(job);
}

void JobsModel::finish(const json& params) {
  const QString id = text(params, "job");
  Job& job = row_of(id);
  const json& error = member(params, "error");
  job.state = error.empty() ? QStringLiteral("done") : QStringLiteral("failed");
  job.eta_s.reset();
  if (!error.empty()) job.text = text(error, "message");
  touch(job);
  auto watcher = watchers_.extract(id);
  if (!watcher || !watcher.mapped().owner) return;
  if (!error.empty() && watcher.mapped().failed) watcher.mapped().failed({0, text(error, "message"), text(member(error, "data"), "context")});
  if (error.empty() && watcher.mapped().done) watcher.mapped().done(member(params, "result"));
}

void JobsModel::set_progress(const QString& job, double fraction) {
  Job& row = row_of(job);
  row.fraction = fraction;
  touch(row);
}

void JobsModel::end(const QString& job, const QString& error) {
  Job& row = row_of(job);
  row.state = error.isEmpty() ? QStringLiteral("done") : QStringLiteral("failed");
  row.text = error;
  touch(row);
}

void JobsModel::end_all(const QString& why) {
  for (Job& job : jobs_)
    if (active(job)) {
      job.state = QStringLiteral("failed");
      job.text = why;
      touch(job);
    }
  for (auto& [id, watcher] : std::exchange(watchers_, {}))
    if (watcher.owner && watcher.failed) watcher.failed({0, why, {}});
}

void JobsModel::clear_finished() {
  beginResetModel();
  std::erase_if(jobs_, [](const Job& job) { return !active(job); });
  endResetModel();
  emit changed();
}

const Job* JobsModel::find(const QString& id) const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), [&](const Job& job) { return job.id == id; });
  return found == jobs_.end() ? nullptr : &*found;
}

bool JobsModel::can_cancel(const QString& job) const {
  const Job* row = find(job);
  return row && active(*row) && !row->session.isEmpty();
}

void JobsModel::cancel(const QString& job) {
  if (can_cancel(job)) engine_->call(QStringLiteral("run/stop"), {{"session", find(job)->session.toStdString()}}, this, {});
}

const Job* JobsModel::first_active() const {
  const auto found = std::find_if(jobs_.begin(), jobs_.end(), active);
  return found == jobs_.end() ? nullptr : &*found;
}

int JobsModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(jobs_.size()); }
int JobsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant JobsModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Job& job = jobs_[static_cast<std::size_t>(index.row())];
  if (role == KeyRole) return job.id;
  if (role == Qt::ToolTipRole) return job.text;
  if (role != Qt::DisplayRole && role != SortRole) return {};
  switch (index.column()) {
    case What: return job.what.isEmpty() ? job.id : job.what;
    case Progress: return progress_text(job);
    case Remaining: return duration_text(job.eta_s);
    default: return job.text;
  }
}

QVariant JobsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  static const QStringList titles{QStringLiteral("Job"), QStringLiteral("Progress"), QStringLiteral("Remaining"), QStringLiteral("Doing")};
  return orientation == Qt::Horizontal && role == Qt::DisplayRole ? titles.value(section) : QVariant();
}

}  // namespace kw::ui
