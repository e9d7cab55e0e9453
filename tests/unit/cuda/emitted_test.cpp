// What the generator emits for CUDA: the builder takes it for every architecture that is served, and on a GPU it computes what the naive
// evaluation says.

#include <algorithm>
#include <random>

#include "core/kernel/emit/cuda.h"
#include "core/worker/build/cuda_builder.h"
#include "core/worker/cuda/memory.h"
#include "execute.h"
#include "gpu.h"

namespace kw::cuda {
namespace {

namespace samples = kernel::samples;
using samples::Sample;

constexpr double tolerance = 2e-5, half_tolerance = 2e-2;

kernel::Limits limits(int multiprocessors = 2, std::int64_t shared_bytes = 48 << 10) {
  kernel::Limits l;
  l.target = "cuda";
  l.threads = multiprocessors;
  l.shared_bytes = shared_bytes;
  return l;
}

// A row in dynamic shared memory, which the threads of a warp share.
base::Result<kernel::Generated> large_tile(std::int64_t shared_bytes) {
  return kernel::generate(samples::layer_norm(3, 13000, true, false), {{{"threads.k0", "32"}}}, limits(1, shared_bytes));
}

std::vector<std::string> flags() { return {std::begin(kernel::cuda_compile_flags), std::end(kernel::cuda_compile_flags)}; }

// The default recipe and so many of its mutations.
std::vector<kernel::Generated> plans_of(const Sample& sample, std::size_t mutations, std::mt19937& random) {
  std::vector<kernel::Recipe> recipes = {kernel::default_recipe(sample.program, limits())};
  auto options = kernel::mutations(sample.program, recipes[0], limits());
  std::shuffle(options.begin(), options.end(), random);
  for (std::size_t k = 0; k < std::min(mutations, options.size()); ++k) recipes.push_back(options[k].result);
  std::vector<kernel::Generated> plans;
  for (const kernel::Recipe& recipe : recipes) {
    auto plan = kernel::generate(sample.program, recipe, limits());
    EXPECT_TRUE(plan.ok()) << sample.name << " " << kernel::text(recipe) << ": " << (plan.ok() ? "" : plan.error().text());
    if (plan) plans.push_back(std::move(*plan));
  }
  return plans;
}

constexpr const char* architectures[] = {"sm_90", "sm_80", "sm_100"};

void expect_built(const kernel::Generated& generated, const char* architecture) {
  auto builder = build::CudaBuilder::create({testing::TempDir() + "kw-emitted", architecture, 2, 60, nvrtc_folders()});
  ASSERT_TRUE(builder.ok()) << builder.error().text();
  const auto built = (*builder)->build(generated.plan, {});
  ASSERT_TRUE(built.ok()) << built.error().text();
  EXPECT_FALSE(built->object.empty()) << built->evidence.summary << "\n" << built->evidence.detail << generated.plan.source;
}

class Emitted : public testing::TestWithParam<std::size_t> {
 protected:
  const Sample sample = samples::small_samples()[GetParam()];
};

TEST_P(Emitted, BuildsForEveryArchitecture) {
  std::mt19937 random(static_cast<unsigned>(GetParam()));
  const auto plans = plans_of(sample, 2, random);
  for (std::size_t k = 0; k < plans.size(); ++k) expect_built(plans[k], architectures[k % 3]);
}

INSTANTIATE_TEST_SUITE_P(Samples, Emitted, testing::Range<std::size_t>(0, samples::small_samples().size()),
                         [](const auto& one) { return samples::small_samples()[one.param].name; });

TEST(EmittedReductions, BuildForEveryArchitecture) {
  const kernel::Program programs[] = {samples::sum_over(331, 515, true), samples::argmax(259, 37, false), samples::batch_statistics(301, 11, 1),
                                      samples::max_and_exponentials(130, 9, true), samples::max_and_exponentials(2, 777, false),
                                      samples::any_below(271, 18, -1.98)};
  for (const kernel::Program& program : programs)
    for (const char* width : {"1", "4"}) {
      const auto split = kernel::generate(program, {{{"split.k0", "4"}, {"vector.k0", width}}}, limits());
      ASSERT_TRUE(split.ok()) << split.error().text();
      for (const char* architecture : architectures) expect_built(*split, architecture);
    }
}

TEST(EmittedTiles, BeyondStaticSharedMemoryBuildForEveryArchitecture) {
  for (const char* architecture : architectures) {
    const auto generated = large_tile(99 << 10);
    ASSERT_TRUE(generated.ok()) << generated.error().text();
    EXPECT_GT(generated->plan.steps[0].launch.shared_bytes, kernel::static_shared_bytes);
    expect_built(*generated, architecture);
  }
}

class EmittedOnGpu : public GpuTest {
 protected:
  // Runs the plan on inputs given as one double an element; the logical elements of each output.
  std::vector<std::vector<double>> run(const kernel::Generated& generated, const std::string& cubin,
                                       const std::vector<std::vector<double>>& inputs) {
    std::vector<DeviceMemory> memory;
    std::size_t next = 0;
    for (const plan::Buffer& buffer : generated.plan.buffers) {
      const std::size_t bytes = static_cast<std::size_t>(buffer.type.span()) * static_cast<std::size_t>(graph::byte_size(buffer.type.dtype));
      memory.push_back(std::move(DeviceMemory::allocate(*context_, std::max<std::size_t>(bytes, 1))).value());
      std::vector<unsigned char> start(bytes, 0x7F);
      if (buffer.role == plan::BufferRole::input) start = samples::encode(buffer.type.dtype, inputs[next++]);
      EXPECT_TRUE(copy_to_device(*stream_, memory.back().get(), start.data(), bytes).ok());
      EXPECT_TRUE(stream_->synchronize().ok());
    }
    auto module = Module::from_image(*context_, cubin);
    EXPECT_TRUE(module.ok()) << (module.ok() ? "" : module.error().text());
    if (!module) return {};
    for (const plan::Step& step : generated.plan.steps) {
      auto function = module->function(step.name);
      EXPECT_TRUE(function.ok());
      if (!function) return {};
      std::vector<CUdeviceptr> pointers;
      for (const int b : step.buffers) pointers.push_back(memory[static_cast<std::size_t>(b)].get());
      std::vector<void*> arguments;
      for (CUdeviceptr& pointer : pointers) arguments.push_back(&pointer);
      if (step.launch.shared_bytes > 0) {
        EXPECT_TRUE(function->allow_shared(step.launch.shared_bytes).ok());
      }
      const auto launched = function->launch(step.launch.grid, step.launch.block, step.launch.shared_bytes, *stream_, arguments.data());
      EXPECT_TRUE(launched.ok()) << (launched.ok() ? "" : launched.error().text());
    }
    const auto ended = stream_->synchronize();
    EXPECT_TRUE(ended.ok()) << (ended.ok() ? "" : ended.error().text());
    std::vector<std::vector<double>> outputs;
    for (std::size_t b = 0; b < memory.size() && ended.ok(); ++b) {
      const plan::Buffer& buffer = generated.plan.buffers[b];
      if (buffer.role != plan::BufferRole::output) continue;
      std::vector<unsigned char> bytes(static_cast<std::size_t>(buffer.type.span()) * static_cast<std::size_t>(graph::byte_size(buffer.type.dtype)));
      EXPECT_TRUE(copy_to_host(*stream_, bytes.data(), memory[b].get(), bytes.size()).ok());
      EXPECT_TRUE(stream_->synchronize().ok());
      outputs.push_back(samples::logical(buffer.type, samples::decode(buffer.type.dtype, bytes)));
    }
    return outputs;
  }

