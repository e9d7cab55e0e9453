#include "core/engine/search/search.h"

#include <gtest/gtest.h>

#include "core/engine/search/finals.h"
#include "tests/unit/search/fakes.h"

namespace kw::search::testing {
namespace {

const UniformPrior uniform;

struct Rig {
  explicit Rig(int capacity = 4, std::uint64_t seed = 1) : evaluator(capacity), search(options(seed), evaluator, journal, uniform) {}
  static SearchOptions options(std::uint64_t seed) {
    SearchOptions out;
    out.tree.seed = seed;
    return out;
  }
  void add(const std::string& id, double share, double scale = 1, History history = {}) {
    ASSERT_TRUE(search.add({id, share, 100, 1, std::make_shared<FakeSpace>(scale)}, history).ok());
  }
  std::string run(const Stoppers& stoppers) {
    auto reason = search.run(stoppers, token, {});
    return reason.ok() ? *reason : reason.error().text();
  }
  std::string trees() const {
    std::string out;
    for (const auto& task : search.snapshot().tasks) out += text(snapshot(*search.tree(task.id)));
    return out;
  }
  base::CancelToken token;
  MemoryJournal journal;
  FakeEvaluator evaluator;
  Search search;
};

TEST(Search, FindsTheBestOfAKnownSpace) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Rig rig(4, seed);
    rig.add("t", 1);
    EXPECT_EQ(rig.run(after(45)), "evaluations");
    EXPECT_NEAR(rig.search.snapshot().tasks[0].best_us, 50, 1e-9) << "seed " << seed;   // 2.0x, of 75 distinct candidates
  }
}

TEST(Search, StopsWithinTheBudgetAndKeepsTheQueueFull) {
  Rig rig(4);
  rig.add("t", 1);
  rig.run(after(30));
  EXPECT_EQ(rig.evaluator.submitted, 30);
  EXPECT_EQ(rig.evaluator.most, 4);
  EXPECT_EQ(rig.journal.history.evaluations.size(), 30u);
}

TEST(Search, SameSeedSameTree) {
  const auto grow = [](std::uint64_t seed) {
    Rig rig(6, seed);
    rig.add("big", 0.6);
    rig.add("small", 0.2, 0.5);
    rig.run(after(50));
    return rig.trees();
  };
  EXPECT_EQ(grow(7), grow(7));
  EXPECT_NE(grow(7), grow(8));
}

TEST(Search, EachCodeIsEvaluatedOnceHoweverManyRecipesLeadToIt) {
  Rig rig(3);
  rig.add("t", 1);
  EXPECT_EQ(rig.run(after(10000)), "exhausted");
  std::set<std::string> hashes;
  for (const auto& c : rig.journal.history.candidates) EXPECT_TRUE(hashes.insert(c.structural_hash).second) << c.structural_hash;
  EXPECT_EQ(rig.evaluator.submitted, static_cast<int>(hashes.size()));
  // 5 * 5 * 3 codes, of which a = b = 4 (3) is illegal; b = 4 fails and is not built upon.
  EXPECT_EQ(hashes.size(), 72u);
  EXPECT_GT(rig.search.snapshot().tasks[0].merged, 0);
  std::map<std::string, int> parents;
  for (const auto& e : rig.journal.history.edges) ++parents[e.child];
  EXPECT_TRUE(std::any_of(parents.begin(), parents.end(), [](const auto& p) { return p.second > 1; }));
}

TEST(Search, TheGraphHasNoCycle) {
  Rig rig(3);
  rig.add("t", 1);
  rig.run(after(10000));
  std::map<std::string, std::vector<std::string>> children;
  std::map<std::string, int> degree;
  for (const auto& c : rig.journal.history.candidates) degree[c.id] = 0;
  for (const auto& e : rig.journal.history.edges) {
    children[e.parent].push_back(e.child);
    ++degree[e.child];
  }
  std::vector<std::string> ready;   // Kahn: every node can be removed in order
  for (const auto& [id, n] : degree)
    if (n == 0) ready.push_back(id);
  std::size_t removed = 0;
  while (!ready.empty()) {
    const std::string id = ready.back();
    ready.pop_back();
    ++removed;
    for (const auto& child : children[id])
      if (--degree[child] == 0) ready.push_back(child);
  }
  EXPECT_EQ(removed, degree.size());
}

