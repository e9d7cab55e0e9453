// What recipes do on a GPU beside what holds for both targets: how reductions are shared among threads and blocks, where rows are kept,
// that the default recipe is legal at every size, and the text of a few kernels.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "execute.h"

namespace kw::kernel::samples {
namespace {

constexpr double tolerance = 2e-5;
constexpr std::int64_t static_bytes = 48 << 10, ampere_bytes = 99 << 10, hopper_bytes = 227 << 10;

Limits limits(int multiprocessors = 2, std::int64_t shared_bytes = static_bytes) {
  Limits l;
  l.target = "cuda";
  l.threads = multiprocessors;
  l.shared_bytes = shared_bytes;
  return l;
}

std::int64_t tile_bytes(const LoopNest& nest) {
  std::int64_t total = 0;
  for (const NestBuffer& buffer : nest.buffers)
    if (buffer.space == Space::tile) total += buffer.elements * graph::byte_size(buffer.type);
  return total;
}

Generated made(const Program& program, const Recipe& recipe, const Limits& limits) {
  auto plan = generate(program, recipe, limits);
  EXPECT_TRUE(plan.ok()) << plan.error().text();
  return plan.ok() ? std::move(*plan) : Generated{};
}

void expect_right(const Program& program, const Lowered& lowered) {
  const auto inputs = draw_inputs(program, 17);
  const auto truth = evaluate(program, inputs);
  const auto got = interpreted(lowered, program, inputs);
  ASSERT_TRUE(got.ok()) << got.error().text();
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_LE(relative_error((*got)[k], truth[k]), tolerance) << "output " << k;
}

std::vector<std::string> options_of(const Program& program, const std::string& key, const Limits& limits) {
  std::vector<std::string> out;
  for (const Mutation& m : mutations(program, {}, limits))
    if (m.key == key) out.push_back(m.to);
  return out;
}

// -- reductions ------------------------------------------------------------------------------------------------------------

TEST(GpuReductions, FewColumnsAreSharedByRowsOfThreadsAndByBlocks) {
  const Generated g = made(sum_over(16384, 4096, true), {}, limits(132));
  ASSERT_EQ(g.plan.steps.size(), 2u);
  EXPECT_EQ(g.plan.steps[0].launch.block, (std::array<int, 3>{32, 8, 1}));
  EXPECT_GE(g.plan.steps[0].launch.grid[0], 4 * 132);
  EXPECT_LE(g.traffic_bytes, 16384 * 4096 * 4 * 1.01);           // what the parts add
}

TEST(GpuReductions, FewLongRowsAreSharedByBlocks) {
  for (const Program& program : {sum_over(8, 10'000'000, false), sum_over(3, 10'000'019, false), sum_all(1 << 26)}) {
    const Generated g = made(program, {}, limits(132));
    ASSERT_EQ(g.plan.steps.size(), 2u);
    EXPECT_GE(g.plan.steps[0].launch.grid[0] * g.plan.steps[0].launch.block[0], 132 * 1024);
    EXPECT_LE(g.plan.steps[1].launch.grid[0], 8);
  }
}

TEST(GpuReductions, WhatFillsTheGpuByItselfIsOneKernel) {
  EXPECT_EQ(made(sum_over(16384, 4096, false), {}, limits(132)).plan.steps.size(), 1u);
  EXPECT_EQ(made(sum_over(64, 1 << 20, true), {}, limits(132)).plan.steps.size(), 1u);
  EXPECT_EQ(made(sum_over(64, 64, true), {}, limits(132)).plan.steps.size(), 1u);        // a second launch would cost more
}

TEST(GpuReductions, ChoicesAreOfferedWhereTheyMakeSense) {
  EXPECT_FALSE(options_of(sum_over(259, 13, true), "height.k0", limits()).empty());
  EXPECT_FALSE(options_of(sum_over(259, 13, true), "split.k0", limits()).empty());
  EXPECT_FALSE(options_of(sum_over(3, 5003, false), "split.k0", limits()).empty());
  EXPECT_TRUE(options_of(sum_over(3, 5003, false), "height.k0", limits()).empty());
  for (const char* key : {"height.k0", "split.k0"}) {
    EXPECT_TRUE(options_of(gelu(101), key, limits()).empty()) << key;
    EXPECT_TRUE(options_of(max_pool({2, 3, 13, 21}, 3, 2, 1, false), key, limits()).empty()) << key;
  }
}

// Every combiner, with what is left over of parts, of rows of threads and of columns.
TEST(GpuReductions, PartsOfEveryCombinerUnite) {
  const std::vector<Program> programs = {sum_over(259, 13, true), sum_over(3, 5003, false), argmax(259, 37, false), argmax(3, 1013, true, true),
                                         batch_statistics(301, 11, 1), batch_statistics(67, 3, 13), max_and_exponentials(130, 9, true),
                                         max_and_exponentials(2, 777, false), any_below(271, 18, -1.98)};
  for (const Program& program : programs)
    for (const char* parts : {"4", "16"})
      for (const char* width : {"1", "4"}) {
        const Recipe recipe{{{"split.k0", parts}, {"vector.k0", width}}};
        const Generated g = made(program, recipe, limits());
        EXPECT_EQ(g.plan.steps.size(), 2u);
        SCOPED_TRACE(text(recipe) + "\n" + g.plan.source.substr(g.plan.source.find("// task:")));
        expect_right(program, g.lowered);
      }
}

// -- where rows are kept -----------------------------------------------------------------------------------------------------

// A tile that fills a block's shared memory leaves nothing for the unions of its warps: then nothing is kept.
TEST(GpuTiles, LeaveSharedMemoryToUnions) {
  const Program program = layer_norm(8, 12288, true, false);
  const auto with = [&](const std::string& threads, const char* edge) {
    Recipe recipe{{{"threads.k0", threads}}};
    if (edge != nullptr) recipe.decisions["edge.add"] = edge;
    return lower(program, recipe, limits());
  };
  ASSERT_TRUE(with("32", nullptr).ok()) << with("32", nullptr).error().text();
  EXPECT_EQ(tile_bytes(with("32", nullptr)->nests[0]), static_bytes);
  ASSERT_TRUE(with("64", nullptr).ok()) << with("64", nullptr).error().text();
  EXPECT_EQ(tile_bytes(with("64", nullptr)->nests[0]), 0);
  const auto insisted = with("64", "tile");
  ASSERT_FALSE(insisted.ok());
  EXPECT_EQ(insisted.error().code, base::ErrorCode::unsupported);
  EXPECT_NE(insisted.error().message.find("bytes of shared memory"), std::string::npos) << insisted.error().message;
}

TEST(GpuTiles, BeyondStaticSharedMemoryAreAskedForAtTheLaunch) {
  const Program program = layer_norm(2, 13000, true, false);
  const Generated g = made(program, {{{"threads.k0", "32"}}}, limits(1, hopper_bytes));
  ASSERT_EQ(g.plan.steps.size(), 1u);
  EXPECT_EQ(g.plan.steps[0].launch.shared_bytes, 13000 * 4);
  EXPECT_NE(g.plan.source.find("extern __shared__"), std::string::npos);
  expect_right(program, g.lowered);
  const Generated small = made(layer_norm(2, 12000, true, false), {{{"threads.k0", "32"}}}, limits(1, hopper_bytes));
  EXPECT_EQ(small.plan.steps[0].launch.shared_bytes, 0);
  EXPECT_EQ(tile_bytes(small.lowered.nests[0]), 12000 * 4);
}

TEST(GpuTiles, WithoutRoomRowsAreReadAgain) {
  constexpr std::int64_t little = 4 << 10;
  const Recipe few_threads{{{"threads.k0", "8"}}};
  const std::pair<Program, Recipe> cases[] = {{scale_softmax(3, 3001, 0.125), few_threads}, {layer_norm(3, 2503, true, false), few_threads},
                                              {channel_softmax(2, 67, 19), {}}};
  for (const auto& [program, recipe] : cases) {
    const auto lowered = lower(program, recipe, limits(1, little));
    ASSERT_TRUE(lowered.ok()) << lowered.error().text();
    for (const LoopNest& nest : lowered->nests) EXPECT_EQ(tile_bytes(nest), 0);
    EXPECT_NE(structural_hash(lowered->nests[0]), structural_hash(lower(program, recipe, limits(1, hopper_bytes))->nests[0]));
    expect_right(program, *lowered);
  }
  const Generated longest = made(scale_softmax(64, 1 << 20, 0.125), {}, limits(16));
  EXPECT_NE(longest.plan.source.find("max_sum"), std::string::npos);       // one pass for the maximum and the sum
  EXPECT_EQ(longest.traffic_bytes, std::int64_t{2} * 64 * (1 << 20) * 4);
}

// -- every size --------------------------------------------------------------------------------------------------------------

std::vector<std::int64_t> lengths() {
  std::vector<std::int64_t> all = {1, 2, 3, 5, 10'000'000, 9'999'991, 12289, 40960, 40961, 58112, 131073, 1'000'003};
  for (std::int64_t n = 4; n <= 10'000'000; n *= 2)
    for (const std::int64_t around : {-1, 0, 1}) all.push_back(n + around);
  return all;
}

void expect_legal(const std::string& what, const Program& program, const Limits& limits, bool verified) {
  SCOPED_TRACE(what + ", " + std::to_string(limits.shared_bytes) + " bytes of shared memory, " + std::to_string(limits.threads) + " multiprocessors");
  auto g = generate(program, {}, limits);
  ASSERT_TRUE(g.ok()) << g.error().text();
  for (std::size_t k = 0; k < g->lowered.nests.size(); ++k) {
    EXPECT_LE(tile_bytes(g->lowered.nests[k]), limits.shared_bytes);
    if (!verified) continue;
    const base::Status status = verify(g->lowered.nests[k]);
    EXPECT_TRUE(status.ok()) << (status.ok() ? "" : status.error().text());
  }
  const base::Status valid = plan::validate(g->plan);
  EXPECT_TRUE(valid.ok()) << (valid.ok() ? "" : valid.error().text());
}

TEST(GpuDefaults, AreLegalForEveryLength) {
  for (const std::int64_t bytes : {static_bytes, ampere_bytes, hopper_bytes})
    for (const int multiprocessors : {1, 132})
      for (const std::int64_t n : lengths()) {
        const Limits here = limits(multiprocessors, bytes);
        const bool small = n <= 1025;
        const std::string length = std::to_string(n);
        expect_legal("softmax of " + length, scale_softmax(300, n, 0.5), here, small);
        expect_legal("layer norm of " + length, layer_norm(300, n, true, false), here, small);
        expect_legal("sum of " + length, sum_over(3, n, false), here, small);
        expect_legal("sum of columns of " + length, sum_over(n, 40, true), here, small);
        expect_legal("arg-max of " + length, argmax(3, n, true), here, small);
        expect_legal("arg-max of columns of " + length, argmax(n, 40, false), here, small);
        if (n <= 100'000) expect_legal("softmax of columns of " + length, channel_softmax(2, n, 40), here, small);
      }
}

// -- text --------------------------------------------------------------------------------------------------------------------

// CUDA of a few shapes against tests/golden/*.cu.txt, the prelude left out; KW_UPDATE_GOLDEN=1 writes them.
TEST(Golden, EmittedCuda) {
  const char* source = std::getenv("KW_SOURCE_DIR");
  ASSERT_NE(source, nullptr) << "run through ctest, or set KW_SOURCE_DIR to the repository";
  const Sample shapes[] = {{"row_softmax", scale_softmax(4096, 1000, 0.125)},                 // rows of a warp each, a tail
                           {"flat_batch_norm", batch_norm_relu({64, 64, 56, 56}, true)},      // joined axes
                           {"row_layer_norm_bf16", layer_norm(16384, 4096, true, false, DType::bf16)},
                           {"column_sum", sum_over(16384, 4096, true)},                       // rows of threads, a split grid
                           {"column_statistics", batch_statistics(1000, 42, 1)},              // the same with rests
                           {"long_row_softmax", scale_softmax(4096, 32768, 0.125)}};          // a row in dynamic shared memory
  for (const Sample& shape : shapes) {
    const Generated g = made(shape.program, {}, limits(132, hopper_bytes));
    const std::string& all = g.plan.source;
    const std::string path = std::string(source) + "/tests/golden/" + shape.name + ".cu.txt", text = all.substr(all.find("// task:"));
    if (std::getenv("KW_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << text;
    std::ostringstream golden;
    golden << std::ifstream(path).rdbuf();
    EXPECT_EQ(text, golden.str()) << path;
  }
}

}  // namespace
}  // namespace kw::kernel::samples
