#include "ui/bridge/selection.h"

#include <utility>

namespace kw::ui {

void Selection::set_session(const QString& session) {
  session_ = session;
  set_task({});
  set_candidate({});
  set_compared({});
  set_moment({});
  emit session_changed(session_);
}

void Selection::set_task(const QString& task) {
  if (std::exchange(task_, task) != task) emit task_changed(task_);
}

void Selection::set_candidate(const QString& candidate) {
  if (std::exchange(candidate_, candidate) != candidate) emit candidate_changed(candidate_);
}

void Selection::set_compared(const QString& candidate) {
  if (std::exchange(compared_, candidate) != candidate) emit compared_changed(compared_);
}

void Selection::set_moment(std::optional<qint64> evaluation) {
  if (std::exchange(moment_, evaluation) != evaluation) emit moment_changed();
}

}  // namespace kw::ui
