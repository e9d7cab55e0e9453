#include <cmath>
#include <map>
#include <set>

#include "core/engine/server/timeline_view.h"
#include "core/engine/server/tree_delta.h"
#include "tests/unit/server/fixture.h"

namespace kw::server::testing {
namespace {

json delta(const TreeReplay& tree, const json& since, const DeltaOptions& options) { return json::parse(delta_text(tree, since, options)); }

class Replay : public ServerTest {
 protected:
  void SetUp() override {
    ServerTest::SetUp();
    record(at("s.kwr"));
    refresh();
  }
  void refresh() {
    auto session = store::Session::open(at("s.kwr"), store::Session::Access::read);
    ASSERT_TRUE(session.ok());
    ASSERT_TRUE(tree_.refresh(*session).ok());
  }
  TreeReplay tree_;
};

TEST_F(Replay, VisitsAndValuesAreThoseOfTheSearch) {
  const auto& nodes = tree_.nodes();
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].visits, 4);
  EXPECT_EQ(nodes[1].visits, 2);
  EXPECT_EQ(nodes[3].verdict, "wrong_result");
  EXPECT_EQ(nodes[2].at_s, 4);
  const ReplayEdge& edge = tree_.edges()[0];   // c1 -> c2, walked to c2 (log 2) and to c4 (log 2 less the penalty of 0.5)
  EXPECT_EQ(edge.visits, 2);
  const double mean = std::log(2.0) - 0.25;
  EXPECT_NEAR(tree_.q(edge), 0.5 * mean + 0.5 * std::log(2.0), 1e-12);
  EXPECT_NEAR(*tree_.p(edge), 0.75, 1e-12);
  EXPECT_NEAR(*tree_.u(edge), 0.25 * 0.75 * 2 / 3, 1e-12);   // exploration * P * sqrt(4) / (1 + 2)
  EXPECT_EQ(tree_.best("t00-softmax"), 1);
  EXPECT_TRUE(nodes[0].on_best_path);
  EXPECT_TRUE(nodes[1].on_best_path);
  EXPECT_FALSE(nodes[2].on_best_path);
  EXPECT_EQ(tree_.failures(), 1);
}

TEST_F(Replay, OnlyWhatIsNewOrChangedIsTold) {
  const json all = delta(tree_, json(), {});
  EXPECT_EQ(all["nodes"].size(), 4u);
  EXPECT_EQ(all["edges"].size(), 3u);
  EXPECT_EQ(all["more"], false);
  EXPECT_TRUE(delta(tree_, all["version"], {})["nodes"].empty());
  {
    auto session = store::Session::open(at("s.kwr"), store::Session::Access::write);
    const auto run = session->begin_run(json::object());
    EXPECT_TRUE(session->add_candidate(candidate("c5", "h5"), {{"c3", "c5", "tile.k0", "2", "4", "tile", "larger"}}).ok());
    EXPECT_TRUE(session->add_evaluation(evaluation(*run, {"c1", "c3", "c5"}, 3.0, 9000)).ok());
    EXPECT_TRUE(session->add_mark("c4", "ban").ok());
  }
  refresh();
  const json told = delta(tree_, all["version"], {});
  std::map<std::string, json> nodes;
  for (const json& node : told["nodes"]) nodes[node["id"]] = node;
  ASSERT_EQ(nodes.size(), 5u);   // c1, c3 and c5 were walked, c2 left the best path, c4 was banned
  EXPECT_EQ(nodes["c1"]["visits"], 5);
  EXPECT_EQ(nodes["c5"]["outcome"], "faster");
  EXPECT_EQ(nodes["c2"]["on_best_path"], false);
  EXPECT_EQ(nodes["c4"]["banned"], true);
  EXPECT_LT(nodes["c5"]["at_s"], 10);   // what lies between two runs is not counted
  EXPECT_EQ(told["edges"].size(), 2u);
}

TEST_F(Replay, LargeAnswersComeInParts) {
  DeltaOptions options;
  options.limit = 3;
  const json first = delta(tree_, json(), options);
  EXPECT_EQ(first["nodes"].size(), 3u);
  EXPECT_EQ(first["edges"].size(), 2u);
  EXPECT_EQ(first["more"], true);
  const json second = delta(tree_, first["version"], options);
  EXPECT_EQ(second["nodes"].size(), 1u);
  EXPECT_EQ(second["edges"].size(), 1u);
  EXPECT_EQ(second["more"], false);
  EXPECT_EQ(second["version"], version_json(tree_.rows()));
  // Changed nodes as well: all four since the first row, two at a time.
  options.limit = 2;
  json since = version_json({4, 3, 0, 0, tree_.rows().runs});
  std::set<std::string> seen;
  for (int parts = 0; parts < 9; ++parts) {
    const json part = delta(tree_, since, options);
    for (const json& node : part["nodes"]) seen.insert(node["id"]);
    since = part["version"];
    if (!part["more"]) break;
  }
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_EQ(since, version_json(tree_.rows()));
}

TEST(TimelineViewport, EventsBelowAPixelAreMerged) {
  std::vector<protocol::TimelineEvent> events;
  for (int i = 0; i < 1000; ++i) events.push_back({i % 2 ? "odd" : "even", "kernels", 1.0 * i, i == 500 ? 0.9 : 0.5, i});
  const TimelineView view(events);
  EXPECT_EQ(view.end_us(), 999.5);
  const json all = view.viewport(0, 1000, 10)["tracks"][0]["events"];
  EXPECT_LE(all.size(), 20u);
  int stand_for = 0;
  for (const json& event : all) stand_for += event[4].get<int>();
  EXPECT_EQ(stand_for, 1000);
  const json near = view.viewport(100.2, 103.2, 1000)["tracks"][0]["events"];
  ASSERT_EQ(near.size(), 4u);   // the one that began before, and three more
  EXPECT_EQ(near[0], json({"even", 100.0, 0.5, 100, 1}));
  EXPECT_TRUE(view.viewport(5000, 6000, 100)["tracks"][0]["events"].empty());
}

}  // namespace
}  // namespace kw::server::testing
