// Two runs of a graph of three nodes, worked by hand: what a node's time is and what the timeline shows of the last run.
#include "core/worker/profile/node_times.h"

#include <gtest/gtest.h>

#include "tests/unit/aten/graphs.h"

namespace kw::profile {
namespace {

graph::Graph three_nodes() {
  Graphs g;
  const auto x = g.input("x", {4});
  const auto a = g.node("aten.mm.default", {ref(x), ref(x)});
  const auto b = g.node("aten.view.default", {ref(a)});
  g.output(g.node("aten.add.Tensor", {ref(b), ref(x)}));
  return g.graph;
}

std::vector<HostRun> three_runs() {
  return {{100, 200, {{0, 100, 110}, {1, 110, 112}, {2, 112, 120}}},
          {300, 400, {{0, 300, 306}, {1, 306, 307}, {2, 307, 319}}},
          {500, 600, {{0, 501, 509}, {1, 510, 513}, {2, 513, 523}}}};
}

cuda::DeviceWork work(const graph::Graph& g, std::size_t run, int node, double start_us, double duration_us, const std::string& name = "k") {
  cuda::DeviceWork w;
  w.tag = node < 0 ? -1 : tag(g, run, node);
  w.name = name;
  w.start_us = start_us;
  w.duration_us = duration_us;
  w.grid = {8, 1, 1};
  w.registers = 32;
  return w;
}

TEST(NodeTimes, ByTheHostAreMediansOfTheVisits) {
  const NodeTimes times = by_host(three_nodes(), three_runs());
  EXPECT_EQ(times.node_us, (std::vector<double>{8, 2, 10}));
  ASSERT_EQ(times.timeline.size(), 3u);
  EXPECT_EQ(times.timeline[0].name, "aten.mm.default");
  EXPECT_EQ(times.timeline[0].track, "operators");
  EXPECT_DOUBLE_EQ(times.timeline[0].start_us, 1);
  EXPECT_DOUBLE_EQ(times.timeline[2].duration_us, 10);
}

TEST(NodeTimes, ByTheDeviceAreSumsOfTheNodesWork) {
  const graph::Graph g = three_nodes();
  const std::vector<cuda::DeviceWork> all = {
      work(g, 0, 0, 120, 50), work(g, 0, 0, 170, 5), work(g, 0, 2, 180, 7),
      work(g, 1, 0, 320, 40), work(g, 1, 0, 360, 5), work(g, 1, 2, 370, 9),
      work(g, 2, 0, 520, 60), work(g, 2, 0, 580, 5, "last"), work(g, 2, 2, 590, 8),
  };
  const NodeTimes times = by_device(g, three_runs(), all);
  EXPECT_EQ(times.node_us, (std::vector<double>{55, 0, 8}));
  ASSERT_EQ(times.timeline.size(), 6u);   // three operators and the three kernels of the last run
  const protocol::TimelineEvent& last = times.timeline[4];
  EXPECT_EQ(last.name, "last");
  EXPECT_EQ(last.track, "kernels");
  EXPECT_EQ(last.node, 0);
  EXPECT_DOUBLE_EQ(last.start_us, 80);
  EXPECT_DOUBLE_EQ(last.duration_us, 5);
  EXPECT_EQ(last.grid[0], 8);
  EXPECT_EQ(last.registers, 32);
}

TEST(NodeTimes, WorkOfNobodyStandsInTheTimelineOfItsRun) {
  const graph::Graph g = three_nodes();
  const NodeTimes times = by_device(g, three_runs(), {work(g, 0, -1, 150, 100, "early"), work(g, 2, -1, 550, 100, "late")});
  EXPECT_EQ(times.node_us, (std::vector<double>{0, 0, 0}));
  ASSERT_EQ(times.timeline.size(), 4u);
  EXPECT_EQ(times.timeline[3].name, "late");
  EXPECT_EQ(times.timeline[3].node, -1);
}

}  // namespace
}  // namespace kw::profile
