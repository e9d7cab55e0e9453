#include "core/engine/search/steering.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/search/fakes.h"

namespace kw::search::testing {
namespace {

const UniformPrior uniform;

struct Steered {
  Steered() : evaluator(1), search({}, evaluator, journal, uniform) {
    EXPECT_TRUE(search.add({"t", 1, 100, 1, std::make_shared<FakeSpace>()}).ok());
    search.steer(&steering);
  }
  // Evaluations until there are `count`, and then none.
  std::string run(int count) {
    auto reason = search.run(after(count), token, {});
    return reason.ok() ? *reason : reason.error().text();
  }
  std::vector<store::EvaluationRecord> since(std::size_t first) const {
    return {journal.history.evaluations.begin() + static_cast<std::ptrdiff_t>(first), journal.history.evaluations.end()};
  }
  bool passes(const store::EvaluationRecord& e, const std::string& candidate) const {
    return std::find(e.path.begin(), e.path.end(), candidate) != e.path.end();
  }
  base::CancelToken token;
  Steering steering;
  MemoryJournal journal;
  FakeEvaluator evaluator;
  Search search;
};

TEST(Steering, ABannedSubtreeIsNotWalkedInto) {
  Steered s;
  s.run(10);
  const std::string banned = s.journal.history.edges.front().child;
  s.steering.mark("ban", banned);
  s.run(20);
  for (const auto& e : s.since(10)) EXPECT_FALSE(s.passes(e, banned)) << e.candidate;
}

TEST(Steering, ABannedRootStopsATaskAndUnbanningOpensItAgain) {
  Steered s;
  s.run(5);
  s.steering.mark("ban", "c1");
  EXPECT_EQ(s.run(5), "exhausted");
  s.steering.mark("unban", "c1");
  EXPECT_EQ(s.run(5), "evaluations");
  EXPECT_EQ(s.journal.history.evaluations.size(), 10u);
}

TEST(Steering, EachSecondEvaluationGoesBelowAPinnedNode) {
  Steered s;
  s.run(10);
  std::string pinned;   // an accepted child that the search itself does not like best
  for (const auto& e : s.journal.history.evaluations)
    if (e.path.size() == 2 && e.evaluation.verdict == protocol::Verdict::accepted) pinned = e.candidate;
  ASSERT_FALSE(pinned.empty());
  s.steering.mark("pin", pinned);
  s.run(10);
  int below = 0;
  for (const auto& e : s.since(10)) below += s.passes(e, pinned);
  EXPECT_GE(below, 5);
}

TEST(Steering, AnExpansionIsTheNextEvaluationAndAChildOfThatNode) {
  Steered s;
  s.run(10);
  const std::string chosen = s.journal.history.evaluations[3].candidate;
  s.steering.mark("expand", chosen);
  s.run(1);
  const auto next = s.since(10).at(0);
  ASSERT_GE(next.path.size(), 2u);
  EXPECT_EQ(next.path[next.path.size() - 2], chosen);
}

TEST(Steering, APausedSearchWaitsAndIsStopped) {
  Steered s;
  s.steering.pause(true);
  std::thread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_TRUE(s.journal.history.evaluations.empty());
    s.steering.pause(false);
  });
  EXPECT_EQ(s.run(3), "evaluations");
  later.join();
  EXPECT_LT(s.search.snapshot().seconds, 0.05);   // a pause is not time of the search
  s.steering.pause(true);
  s.token.cancel();
  Stoppers chain;
  chain.push_back(stop_when_cancelled(s.token));
  EXPECT_EQ(*s.search.run(chain, s.token, {}), "cancelled");
}

TEST(Steering, ErrandsAreEvaluatedBesideTheSearch) {
  Steered s;
  s.run(3);
  const FakeSpace space;
  const plan::Plan plan = space.build(space.root())->plan;
  int done = 0, refused = 0;
  EXPECT_TRUE(s.steering.send({{0, "t", "e1", plan, true}, [&](auto completion) { done += completion.ok() && completion->evaluation.measurement.has_value(); }}));
  EXPECT_TRUE(s.steering.send({{0, "elsewhere", "e2", plan, true}, [&](auto completion) { refused += !completion.ok(); }}));
  s.run(3);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(s.journal.history.evaluations.size(), 6u);   // errands are whoever's asked for them to write
  s.steering.close();
  EXPECT_FALSE(s.steering.send({{0, "t", "e1", plan, true}, [](auto) {}}));
}

}  // namespace
}  // namespace kw::search::testing
