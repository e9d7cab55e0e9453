#include "core/engine/search/budget.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kw::search {

bool at_roofline(const TaskStanding& task, const BudgetOptions& options) {
  return task.floor_us > 0 && task.best_us > 0 && task.best_us < task.baseline_us && task.best_us <= options.near_floor * task.floor_us;
}

double score(const TaskStanding& task, int all, const BudgetOptions& options) {
  // A floor below 5 % of the best is no promise that anything that fast exists.
  const double remaining = task.best_us > 0 ? std::clamp(1 - task.floor_us / task.best_us, 0.0, 0.95) : 0.95;
  const double n = 0.5 * (task.made + task.since_gain);
  const double gain = task.share * remaining / ((1 + n / options.patience) * (1 + n / options.patience));
  return gain + options.exploration * task.share * std::sqrt(std::log1p(all) / (1 + task.made));
}

std::vector<int> order(const std::vector<TaskStanding>& tasks, const BudgetOptions& options) {
  int all = 0;
  for (const auto& task : tasks) all += task.made;
  std::vector<int> open;
  std::vector<double> scores(tasks.size());
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (tasks[i].closed || at_roofline(tasks[i], options)) continue;
    open.push_back(static_cast<int>(i));
    scores[i] = tasks[i].made == 0 ? std::numeric_limits<double>::infinity() : score(tasks[i], all, options);
  }
  std::stable_sort(open.begin(), open.end(), [&](int a, int b) { return scores[a] > scores[b]; });
  return open;
}

}  // namespace kw::search
