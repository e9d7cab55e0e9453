// What a person asks of a running search.
#include <algorithm>

#include "core/base/clock.h"
#include "core/engine/search/search.h"

namespace kw::search {

double Search::seconds() const { return base::now_s() - started_s_ - paused_s_; }

void Search::heed() {
  if (steering_ == nullptr) return;
  for (auto& candidate : steering_->take_expansions()) expansions_.push_back(std::move(candidate));
  for (Errand& errand : steering_->take_errands()) {
    const bool known = std::any_of(tasks_.begin(), tasks_.end(), [&](const Running& task) { return task.id == errand.job.task; });
    if (!known) {
      errand.done(base::Error{base::ErrorCode::busy, "this run does not search the task " + errand.job.task + ". Ask again when it has ended.", errand.job.candidate});
      continue;
    }
    errand.job.id = next_job_++;
    evaluator_.submit(errand.job);
    errands_.emplace(errand.job.id, std::move(errand));
  }
  auto marks = steering_->marks();
  if (marks == marks_) return;
  marks_ = std::move(marks);
  ++version_;
  for (Running& task : tasks_) {
    for (Node& node : task.tree->nodes()) {
      node.pinned = marks_.pinned.count(node.candidate) > 0;
      node.banned = marks_.banned.count(node.candidate) > 0;
    }
    if (task.exhausted) task.exhausted = task.standing.closed = false;   // an unbanned subtree may have more
  }
}

// Expansions first; then each second evaluation goes below a pinned node.
base::Result<bool> Search::issue_asked() {
  while (!expansions_.empty()) {
    const std::string wanted = std::move(expansions_.front());
    expansions_.pop_front();
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      const auto& nodes = tasks_[t].tree->nodes();
      for (std::size_t n = 0; n < nodes.size(); ++n) {
        if (nodes[n].candidate != wanted) continue;
        auto issued = launch(static_cast<int>(t), tasks_[t].tree->select_child(static_cast<int>(n)));
        if (!issued || *issued) return issued;
        break;
      }
    }
  }
  if (marks_.pinned.empty() || next_job_ % 2 != 0) return false;
  std::vector<std::pair<int, int>> pinned;   // task, node
  for (std::size_t t = 0; t < tasks_.size(); ++t)
    for (std::size_t n = 0; n < tasks_[t].tree->nodes().size(); ++n)
      if (tasks_[t].unusable.empty() && tasks_[t].tree->nodes()[n].pinned) pinned.emplace_back(static_cast<int>(t), static_cast<int>(n));
  for (std::size_t i = 0; i < pinned.size(); ++i) {
    const auto [task, node] = pinned[(static_cast<std::size_t>(next_job_) / 2 + i) % pinned.size()];
    auto issued = launch(task, tasks_[task].tree->select_below(node));
    if (!issued || *issued) return issued;
  }
  return false;
}

}  // namespace kw::search
