// A run of three operators with known times: as a table, as a Chrome trace, from a session and back.
#include "core/engine/report/timeline.h"

#include <filesystem>

#include <gtest/gtest.h>

#include "core/engine/report/pages.h"

namespace kw::report {
namespace {

namespace fs = std::filesystem;

protocol::TimelineEvent kernel(const std::string& name, double start_us, double duration_us, int node) {
  protocol::TimelineEvent event{name, "kernels", start_us, duration_us, node};
  event.grid = {128, 1, 1};
  event.block = {32, 8, 1};
  event.registers = 40;
  event.shared_bytes = 2048;
  return event;
}

// A view launches nothing, a product two kernels; a fill belongs to nobody.
Timeline run() {
  return {{"aten.view.default", "operators", 0, 2, 0},
          {"aten.mm.default", "operators", 2, 20, 1},
          {"aten.relu.default", "operators", 22, 8, 2},
          kernel("gemm<float>", 10, 30, 1),
          kernel("reduce", 40, 5, 1),
          kernel("relu", 50, 4, 2),
          {"memset", "kernels", 60, 1, -1}};
}

graph::Graph graph_of_run() {
  graph::Graph g;
  graph::Value value;
  value.name = "x";
  value.type = {graph::DType::f32, {4}, {1}};
  value.origin = graph::Origin::input;
  g.values.push_back(value);
  g.inputs = {0};
  for (const char* op : {"aten.view.default", "aten.mm.default", "aten.relu.default"}) {
    value.name = op;
    value.origin = graph::Origin::node;
    g.values.push_back(value);
    graph::Node node;
    node.op = op;
    node.outputs = {static_cast<graph::ValueId>(g.values.size()) - 1};
    node.source = {"/m/model.py", 10 + static_cast<int>(g.nodes.size())};
    node.module_path = "block";
    g.nodes.push_back(node);
  }
  g.outputs = {{3, graph::OutputKind::user, graph::no_value}};
  return g;
}

TEST(TimelineTable, KernelsStandBelowTheirOperator) {
  EXPECT_EQ(operators_and_kernels(run(), graph_of_run()),
            "node  operator and its kernels    begin     host   device  grid  block  registers  source\n"
            "   0  view.default              0.00 µs  2.00 µs                                   model.py:10\n"
            "   1  mm.default                2.00 µs  20.0 µs  35.0 µs                          model.py:11\n"
            "        gemm<float>             10.0 µs           30.0 µs   128   32×8         40\n"
            "        reduce                  40.0 µs           5.00 µs   128   32×8         40\n"
            "   2  relu.default              22.0 µs  8.00 µs  4.00 µs                          model.py:12\n"
            "        relu                    50.0 µs           4.00 µs   128   32×8         40\n"
            "      (no operator is known)                      1.00 µs\n"
            "        memset                  60.0 µs           1.00 µs\n");
}

TEST(TimelineTable, WithoutKernelsItHasOnlyTheHost) {
  EXPECT_EQ(operators_and_kernels({{"aten.mm.default", "operators", 2, 20, 1}}, graph_of_run()),
            "node  operator      begin     host  source\n"
            "   1  mm.default  2.00 µs  20.0 µs  model.py:11\n");
}

TEST(TimelineTable, FinalistsTracksHaveTheirSums) {
  Timeline calls = {kernel("fused", 0, 12, -1), kernel("relu", 20, 11, -1), kernel("mul", 31, 14, -1)};
  calls[0].track = "candidate";
  calls[1].track = calls[2].track = "eager";
  EXPECT_EQ(kernels_by_track(calls),
            "candidate, 12.0 µs in all:\n"
            "   time  grid  block  registers  shared  kernel\n"
            "12.0 µs   128   32×8         40  2.0 kB  fused\n"
            "\n"
            "eager, 25.0 µs in all:\n"
            "   time  grid  block  registers  shared  kernel\n"
            "11.0 µs   128   32×8         40  2.0 kB  relu\n"
            "14.0 µs   128   32×8         40  2.0 kB  mul\n");
}

TEST(ChromeTrace, HasAThreadATrackAndArrowsFromOperatorsToKernels) {
  const nlohmann::json trace = chrome_trace(run(), graph_of_run(), "m.py");
  std::map<std::string, nlohmann::json> complete;
  std::vector<nlohmann::json> tails, heads;
  int names = 0;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "M") ++names;
    if (event["ph"] == "X") complete[event["name"]] = event;
    if (event["ph"] == "s") tails.push_back(event);
    if (event["ph"] == "f") heads.push_back(event);
  }
  EXPECT_EQ(names, 3);   // the process and two threads
  EXPECT_EQ(complete.size(), 7u);
  EXPECT_EQ(complete["aten.mm.default"]["tid"], 1);
  EXPECT_EQ(complete["gemm<float>"], (nlohmann::json{{"name", "gemm<float>"}, {"ph", "X"}, {"pid", 1}, {"tid", 2}, {"ts", 10.0}, {"dur", 30.0},
                                                     {"args",
                                                      {{"node", 1}, {"operator", "aten.mm.default"}, {"module", "block"}, {"source", "/m/model.py:11"},
                                                       {"grid", {128, 1, 1}}, {"block", {32, 8, 1}}, {"registers", 40}, {"shared_bytes", 2048}}}}));
  EXPECT_FALSE(complete["memset"].contains("args"));
  ASSERT_EQ(tails.size(), 3u);
  ASSERT_EQ(heads.size(), 3u);
  EXPECT_EQ(tails[1]["ts"], 2.0);   // mm, whose second kernel this is
  EXPECT_EQ(tails[1]["tid"], 1);
  EXPECT_EQ(heads[1]["ts"], 40.0);
  EXPECT_EQ(heads[1]["tid"], 2);
  EXPECT_EQ(heads[1]["id"], tails[1]["id"]);
  EXPECT_NE(heads[0]["id"], heads[1]["id"]);
}

