// A product and a sum on the GPU: each node has its kernels. Skipped with the driver's one sentence where there is no GPU.
#include "core/worker/profile/profile.h"

#include <cstdlib>
#include <numeric>

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "core/worker/cuda/context.h"
#include "core/worker/device/torch_cuda.h"
#include "tests/unit/aten/graphs.h"

namespace kw::profile {
namespace {

constexpr std::int64_t width = 2048;

class GpuProfile : public testing::Test {
 protected:
  void SetUp() override {
    auto context = cuda::Context::retain(0);
    if (!context) GTEST_SKIP() << context.error().message;
    const auto torch = device::load_torch_cuda();
    ASSERT_TRUE(torch.ok()) << torch.error().text();
    Graphs g;
    const auto x = g.input("x", {width, width});
    const auto product = g.node("aten.mm.default", {ref(x), ref(x)});
    const auto flat = g.node("aten.view.default", {ref(product), lit(std::vector<graph::IntOrValue>{{-1, graph::no_value}})});
    g.output(g.node("aten.add.Tensor", {ref(flat), ref(flat)}));
    model_.inputs = {at::randn({width, width}, at::TensorOptions().device(at::kCUDA)) * 0.05};
    model_.on_cuda = true;
    aten::BindOptions options;
    options.on_cuda = true;
    auto plain = aten::Executable::bind(g.graph, {}, options);
    ASSERT_TRUE(plain.ok()) << plain.error().text();
    model_.graph = *(*plain)->observe(model_.inputs);
    model_.eager = aten::Executable::bind(model_.graph, {}, options).value();
  }
  aten::OpenModel model_;
};

TEST_F(GpuProfile, EachNodeHasItsKernels) {
  const auto p = profile(model_, {}, 5, {});
  ASSERT_TRUE(p.ok()) << p.error().text();
  ASSERT_EQ(p->note, "");
  ASSERT_EQ(p->node_us.size(), 3u);
  EXPECT_GT(p->node_us[0], 20);     // 17 GFLOP
  EXPECT_EQ(p->node_us[1], 0);      // a view
  EXPECT_GT(p->node_us[2], 2);      // 33 MB
  EXPECT_GT(p->node_us[0], p->node_us[2]);
  EXPECT_LT(p->node_us[0] + p->node_us[2], 1.5 * p->model_us);
  std::vector<int> operators(3), kernels(3);
  for (const protocol::TimelineEvent& event : p->timeline) {
    ASSERT_GE(event.node, 0) << event.name;
    ++(event.track == "operators" ? operators : kernels)[static_cast<std::size_t>(event.node)];
    if (event.track != "kernels") continue;
    EXPECT_GE(event.start_us, 0) << event.name;
    EXPECT_GT(event.duration_us, 0) << event.name;
    EXPECT_EQ(event.name.find("_Z"), std::string::npos) << event.name;
  }
  EXPECT_EQ(operators, (std::vector<int>{1, 1, 1}));
  EXPECT_GE(kernels[0], 1);
  EXPECT_EQ(kernels[1], 0);
  EXPECT_EQ(kernels[2], 1);
  const protocol::TimelineEvent& sum = p->timeline.back();   // what ends last
  EXPECT_EQ(sum.node, 2);
  EXPECT_NE(sum.name.find("elementwise"), std::string::npos) << sum.name;
  EXPECT_GT(sum.grid[0], 1);
  EXPECT_GE(sum.block[0], 32);
  EXPECT_GT(sum.registers, 0);
}

TEST_F(GpuProfile, WithoutCuptiTheTimesAreTheHostsAndTheNoteSaysWhy) {
  setenv("KW_CUPTI", "/nowhere/libcupti.so.13", 1);
  const auto p = profile(model_, {}, 3, {});
  unsetenv("KW_CUPTI");
  ASSERT_TRUE(p.ok()) << p.error().text();
  EXPECT_NE(p->note.find("libcupti.so.13"), std::string::npos) << p->note;
  EXPECT_GT(p->node_us[1], 0);      // even a view takes the host some time
  for (const protocol::TimelineEvent& event : p->timeline) EXPECT_EQ(event.track, "operators");
}

// CUPTI leaves the process after each.
TEST_F(GpuProfile, ProfilesCanBeTakenAgain) {
  for (int round = 0; round < 3; ++round) {
    const auto p = profile(model_, {}, 3, {});
    ASSERT_TRUE(p.ok()) << p.error().text();
    EXPECT_EQ(p->note, "");
    EXPECT_GT(p->node_us[0], 20);
  }
}

}  // namespace
}  // namespace kw::profile