TEST(Search, FailuresAreKeptAndNeverBest) {
  Rig rig(3);
  rig.add("t", 1);
  rig.run(after(10000));
  int failed = 0;
  for (const Node& node : rig.search.tree("t")->nodes()) failed += node.state == NodeState::failed;
  EXPECT_GT(failed, 0);
  const auto best = rig.search.tree("t")->best();
  ASSERT_TRUE(best);
  EXPECT_NEAR(rig.search.tree("t")->nodes()[*best].value, std::log(2.0), 1e-12);
}

TEST(Search, RootsFirstThenTheLargeShare) {
  Rig rig(1);
  rig.add("large", 0.5);
  rig.add("small", 0.02);
  rig.add("tiny", 0.001);
  rig.run(after(40));
  EXPECT_EQ(rig.journal.history.evaluations[0].candidate, "c1");
  std::set<std::string> first;
  for (int i = 0; i < 3; ++i) first.insert(rig.journal.history.candidates[i].task);
  EXPECT_EQ(first.size(), 3u);
  EXPECT_EQ(rig.evaluator.by_task["tiny"], 1);
  EXPECT_GT(rig.evaluator.by_task["large"], 2 * rig.evaluator.by_task["small"]);
  EXPECT_GT(rig.evaluator.by_task["small"], 1);
}

TEST(Search, LostEvaluationsAreTriedOnceMore) {
  Rig rig(2);
  rig.evaluator.lose = {"c1", "c3"};
  rig.evaluator.lose_once = true;
  rig.add("t", 1);
  rig.run(after(20));
  EXPECT_EQ(rig.evaluator.lost, 2);
  std::map<std::string, int> attempts;
  for (const auto& e : rig.journal.history.evaluations) attempts[e.candidate] = e.attempt;
  EXPECT_EQ(attempts["c1"], 2);
  EXPECT_EQ(attempts["c3"], 2);
  EXPECT_EQ(rig.search.snapshot().completed, 20);
}

TEST(Search, ACandidateThatKillsEveryWorkerIsGivenUp) {
  Rig rig(2);
  rig.evaluator.lose = {"c2"};
  rig.add("t", 1);
  rig.run(after(15));
  EXPECT_EQ(rig.evaluator.lost, 2);
  EXPECT_EQ(rig.search.tree("t")->nodes()[1].state, NodeState::given_up);
  EXPECT_EQ(rig.search.snapshot().completed, 15);
}

TEST(Search, OtherLoadOnTheMachineIsWaitedOutLonger) {
  Rig rig(2);
  rig.evaluator.lose = {"c2"};
  rig.evaluator.lost_kind = "machine_busy";
  rig.add("t", 1);
  rig.run(after(15));
  EXPECT_EQ(rig.evaluator.lost, 5);
  EXPECT_EQ(rig.search.tree("t")->nodes()[1].state, NodeState::given_up);
  // A later run tries again: the machine may be calm by then.
  Rig later(2);
  later.journal.last = rig.journal.last;
  later.add("t", 1, 1, rig.journal.of("t"));
  later.run(after(1));
  EXPECT_EQ(later.journal.history.evaluations.at(0).candidate, "c2");
}

TEST(Search, CancelStopsAndLosesNothingThatWasMeasured) {
  Rig rig(4);
  rig.add("t", 1);
  Stoppers stoppers = after(1000);
  stoppers.push_back(stop_when_cancelled(rig.token));
  auto reason = rig.search.run(stoppers, rig.token, [&](const Snapshot& s) {
    if (s.completed >= 10) rig.token.cancel();
  });
  ASSERT_TRUE(reason.ok());
  EXPECT_EQ(*reason, "cancelled");
  EXPECT_TRUE(rig.evaluator.cancelled);
  EXPECT_EQ(rig.journal.history.evaluations.size(), 10u);   // those in flight are not recorded
}

