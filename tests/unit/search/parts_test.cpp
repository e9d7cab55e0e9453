#include <gtest/gtest.h>

#include <cmath>

#include "core/engine/search/budget.h"
#include "core/engine/search/prior.h"
#include "core/engine/search/stoppers.h"

namespace kw::search {
namespace {

kernel::Mutation mutation(const std::string& kind, const std::string& to) { return {"key", "0", to, kind, "", {}}; }

TEST(Prior, UniformIsUniform) {
  const auto weights = UniformPrior().weights({}, {mutation("a", "1"), mutation("b", "1")}, {});
  EXPECT_EQ(weights, (std::vector<double>{1, 1}));
}

TEST(Prior, HandmadeFollowsTheFamilyAndSpreadsOverItsMembers) {
  const auto weights = HandmadePrior().weights({}, {mutation("edge", "row"), mutation("tile", "8")}, {});
  EXPECT_GT(weights[0], weights[1]);
  std::vector<kernel::Mutation> many = {mutation("edge", "row")};
  for (int i = 0; i < 16; ++i) many.push_back(mutation("tile", std::to_string(i)));
  EXPECT_NEAR(HandmadePrior().weights({}, many, {})[1], weights[1] / 4, 1e-12);
}

TEST(Prior, HandmadeIsCorrectedByWhatWasMeasured) {
  const std::vector<kernel::Mutation> both = {mutation("tile", "8"), mutation("unroll", "2")};
  const auto weights = HandmadePrior().weights({}, both, {{"tile", {4, 1.2}}, {"unroll", {4, -1.2}}});
  EXPECT_NEAR(weights[0] / weights[1], std::exp(2 * 5 * 1.2 / 6), 1e-9);
}

TEST(Budget, RootsComeFirst) {
  std::vector<TaskStanding> tasks(3);
  tasks[0] = {0.9, 100, 10, 100, 1, 1, false};
  tasks[1] = {0.1, 100, 10, 100, 0, 0, false};
  tasks[2] = {0.001, 100, 10, 100, 0, 0, false};
  EXPECT_EQ(order(tasks, {}), (std::vector<int>{1, 2, 0}));
}

TEST(Budget, FollowsTheFormula) {
  const TaskStanding task{0.2, 100, 25, 50, 10, 6, false};
  // remaining 1 - 25 / 50, n = 8, gain = 0.2 * 0.5 / 9, bonus 0.02 * 0.2 * sqrt(ln 101 / 11)
  EXPECT_NEAR(score(task, 100, {}), 0.1 / 9 + 0.004 * std::sqrt(std::log(101.0) / 11), 1e-12);
}

TEST(Budget, FinishedTasksGetNothing) {
  std::vector<TaskStanding> tasks(3);
  tasks[0] = {0.5, 100, 50, 54, 9, 1, false};    // within 1.1 of its floor
  tasks[1] = {0.5, 100, 50, 90, 9, 1, true};     // exhausted
  tasks[2] = {0.01, 100, 50, 100, 9, 9, false};
  EXPECT_EQ(order(tasks, {}), (std::vector<int>{2}));
}

TEST(Stoppers, TheFirstReasonStops) {
  base::CancelToken token;
  Stoppers chain;
  chain.push_back(stop_when_cancelled(token));
  chain.push_back(stop_after_evaluations(10));
  chain.push_back(stop_after_minutes(2));
  chain.push_back(stop_at_plateau(5));
  chain.push_back(stop_at_roofline());
  EXPECT_FALSE(first_reason(chain, {9, 9, 4, 119, false}));
  EXPECT_EQ(first_reason(chain, {10, 9, 5, 121, true}), "evaluations");
  EXPECT_EQ(first_reason(chain, {9, 9, 5, 121, true}), "minutes");
  EXPECT_EQ(first_reason(chain, {9, 9, 5, 1, true}), "plateau");
  EXPECT_EQ(first_reason(chain, {9, 9, 4, 1, true}), "roofline");
  token.cancel();
  EXPECT_EQ(first_reason(chain, {10, 0, 0, 0, false}), "cancelled");
}

}  // namespace
}  // namespace kw::search
