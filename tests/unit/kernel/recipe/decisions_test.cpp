// Recipes as text, decisions that are refused, and what the default recipe is known to do on the families that matter.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/kernel/recipe/grouping.h"
#include "core/kernel/recipe/traffic.h"
#include "samples.h"

namespace kw::kernel::samples {
namespace {

Limits limits(int threads = 2) {
  Limits l;
  l.threads = threads;
  return l;
}

Generated made(const Program& program, const Recipe& recipe = {}, int threads = 2) {
  auto plan = generate(program, recipe, limits(threads));
  EXPECT_TRUE(plan.ok()) << plan.error().text();
  return plan.ok() ? std::move(*plan) : Generated{};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(RecipeText, ReadsBackWhatItWrites) {
  Recipe recipe;
  recipe.decisions = {{"vector.k0", "16"}, {"edge.softmax.exp", "memory"}};
  EXPECT_EQ(text(recipe), "generator=3 edge.softmax.exp=memory vector.k0=16");
  EXPECT_EQ(*recipe_from_text(text(recipe)), recipe);
}

TEST(RecipeText, RefusesWhatIsNoRecipe) {
  EXPECT_EQ(recipe_from_text("").error().code, base::ErrorCode::bad_input);
  EXPECT_EQ(recipe_from_text("vector.k0=8").error().code, base::ErrorCode::bad_input);
  EXPECT_EQ(recipe_from_text("generator=3 vector.k0").error().code, base::ErrorCode::bad_input);
  EXPECT_EQ(recipe_from_text("generator=3 a=1 a=2").error().code, base::ErrorCode::bad_input);
  EXPECT_EQ(recipe_from_text("generator=0 a=1").error().code, base::ErrorCode::unsupported);
}

TEST(Decisions, IllegalOnesNameThemselvesAndTheAlternatives) {
  const auto refused = lower(scale_softmax(4, 64, 1), Recipe{{{"vector.k0", "7"}}}, limits());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, base::ErrorCode::unsupported);
  EXPECT_TRUE(contains(refused.error().message, "vector.k0=7")) << refused.error().message;
  EXPECT_TRUE(contains(refused.error().message, "16")) << refused.error().message;
  const auto unknown = lower(scale_softmax(4, 64, 1), Recipe{{{"vector.k9", "8"}}}, limits());
  ASSERT_FALSE(unknown.ok());
  EXPECT_TRUE(contains(unknown.error().message, "vector.k9"));
}

TEST(Decisions, TilesBeyondTheStackAreRefused) {
  Recipe recipe{{{"lanes.k0", "i0"}, {"tile.k0.i0", "64"}}};
  const auto big = lower(scale_softmax(4096, 4000, 1), recipe, limits());
  ASSERT_FALSE(big.ok());
  EXPECT_TRUE(contains(big.error().message, "tiles")) << big.error().message;
}

TEST(Decisions, AnotherTargetIsRefused) {
  Limits cuda = limits();
  cuda.target = "metal";
  EXPECT_EQ(lower(gelu(64), {}, cuda).error().code, base::ErrorCode::unsupported);
}

TEST(DefaultRecipe, SoftmaxIsOneKernelWithItsRowInATile) {
  const Generated g = made(scale_softmax(4096, 256, 0.125));
  ASSERT_EQ(g.lowered.nests.size(), 1u);
  const Shape shape = shape_of(g.lowered.nests[0]);
  EXPECT_EQ(shape.parallel_iterations, 4096);
  EXPECT_EQ(shape.tile_bytes, 256 * 4);
  EXPECT_EQ(shape.widest, 8);
  EXPECT_EQ(g.traffic_bytes, 2 * 4096 * 256 * 4);
}

TEST(DefaultRecipe, PointwiseChainsAreOnePassOverOneAxis) {
  const Generated g = made(batch_norm_relu({4, 64, 56, 56}, true));
  ASSERT_EQ(g.lowered.nests.size(), 1u);
  EXPECT_EQ(g.traffic_bytes, (3 * 4 * 64 * 56 * 56 + 4 * 64) * 4);
  const std::string loops = text(g.lowered.nests[0]);      // per-channel factors stand outside the inner loop
  EXPECT_LT(loops.find("rsqrt("), loops.find("vector for")) << loops;
}

TEST(DefaultRecipe, ChannelsLastIsWalkedInMemoryOrder) {
  // Lanes run along the channels, so their factors cannot be lifted out: a small kernel makes them first.
  const Generated g = made(batch_norm_relu({4, 64, 28, 28}, false, {64 * 28 * 28, 1, 64 * 28, 64}));
  ASSERT_EQ(g.lowered.nests.size(), 2u);
  EXPECT_TRUE(contains(text(g.lowered.nests[1]), "vector for i1")) << text(g.lowered.nests[1]);
  EXPECT_FALSE(contains(text(g.lowered.nests[1]), "rsqrt"));
}

TEST(DefaultRecipe, PaddingIsPeeledOffTheInterior) {
  const Generated g = made(max_pool({2, 8, 56, 56}, 3, 2, 1, false));
  EXPECT_FALSE(contains(text(g.lowered.nests[0]), "in_bounds"));
}

TEST(DefaultRecipe, JoinedTensorsAreCopiedPieceByPiece) {
  EXPECT_FALSE(contains(text(made(cat(64, {128, 64, 32})).lowered.nests[0]), "select"));
  EXPECT_FALSE(contains(text(made(cat(64, Sizes(12, 32))).lowered.nests[0]), "select"));
}

TEST(DefaultRecipe, TinyWorkStaysOnOneThread) {
  EXPECT_EQ(made(gelu(64)).plan.threads, 1);
  EXPECT_FALSE(contains(made(gelu(64)).plan.source, "omp"));
  EXPECT_EQ(made(gelu(1 << 20)).plan.threads, 2);
  EXPECT_EQ(made(gelu(1 << 20), {}, 1).plan.threads, 1);
}

TEST(Generate, SymbolsAreUniqueAndStable) {
  const Generated a = made(scale_softmax(64, 64, 0.5)), b = made(scale_softmax(64, 64, 0.5));
  EXPECT_EQ(a.plan.source, b.plan.source);
  EXPECT_EQ(a.structural_hash, b.structural_hash);
  const Generated other = made(scale_softmax(64, 65, 0.5));
  EXPECT_NE(a.structural_hash, other.structural_hash);
  EXPECT_NE(a.plan.steps[0].name, other.plan.steps[0].name);
  std::set<std::string> names;
  const Generated apart = made(scale_softmax(64, 64, 0.5), Recipe{{{"fuse.softmax", "own"}}});
  for (const plan::Step& step : apart.plan.steps) EXPECT_TRUE(names.insert(step.name).second);
  EXPECT_EQ(names.size(), 2u);
}

TEST(Mutations, HaveAStableOrderAndNoDuplicates) {
  const Program program = layer_norm(64, 128, true, true);
  const auto first = mutations(program, {}, limits()), second = mutations(program, {}, limits());
  ASSERT_EQ(first.size(), second.size());
  std::set<std::string> recipes, kinds;
  for (std::size_t k = 0; k < first.size(); ++k) {
    EXPECT_EQ(first[k].result, second[k].result);
    EXPECT_TRUE(recipes.insert(text(first[k].result)).second);
    kinds.insert(first[k].kind);
  }
  for (const char* kind : {"edge", "fuse", "rewrite", "vector width", "unroll"})
    EXPECT_TRUE(kinds.contains(kind) || std::string(kind) == "rewrite") << kind;
}

TEST(Mutations, GoBackToTheDefault) {
  const Program program = scale_softmax(512, 128, 0.5);
  const Recipe wide{{{"vector.k0", "16"}}};
  const auto options = mutations(program, wide, limits());
  EXPECT_TRUE(std::any_of(options.begin(), options.end(), [](const Mutation& m) { return m.result == Recipe{}; }));
}

TEST(Explain, ComparesWithNumbers) {
  const Program program = scale_softmax(512, 128, 0.5);
  const auto sentences = explain(made(program), made(program, Recipe{{{"fuse.softmax", "own"}}}));
  const auto says = [&](const std::string& part) {
    return std::any_of(sentences.begin(), sentences.end(), [&](const std::string& s) { return contains(s, part); });
  };
  EXPECT_TRUE(says("Kernels: 1 -> 2"));
  EXPECT_TRUE(says("Main-memory traffic: 524.3 KB -> "));
  EXPECT_TRUE(says("Workspace: 0 bytes -> "));
  EXPECT_EQ(explain(made(program), made(program)).size(), 1u);
}

TEST(CommonAxes, RowsOfASoftmaxAndPlanesOfAPool) {
  const Program softmax = scale_softmax(6, 8, 1);
  EXPECT_EQ(lowering::common_axes(softmax, {1, 2, 3, 4}).size(), 1u);
  const Program pool = max_pool({2, 3, 8, 8}, 3, 2, 1, true);
  EXPECT_EQ(lowering::common_axes(pool, {0, 1}).size(), 2u);
}

}  // namespace
}  // namespace kw::kernel::samples