TEST(Search, ResumingGoesOnWithoutRepeating) {
  Rig before(3);
  before.add("t", 1);
  before.run(after(20));
  History left = before.journal.of("t");
  const std::string unfinished = left.evaluations.back().candidate;
  left.evaluations.pop_back();   // as after a kill: a candidate without its evaluation

  Rig rig(3);
  rig.journal.last = before.journal.last;
  rig.add("t", 1, 1, left);
  EXPECT_EQ(rig.search.tree("t")->nodes()[0].visits, 19);
  rig.run(after(12));
  std::set<std::string> done;
  for (const auto& e : left.evaluations) done.insert(e.candidate);
  for (const auto& e : rig.journal.history.evaluations) {
    EXPECT_TRUE(done.insert(e.candidate).second) << e.candidate << " evaluated twice";
  }
  EXPECT_EQ(rig.journal.history.evaluations.front().candidate, unfinished);
  EXPECT_EQ(rig.journal.history.evaluations.size(), 12u);
}

TEST(Search, RestoringGivesTheSameTreeBack) {
  Rig before(1);
  before.add("t", 1);
  before.run(after(25));
  Rig rig(1);
  rig.add("t", 1, 1, before.journal.of("t"));
  // Edge priors may differ (they were corrected by what was known when they were listed); visits and values may not.
  const auto a = snapshot(*before.search.tree("t")), b = snapshot(*rig.search.tree("t"));
  ASSERT_EQ(a.nodes.size(), b.nodes.size());
  for (std::size_t i = 0; i < a.nodes.size(); ++i) {
    EXPECT_EQ(a.nodes[i].candidate, b.nodes[i].candidate);
    EXPECT_EQ(a.nodes[i].visits, b.nodes[i].visits);
    EXPECT_EQ(a.nodes[i].value, b.nodes[i].value);
  }
  ASSERT_EQ(a.edges.size(), b.edges.size());
}

TEST(Search, AFullDiskStopsWithItsReason) {
  Rig rig(2);
  rig.journal.full_after = 5;
  rig.add("t", 1);
  EXPECT_EQ(rig.run(after(20)), "the disk is full");
}

TEST(Search, AnUnusableTaskIsClosedAndTheOthersGoOn) {
  Rig rig(2);
  rig.evaluator.unusable = {"bad"};
  rig.add("bad", 0.7);
  rig.add("good", 0.3);
  EXPECT_EQ(rig.run(after(20)), "evaluations");
  EXPECT_EQ(rig.journal.reasons["bad"], "no truth");
  EXPECT_EQ(rig.evaluator.by_task["good"], 20);
}

TEST(Finals, OnlyAConfirmedWinnerWins) {
  for (const double factor : {1.0, 0.4}) {
    Rig rig(3);
    rig.add("t", 1);
    rig.run(after(40));
    const auto best = finalists(rig.journal.history.candidates, rig.journal.history.evaluations, 3);
    ASSERT_EQ(best.size(), 3u);
    EXPECT_GE(best[0].ratio, best[1].ratio);
    rig.evaluator.afresh_factor = factor;
    auto winners = confirm(best, rig.evaluator, rig.journal, rig.token, {});
    ASSERT_TRUE(winners.ok());
    ASSERT_EQ(winners->size(), factor == 1.0 ? 1u : 0u);   // 2.0 * 0.4 is slower than the baseline
    for (const Winner& winner : *winners) EXPECT_EQ(winner.candidate, best[0].candidate.id);
    EXPECT_EQ(rig.journal.history.evaluations.back().purpose, "final");
  }
}

}  // namespace
}  // namespace kw::search::testing
