#include "core/worker/runtime/cuda_plan.h"

#include <algorithm>

namespace kw::runtime {
namespace {

constexpr std::size_t max_arguments = 64;

base::Error unusable(std::string message) { return {base::ErrorCode::unsupported, std::move(message), ""}; }

}  // namespace

// The driver reads as many arguments as the kernel has parameters, so their number is settled here.
base::Result<cuda::Function> CudaPlan::resolve(const cuda::Module& module, const plan::Step& step, std::size_t buffers) {
  if (step.buffers.size() > max_arguments) return unusable("Step '" + step.name + "' takes more than 64 buffers.");
  for (int buffer : step.buffers)
    if (buffer < 0 || static_cast<std::size_t>(buffer) >= buffers)
      return unusable("Step '" + step.name + "' names a buffer that the plan does not have.");
  auto function = module.function(step.name);
  if (!function) return function.error();
  const cuda::FunctionFacts& facts = function->facts();
  const std::vector<std::size_t> pointers(step.buffers.size(), sizeof(cuda::CUdeviceptr));
  if (facts.parameters_known && facts.parameter_bytes != pointers)
    return unusable("Kernel '" + step.name + "' must take " + std::to_string(step.buffers.size()) + " pointers, one for each buffer of its step.");
  const std::int64_t threads = std::int64_t{step.launch.block[0]} * step.launch.block[1] * step.launch.block[2];
  if (threads > facts.max_threads)
    return unusable("A block of '" + step.name + "' has " + std::to_string(threads) + " threads; with its " + std::to_string(facts.registers) +
                    " registers this GPU runs " + std::to_string(facts.max_threads) + ".");
  if (step.launch.shared_bytes > 0)
    if (auto allowed = function->allow_shared(step.launch.shared_bytes); !allowed) return allowed.error();
  return function;
}

base::Result<CudaPlan> CudaPlan::load(const cuda::Context& context, const std::string& cubin, const plan::Plan& plan) {
  auto module = cuda::Module::load(context, cubin);
  if (!module) return module.error();
  CudaPlan loaded;
  loaded.buffer_count_ = plan.buffers.size();
  for (const plan::Step& step : plan.steps) {
    if (step.kind != plan::StepKind::kernel) return unusable("Step '" + step.name + "' is not a kernel; only kernel steps can be run here.");
    auto function = resolve(*module, step, plan.buffers.size());
    if (!function) return function.error();
    loaded.steps_.push_back({std::move(function).value(), step.launch, step.buffers, step.name});
  }
  return loaded;
}

base::Status CudaPlan::launch(const cuda::Stream& stream, const std::vector<cuda::CUdeviceptr>& buffers, int without) const {
  if (buffers.size() != buffer_count_)
    return base::Error{base::ErrorCode::internal,
                       "A plan of " + std::to_string(buffer_count_) + " buffers was given " + std::to_string(buffers.size()) + ".", ""};
  for (std::size_t s = 0; s < steps_.size(); ++s) {
    if (static_cast<int>(s) == without) continue;
    const Step& step = steps_[s];
    std::array<cuda::CUdeviceptr, max_arguments> values;
    std::array<void*, max_arguments> arguments;
    for (std::size_t i = 0; i < step.buffers.size(); ++i) {
      values[i] = buffers[static_cast<std::size_t>(step.buffers[i])];
      arguments[i] = &values[i];
    }
    const plan::Launch& how = step.launch;
    if (auto status = step.function.launch(how.grid, how.block, how.shared_bytes, stream, arguments.data()); !status) return status;
  }
  return base::done();
}

std::vector<StepResources> CudaPlan::resources() const {
  std::vector<StepResources> all;
  for (const Step& step : steps_) {
    const cuda::FunctionFacts& facts = step.function.facts();
    const int shared_bytes = facts.static_shared_bytes + step.launch.shared_bytes;
    all.push_back({step.name, facts.registers, facts.local_bytes, shared_bytes, step.launch.grid, step.launch.block});
  }
  return all;
}

}  // namespace kw::runtime
