// A profile of a model whose hot spot is known beforehand.
#include "core/worker/profile/profile.h"

#include <numeric>

#include <gtest/gtest.h>

#include "tests/unit/aten/graphs.h"

namespace kw::profile {
namespace {

// Two equal products, then operators on a single row.
aten::OpenModel model() {
  Graphs g;
  const auto x = g.input("x", {384, 384});
  const auto a = g.node("aten.mm.default", {ref(x), ref(x)});
  const auto b = g.node("aten.mm.default", {ref(a), ref(x)});
  const auto row = g.node("aten.select.int", {ref(b), lit(std::int64_t{0}), lit(std::int64_t{0})});
  g.output(g.node("aten.relu.default", {ref(row)}));
  aten::OpenModel m;
  m.inputs = {at::randn({384, 384}) * 0.05};
  auto plain = aten::Executable::bind(g.graph, {});
  m.graph = *(*plain)->observe(m.inputs);
  m.eager = aten::Executable::bind(m.graph, {}).value();
  return m;
}

TEST(Profile, FindsTheHotOperatorAndCountsEveryNodeOnce) {
  aten::OpenModel m = model();
  protocol::Ceilings ceilings;
  ceilings.copy_gb_s = 10;
  ceilings.f32_gflop_s = 100;
  const auto p = profile(m, ceilings, 5, {});
  ASSERT_TRUE(p.ok()) << p.error().text();
  ASSERT_EQ(p->cards.size(), 3u);
  const protocol::OperatorCard& hot = p->cards[0];
  EXPECT_EQ(hot.op, "aten.mm.default");
  EXPECT_EQ(hot.calls, 2);
  EXPECT_EQ(hot.nodes, (std::vector<int>{0, 1}));
  EXPECT_GT(hot.share, 0.9);
  EXPECT_EQ(hot.flops, 2 * 2 * 384ll * 384 * 384);
  EXPECT_EQ(hot.bytes, 4 * 384 * 384 * (2 + 3));   // x once where both operands are x
  EXPECT_EQ(hot.bound, "compute");
  EXPECT_NEAR(hot.roofline_share, static_cast<double>(hot.flops) / (100 * 1e3) / hot.time_us, 1e-9);
  EXPECT_EQ(hot.source, "model.py:10");
  double share = 0;
  std::vector<int> nodes;
  for (const auto& card : p->cards) {
    share += card.share;
    nodes.insert(nodes.end(), card.nodes.begin(), card.nodes.end());
  }
  std::sort(nodes.begin(), nodes.end());
  EXPECT_NEAR(share, 1.0, 1e-9);
  EXPECT_EQ(nodes, (std::vector<int>{0, 1, 2, 3}));
}

TEST(Profile, TheTimelineIsOneRunInOrder) {
  aten::OpenModel m = model();
  const auto p = profile(m, {}, 3, {});
  ASSERT_TRUE(p.ok());
  ASSERT_EQ(p->timeline.size(), 4u);
  double end = 0;
  for (std::size_t n = 0; n < p->timeline.size(); ++n) {
    EXPECT_EQ(p->timeline[n].node, static_cast<int>(n));
    EXPECT_GE(p->timeline[n].start_us, end);
    end = p->timeline[n].start_us + p->timeline[n].duration_us;
  }
  EXPECT_EQ(p->node_us.size(), 4u);
  EXPECT_GT(p->model_us, 0);
  EXPECT_LT(p->interpreter_us_per_node, 20);   // a machine under load; interpreter_bench prints the figure
}

TEST(Profile, StopsWhenCancelled) {
  aten::OpenModel m = model();
  base::CancelToken cancel;
  cancel.cancel();
  const auto p = profile(m, {}, 3, cancel);
  ASSERT_FALSE(p.ok());
  EXPECT_EQ(p.error().code, base::ErrorCode::cancelled);
}

}  // namespace
}  // namespace kw::profile