TEST(ChromeTrace, NeedsNoGraph) {
  const nlohmann::json trace = chrome_trace({{"relu", "cpu", 10, 5, 3}}, {}, "m.py");
  EXPECT_EQ(trace["traceEvents"].back(),
            (nlohmann::json{{"name", "relu"}, {"ph", "X"}, {"pid", 1}, {"tid", 1}, {"ts", 10.0}, {"dur", 5.0}, {"args", {{"node", 3}}}}));
}

class TimelinePage : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "kw_timeline_XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
    store::ModelInfo model;
    model.path = "/m/model.py";
    auto made = store::Session::create((folder_ / "s.kwr").string(), model);
    ASSERT_TRUE(made.ok());
    session_.emplace(std::move(*made));
    ASSERT_TRUE(session_->set_graph(graph::to_json(graph_of_run())).ok());
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  fs::path folder_;
  std::optional<store::Session> session_;
};

TEST_F(TimelinePage, ShowsWhatTheSessionKept) {
  ASSERT_TRUE(session_->set_timeline("profile", run()).ok());
  protocol::Profile profile;
  profile.note = "Why not.";
  ASSERT_TRUE(session_->set_profile(profile).ok());
  const auto page = timeline_page(*session_);
  ASSERT_TRUE(page.ok()) << page.error().text();
  EXPECT_EQ(page->find(operators_and_kernels(run(), graph_of_run())), 0u) << *page;
  EXPECT_NE(page->find("The GPU works 40.0 µs of this run's 61.0 µs.\nNote: Why not.\n"), std::string::npos) << *page;
  const auto trace = timeline_trace(*session_);
  ASSERT_TRUE(trace.ok()) << trace.error().text();
  EXPECT_EQ(*trace, chrome_trace(run(), graph_of_run(), "/m/model.py"));
}

TEST_F(TimelinePage, SaysHowToMakeOneWhereThereIsNone) {
  const auto page = timeline_page(*session_);
  ASSERT_FALSE(page.ok());
  EXPECT_EQ(page.error().code, base::ErrorCode::not_found);
  EXPECT_NE(page.error().message.find("kernelwright profile MODEL --session"), std::string::npos);
}

}  // namespace
}  // namespace kw::report
