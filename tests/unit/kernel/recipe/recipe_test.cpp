// Every sample on each target, by its default recipe and by random walks over the mutations: verified, interpreted and (cpu)
// compiled, the result is that of the naive evaluation.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "execute.h"

namespace kw::kernel::samples {
namespace {

constexpr double tolerance = 2e-5, half_tolerance = 2e-2;

Limits limits(const std::string& target = "cpu") {
  Limits l;
  l.target = target;
  l.threads = 2;
  return l;
}

double allowed(const Program& program) {
  for (const auto& type : program.output_types)
    if (type.dtype == DType::bf16 || type.dtype == DType::f16) return half_tolerance;
  return tolerance;
}

void expect_right(const std::string& what, const Program& program, const std::vector<std::vector<double>>& got,
                  const std::vector<std::vector<double>>& truth) {
  ASSERT_EQ(got.size(), truth.size()) << what;
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_LE(relative_error(got[k], truth[k]), allowed(program)) << what << " output " << k;
}

class EverySample : public testing::TestWithParam<std::tuple<std::size_t, std::string>> {
 protected:
  const Sample sample = small_samples()[std::get<0>(GetParam())];
  const Limits here = limits(std::get<1>(GetParam()));
  const std::vector<std::vector<double>> inputs = draw_inputs(sample.program, 7);
  const std::vector<std::vector<double>> truth = evaluate(sample.program, inputs);
};

TEST_P(EverySample, DefaultRecipeIsRight) {
  const Recipe recipe = default_recipe(sample.program, here);
  const auto lowered = lower(sample.program, recipe, here);
  ASSERT_TRUE(lowered.ok()) << lowered.error().text();
  const auto got = interpreted(*lowered, sample.program, inputs);
  ASSERT_TRUE(got.ok()) << got.error().text();
  expect_right(sample.name, sample.program, *got, truth);
}

TEST_P(EverySample, RandomWalksAreRight) {
  std::mt19937 random(static_cast<unsigned>(std::get<0>(GetParam())) + 1);
  for (int walk = 0; walk < 3; ++walk) {
    Recipe recipe = default_recipe(sample.program, here);
    for (int step = 0; step < 5; ++step) {
      const auto options = mutations(sample.program, recipe, here);
      if (options.empty()) break;
      recipe = options[random() % options.size()].result;
      const auto lowered = lower(sample.program, recipe, here);
      ASSERT_TRUE(lowered.ok()) << text(recipe) << ": " << lowered.error().text();
      const auto got = interpreted(*lowered, sample.program, inputs);
      ASSERT_TRUE(got.ok()) << sample.name << " " << text(recipe) << "\n" << got.error().text();
      expect_right(sample.name + " " + text(recipe), sample.program, *got, truth);
    }
  }
}

TEST_P(EverySample, EveryMutationIsRightAndOneDecisionAway) {
  const Recipe root = default_recipe(sample.program, here);
  for (const Mutation& m : mutations(sample.program, root, here)) {
    EXPECT_NE(m.result, root);
    EXPECT_FALSE(m.description.empty());
    const auto again = recipe_from_text(text(m.result));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(*again, m.result);
    const auto lowered = lower(sample.program, m.result, here);
    ASSERT_TRUE(lowered.ok()) << text(m.result);
    const auto got = interpreted(*lowered, sample.program, inputs);
    ASSERT_TRUE(got.ok()) << sample.name << " " << text(m.result) << "\n" << got.error().text();
    expect_right(sample.name + " " + text(m.result), sample.program, *got, truth);
  }
}

INSTANTIATE_TEST_SUITE_P(Recipes, EverySample,
                         testing::Combine(testing::Range<std::size_t>(0, small_samples().size()), testing::Values("cpu", "cuda")),
                         [](const auto& one) { return small_samples()[std::get<0>(one.param)].name + "_" + std::get<1>(one.param); });

// y = x * w is stored in half precision; z = y and the maximum m of each row of y are computed beside it. All readers of y must see one
// value: the stored one, from a register, a tile or memory, or, where y is inlined, the unrounded one. So m is the maximum of z.
TEST(Halves, AreOneValueForEveryReader) {
  for (const auto& [half, target] : {std::pair{DType::bf16, "cpu"}, std::pair{DType::f16, "cpu"}, std::pair{DType::bf16, "cuda"}}) {
    const Limits here = limits(target);
    constexpr std::int64_t rows = 5, cols = 37;
    ProgramBuilder b;
    const auto at = variables(2), row = variables(1);
    const int x = b.input("x", DType::f32, {rows, cols}), w = b.input("w", DType::f32, {cols});
    const int y = b.pointwise("y", {rows, cols}, binary(Op::mul, b.at(x, at), b.at(w, {at[1]})), half);
    const int z = b.pointwise("z", {rows, cols}, b.at(y, at));
    const int m = b.reduce("m", {rows}, {cols}, Combiner::max, b.at(y, at));
    for (const int output : {y, z, m}) b.output(output);
    const Recipe root = default_recipe(b.program, here);
    std::vector<Recipe> recipes = {root};
    for (const Mutation& first : mutations(b.program, root, here)) {
      recipes.push_back(first.result);
      for (const Mutation& second : mutations(b.program, first.result, here)) recipes.push_back(second.result);
    }
    auto inputs = draw_inputs(b.program, 3);
    for (auto& input : inputs)
      for (double& value : input) value = static_cast<float>(value * 1.001);   // products that a half cannot hold
    for (const Recipe& recipe : recipes) {
      const auto lowered = lower(b.program, recipe, here);
      ASSERT_TRUE(lowered.ok()) << lowered.error().text();
      const auto got = interpreted(*lowered, b.program, inputs);
      ASSERT_TRUE(got.ok()) << got.error().text();
      const auto &stored = (*got)[0], &read = (*got)[1], &maxima = (*got)[2];
      const bool inlined = text(recipe).find("edge.y=inline") != std::string::npos;
      ASSERT_TRUE(inlined || stored == read) << text(recipe);
      for (std::int64_t r = 0; r < rows; ++r)
        ASSERT_EQ(maxima[static_cast<std::size_t>(r)], *std::max_element(read.begin() + r * cols, read.begin() + (r + 1) * cols)) << text(recipe);
    }
  }
}

// Equal numbers in one chain of additions round the same way step after step: a sum of 4,096 of them is 4e-5 off, one in blocks 1e-6.
// (The interpreter unites the threads of a GPU's block one after another, which costs 1e-5; the GPU does it as a tree.)
TEST(LongSums, AreNoSingleChain) {
  constexpr std::int64_t width = 4, points = 4096;
  for (const std::string target : {"cpu", "cuda"})
    for (const bool points_first : {true, false})
      for (const bool channels_last : {true, false}) {
        ProgramBuilder b;
        const int x = b.input("x", DType::f32, {2, points, width}, {points * width, channels_last ? width : 1, channels_last ? 1 : points});
        const std::vector<Index> member = points_first ? variables(3) : std::vector<Index>{variable(0), variable(2), variable(1)};
        b.output(b.reduce("sum", {2}, points_first ? Sizes{points, width} : Sizes{width, points}, Combiner::sum, b.at(x, member)));
        const std::vector<std::vector<double>> inputs = {std::vector<double>(2 * points * width, static_cast<double>(0.1f))};
        std::vector<Recipe> recipes = {default_recipe(b.program, limits(target))};
        for (const Mutation& m : mutations(b.program, recipes[0], limits(target))) recipes.push_back(m.result);
        for (const Recipe& recipe : recipes) {
          const auto lowered = lower(b.program, recipe, limits(target));
          ASSERT_TRUE(lowered.ok()) << lowered.error().text();
          const auto got = interpreted(*lowered, b.program, inputs);
          ASSERT_TRUE(got.ok()) << got.error().text();
          const double truth = inputs[0][0] * width * points;
          for (const double sum : (*got)[0]) EXPECT_NEAR(sum / truth, 1, target == "cpu" ? 5e-6 : 2e-5) << target << " " << text(recipe);
        }
      }
}

// One compiler call for all: the default recipe, a mutation and every parallel one of each, on odd sizes.
TEST(Compiled, MachineCodeAgrees) {
  std::vector<Sample> samples = small_samples();
  std::vector<Generated> plans;
  std::vector<std::size_t> of;
  std::vector<Recipe> recipes;
  std::mt19937 random(11);
  for (std::size_t s = 0; s < samples.size(); ++s) {
    std::vector<Recipe> some = {default_recipe(samples[s].program, limits())};
    const auto options = mutations(samples[s].program, some[0], limits());
    if (!options.empty()) some.push_back(options[random() % options.size()].result);
    for (const Mutation& m : options)      // samples are small: only a mutation starts the threads
      if (m.kind == "parallel axis") some.push_back(m.result);
    for (const Recipe& recipe : some) {
      auto plan = generate(samples[s].program, recipe, limits());
      ASSERT_TRUE(plan.ok()) << plan.error().text();
      plans.push_back(std::move(*plan));
      of.push_back(s);
      recipes.push_back(recipe);
    }
  }
  const auto compiled = Compiled::build_together(plans);
  ASSERT_TRUE(compiled.ok()) << compiled.error().text();
  for (std::size_t k = 0; k < plans.size(); ++k) {
    const Program& program = samples[of[k]].program;
    const auto inputs = draw_inputs(program, 23);
    expect_right(samples[of[k]].name + " " + text(recipes[k]), program, compiled->run(plans[k], program, inputs), evaluate(program, inputs));
  }
}

}  // namespace
}  // namespace kw::kernel::samples
