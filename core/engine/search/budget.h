#pragma once
// Which task gets the next evaluation: the one with the largest expected end-to-end gain.
//
//   achievable = share * max(0, 1 - floor / best)          of the model's time; best = the fastest accepted time so far
//   gain       = achievable / (1 + n / patience)^2          n = mean of the evaluations made and those since the last gain
//   score      = gain + exploration * share * sqrt(ln(1 + all) / (1 + made))
//
// The square: the best of n samples grows ever more slowly, and halving what is left costs about twice the samples, so a
// task of a tenth of the share still gets its turn. Each task has its root evaluated before any gets a second look.

#include <cstdint>
#include <optional>
#include <vector>

namespace kw::search {

struct BudgetOptions {
  double patience = 4;
  double exploration = 0.02;
  double near_floor = 1.1;             // a task within this factor of its floor is finished: roofline reached
};

struct TaskStanding {
  double share = 0;                    // of the model's time
  double baseline_us = 0, floor_us = 0;
  double best_us = 0;                  // baseline while nothing is faster
  int made = 0;                        // evaluations, in flight included
  int since_gain = 0;
  bool closed = false;                 // exhausted or unusable
};

bool at_roofline(const TaskStanding& task, const BudgetOptions& options);
double score(const TaskStanding& task, int all, const BudgetOptions& options);
// Open tasks in the order in which they deserve the next evaluation; ties go to the earlier task.
std::vector<int> order(const std::vector<TaskStanding>& tasks, const BudgetOptions& options);

}  // namespace kw::search