  static double allowed(const kernel::Program& program) {
    for (const auto& type : program.output_types)
      if (type.dtype == graph::DType::bf16 || type.dtype == graph::DType::f16) return half_tolerance;
    return tolerance;
  }

  void expect_right(const Sample& sample, const std::vector<kernel::Generated>& plans) {
    auto nvrtc = Nvrtc::open(nvrtc_folders());
    ASSERT_TRUE(nvrtc.ok()) << nvrtc.error().text();
    const auto inputs = samples::draw_inputs(sample.program, 31);
    const auto truth = samples::evaluate(sample.program, inputs);
    for (const kernel::Generated& generated : plans) {
      const auto compiled = (*nvrtc)->compile(generated.plan.source, "kernel.cu", facts(0)->arch(), flags());
      ASSERT_TRUE(compiled.ok() && compiled->ok) << sample.name << generated.plan.source;
      const auto got = run(generated, compiled->cubin, inputs);
      ASSERT_EQ(got.size(), truth.size()) << sample.name;
      for (std::size_t k = 0; k < truth.size(); ++k)
        EXPECT_LE(samples::relative_error(got[k], truth[k]), allowed(sample.program)) << sample.name << " output " << k << "\n" << generated.plan.source;
    }
  }
};

TEST_F(EmittedOnGpu, ComputesWhatTheNaiveEvaluationSays) {
  std::mt19937 random(5);
  for (const Sample& sample : samples::small_samples()) expect_right(sample, plans_of(sample, 1000, random));
}

// As large as it takes for the grid to be split, for rows in shared memory, and for rows that are kept nowhere.
TEST_F(EmittedOnGpu, ComputesLargerShapesByTheirDefaults) {
  const Sample shapes[] = {{"columns", samples::sum_over(8192, 260, true)},
                           {"half columns", samples::sum_over(8192, 260, true, graph::DType::bf16)},
                           {"statistics", samples::batch_statistics(4001, 301, 1)},
                           {"planes", samples::batch_statistics(61, 24, 789)},
                           {"exponentials", samples::max_and_exponentials(8192, 131, true)},
                           {"any", samples::any_below(65536, 17, -1.99)},
                           {"arg-max of rows", samples::argmax(3, 400'003, true)},
                           {"arg-min of columns", samples::argmax(20'000, 53, false, true)},
                           {"sum", samples::sum_all(3'000'017)},
                           {"softmax of few rows", samples::scale_softmax(3, 350'000, 0.125)},
                           {"softmax of long rows", samples::scale_softmax(290, 32768, 0.125)},
                           {"softmax of longer rows", samples::scale_softmax(290, 70'000, 0.125)},
                           {"layer norm of long rows", samples::layer_norm(290, 50'000, true, false)},
                           {"softmax of columns", samples::channel_softmax(3, 1000, 49)}};
  const kernel::Limits here = limits(facts(0)->multiprocessors, facts(0)->shared_per_block);
  for (const Sample& shape : shapes) {
    auto generated = kernel::generate(shape.program, {}, here);
    ASSERT_TRUE(generated.ok()) << shape.name << ": " << generated.error().text();
    expect_right(shape, {*generated});
  }
}

TEST_F(EmittedOnGpu, KeepsARowInDynamicSharedMemory) {
  auto generated = large_tile(facts(0)->shared_per_block);
  ASSERT_TRUE(generated.ok()) << generated.error().text();
  expect_right({"large tile", samples::layer_norm(3, 13000, true, false)}, {*generated});
}

}  // namespace
}  // namespace kw::cuda
