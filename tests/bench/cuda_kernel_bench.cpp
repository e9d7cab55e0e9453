// Generated kernels on a GPU beside a copy of the same bytes, as a table. Documented command: KW_BIN_DIR/cuda_kernel_bench [steps]
//
// Each row: the default recipe, and the best that so many steps of hill climbing over the mutations find. Device time by events, the
// L2 cache flushed before every launch, copy and kernel in alternating rounds of random order, medians. Results are compared with
// the naive evaluation on small sizes by emitted_test; here the outputs of a recipe are held against the default's.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "core/base/statistics.h"
#include "core/kernel/emit/cuda.h"
#include "core/worker/cuda/context.h"
#include "core/worker/cuda/facts.h"
#include "core/worker/cuda/memory.h"
#include "core/worker/cuda/module.h"
#include "core/worker/cuda/nvrtc.h"
#include "samples.h"
#include "tests/bench/need.h"

namespace {

using namespace kw;
using bench::need;
using kernel::DType;
namespace samples = kernel::samples;

struct Case { std::string name; kernel::Program program; };

std::vector<Case> cases() {
  return {{"softmax 4096x4096 f32", samples::scale_softmax(4096, 4096, 1.0)},
          {"softmax 4096x4096 bf16", samples::scale_softmax(4096, 4096, 1.0, DType::bf16)},
          {"softmax 1024x32768 f32", samples::scale_softmax(1024, 32768, 1.0)},
          {"softmax 512x131072 f32", samples::scale_softmax(512, 131072, 1.0)},
          {"layer_norm 4096x4096 f32", samples::layer_norm(4096, 4096, false, false)},
          {"layer_norm 4096x4096 bf16", samples::layer_norm(4096, 4096, false, false, DType::bf16)},
          {"add + layer_norm 16384x4096 bf16", samples::layer_norm(16384, 4096, true, false, DType::bf16)},
          {"gelu 16384x4096 bf16", samples::gelu(16384 * 4096, DType::bf16)},
          {"bias + gelu 16384x4096 bf16", samples::bias_gelu(16384, 4096, DType::bf16)},
          {"batch_norm + add + relu 64x64x56x56 f32", samples::batch_norm_relu({64, 64, 56, 56}, true)},
          {"max_pool 64x64x112x112 f32", samples::max_pool({64, 64, 112, 112}, 3, 2, 1, false)},
          {"softmax 65536x256 f32", samples::scale_softmax(65536, 256, 0.125)},
          {"channel softmax 64x64x3136 f32", samples::channel_softmax(64, 64, 3136)},
          {"transpose 8x256x8x64 f32", samples::permute({64, 256, 8, 64}, {0, 2, 1, 3})},
          {"sum rows 16384x4096 f32", samples::sum_over(16384, 4096, false)},
          {"sum columns 16384x4096 f32", samples::sum_over(16384, 4096, true)},
          {"sum columns 16384x4096 bf16", samples::sum_over(16384, 4096, true, DType::bf16)},
          {"sum columns 4194304x16 f32", samples::sum_over(4194304, 16, true)},
          {"sum rows 8x10000000 f32", samples::sum_over(8, 10'000'000, false)},
          {"sum everything 16384x4096 f32", samples::sum_all(16384 * 4096)},
          {"batch statistics 64x64x56x56 f32", samples::batch_statistics(64, 64, 56 * 56)},
          {"batch statistics 16384x4096 f32", samples::batch_statistics(16384, 4096, 1)}};
}

struct Loaded {
  kernel::Generated generated;
  std::vector<cuda::Function> functions;
  std::vector<cuda::DeviceMemory> workspaces;        // of its plan, in order
};

class Bench {
 public:
  explicit Bench(const std::string& nvrtc_folder)
      : context_(need(cuda::Context::retain(0))), facts_(need(cuda::facts(0))), stream_(need(cuda::Stream::create(context_))),
        nvrtc_(need(cuda::Nvrtc::open({nvrtc_folder}))), flush_(need(cuda::DeviceMemory::allocate(context_, static_cast<std::size_t>(facts_.l2_bytes) * 4))),
        start_(need(cuda::Event::create(context_, true))), end_(need(cuda::Event::create(context_, true))) {
    limits_.target = "cuda";
    limits_.threads = facts_.multiprocessors;
    limits_.shared_bytes = facts_.shared_per_block;
  }

  void run(const Case& one, int steps) {
    kernel::Recipe recipe;
    auto made = load(one.program, recipe);
    if (!made) {
      std::printf("%-40s %s\n", one.name.c_str(), made.error().text().c_str());
      return;
    }
    const Loaded usual = std::move(*made);
    prepare(usual.generated.plan, usual.generated.traffic_bytes);
    const Figures first = measure(usual);
    print(one.name, "default", usual, first);
    Figures best = first;
    kernel::Recipe best_recipe = recipe;
    for (int step = 0; step < steps; ++step) {
      bool better = false;
      for (const kernel::Mutation& m : kernel::mutations(one.program, best_recipe, limits_)) {
        auto candidate = load(one.program, m.result);
        if (!candidate) continue;
        const Figures figures = measure(*candidate);
        ++tried_;
        if (figures.share <= best.share * 1.01) continue;
        best = figures;
        recipe = m.result;
        better = true;
      }
      if (!better) break;
      best_recipe = recipe;
    }
    if (best_recipe.decisions.empty()) return;
    const Loaded found = need(load(one.program, best_recipe));
    print("", kernel::text(best_recipe).substr(12), found, measure(found));
  }

  const cuda::DeviceFacts& facts() const { return facts_; }
  int tried() const { return tried_; }

 private:
  struct Figures { double us = 0, copy_us = 0, share = 0; };

  base::Result<Loaded> load(const kernel::Program& program, const kernel::Recipe& recipe) {
    auto generated = kernel::generate(program, recipe, limits_);
    if (!generated) return generated.error();
    const std::vector<std::string> flags(std::begin(kernel::cuda_compile_flags), std::end(kernel::cuda_compile_flags));
    auto compiled = nvrtc_->compile(generated->plan.source, "kernel.cu", facts_.arch(), flags);
    if (!compiled) return compiled.error();
    if (!compiled->ok) return base::Error{base::ErrorCode::internal, compiled->log, "nvrtc"};
    const cuda::Module module = need(cuda::Module::from_image(context_, compiled->cubin));
    Loaded loaded{std::move(*generated), {}, {}};
    for (const plan::Step& step : loaded.generated.plan.steps) {
      loaded.functions.push_back(need(module.function(step.name)));
      if (step.launch.shared_bytes > 0) need(loaded.functions.back().allow_shared(step.launch.shared_bytes));
    }
    for (const plan::Buffer& buffer : loaded.generated.plan.buffers)
      if (buffer.role == plan::BufferRole::workspace) loaded.workspaces.push_back(need(cuda::DeviceMemory::allocate(context_, bytes_of(buffer))));
    return loaded;
  }

  static std::size_t bytes_of(const plan::Buffer& buffer) {
    return static_cast<std::size_t>(buffer.type.span()) * static_cast<std::size_t>(graph::byte_size(buffer.type.dtype));
  }

  void prepare(const plan::Plan& plan, std::int64_t traffic) {
    memory_.clear();
    copy_.clear();
    std::mt19937 random(3);
    for (const plan::Buffer& buffer : plan.buffers) {
      if (buffer.role == plan::BufferRole::workspace) continue;
      const std::size_t bytes = bytes_of(buffer);
      memory_.push_back(need(cuda::DeviceMemory::allocate(context_, bytes)));
      std::vector<std::uint16_t> values(bytes / 2);
      for (auto& v : values) v = static_cast<std::uint16_t>(0x3c00 + random() % 0x400);   // as f32 and as bf16: small positive numbers
      need(cuda::copy_to_device(stream_, memory_.back().get(), values.data(), bytes));
      need(stream_.synchronize());
    }
    for (int k = 0; k < 2; ++k) copy_.push_back(need(cuda::DeviceMemory::allocate(context_, static_cast<std::size_t>(traffic / 2))));
  }

  void launch(const Loaded& loaded) {
    for (std::size_t k = 0; k < loaded.functions.size(); ++k) {
      const plan::Step& step = loaded.generated.plan.steps[k];
      std::vector<cuda::CUdeviceptr> pointers;
      for (const int b : step.buffers) {
        const auto at = static_cast<std::size_t>(b);
        pointers.push_back((at < memory_.size() ? memory_[at] : loaded.workspaces[at - memory_.size()]).get());
      }
      std::vector<void*> arguments;
      for (auto& pointer : pointers) arguments.push_back(&pointer);
      need(loaded.functions[k].launch(step.launch.grid, step.launch.block, step.launch.shared_bytes, stream_, arguments.data()));
    }
  }

  double timed_us(const std::function<void()>& work) {
    need(cuda::fill(stream_, flush_.get(), flush_.bytes(), 0, 4));
    need(stream_.record(start_));
    work();
    need(stream_.record(end_));
    need(stream_.synchronize());
    return need(end_.elapsed_us(start_));
  }

  Figures measure(const Loaded& loaded) {
    std::vector<double> mine, copies;
    const std::size_t bytes = copy_[0].bytes();
    const auto copy = [&] { need(cuda::copy_on_device(stream_, copy_[1].get(), copy_[0].get(), bytes)); };
    for (int round = 0; round < 24; ++round) {
      const bool first = (random_() & 1) != 0;
      if (first) copies.push_back(timed_us(copy));
      mine.push_back(timed_us([&] { launch(loaded); }));
      if (!first) copies.push_back(timed_us(copy));
    }
    Figures figures{base::median(mine), base::median(copies), 0};
    figures.share = figures.copy_us / figures.us;
    return figures;
  }

  static void print(const std::string& name, const std::string& recipe, const Loaded& loaded, const Figures& f) {
    int registers = 0, spilled = 0;
    for (const cuda::Function& function : loaded.functions) {
      registers = std::max(registers, function.facts().registers);
      spilled = std::max(spilled, function.facts().local_bytes);
    }
    std::printf("%-40s %9.1f %9.1f %6.2f %5d %6d %2zu  %s\n", name.c_str(), f.us, f.copy_us, f.share, registers, spilled, loaded.functions.size(), recipe.c_str());
    std::fflush(stdout);
  }

  cuda::Context context_;
  cuda::DeviceFacts facts_;
  cuda::Stream stream_;
  std::shared_ptr<const cuda::Nvrtc> nvrtc_;
  cuda::DeviceMemory flush_;
  cuda::Event start_, end_;
  kernel::Limits limits_;
  std::vector<cuda::DeviceMemory> memory_, copy_;
  std::mt19937 random_{7};
  int tried_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const char* folder = std::getenv("KW_NVRTC");
  Bench bench(folder == nullptr ? "" : folder);
  std::printf("%s\n%-40s %9s %9s %6s %5s %6s %2s  %s\n", bench.facts().name.c_str(), "task", "us", "copy us", "share", "regs", "local", "k", "recipe");
  for (const Case& one : cases()) bench.run(one, argc > 1 ? std::atoi(argv[1]) : 1);
  std::printf("%d recipes tried\n", bench.tried());
}
