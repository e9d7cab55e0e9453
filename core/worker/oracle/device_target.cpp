#include "core/worker/build/cuda_builder.h"
#include "core/worker/cuda/gpu_lock.h"
#include "core/worker/oracle/device_candidate.h"
#include "core/worker/oracle/target.h"

namespace kw::oracle {
namespace {

constexpr double baseline_timeout_s = 30;
constexpr double longest_wait_s = 600;               // for another session's measurement

class DeviceTarget : public Target {
 public:
  DeviceTarget(std::shared_ptr<Gpu> gpu, timer::ExecutorThread& executor, std::unique_ptr<build::CudaBuilder> builder)
      : gpu_(std::move(gpu)), executor_(executor), builder_(std::move(builder)) {}

  const char* name() const override { return "cuda"; }
  std::string device() const override { return gpu_->facts().name; }
  const char* clock() const override { return "device_us"; }
  std::string compiler_version() const override { return builder_->compiler_version(); }
  base::Result<build::BuildResult> build(const plan::Plan& plan, const base::CancelToken& cancel) override { return builder_->build(plan, cancel); }
  base::Result<std::unique_ptr<LiveInputs>> make_inputs(const InputFacts& facts, const InputSet& captured) override {
    return DeviceInputs::make(gpu_, facts, captured);
  }
  base::Result<Candidate::Made> make_candidate(const PreparedTask& task, const plan::Plan& plan, const std::string& object, double call_timeout_s) override {
    return DeviceCandidate::make(gpu_, task, plan, object, call_timeout_s);
  }
  std::unique_ptr<timer::Side> baseline_side(const PreparedTask& task) override {
    Baseline* baseline = task.baseline.get();
    const auto ready = [this, baseline] {
      baseline->forget();
      (void)gpu_->flush_cache();
    };
    return std::make_unique<GpuSide>(*gpu_, executor_, [baseline] { return baseline->run(); }, ready, baseline_timeout_s);
  }
  bool on_cuda() const override { return true; }
  base::Result<std::shared_ptr<void>> hold_device(const base::CancelToken& cancel) override {
    auto lock = cuda::GpuLock::take(gpu_->facts().uuid, longest_wait_s, cancel);
    if (!lock) return lock.error();
    return std::shared_ptr<void>(std::make_shared<cuda::GpuLock>(std::move(lock).value()));
  }
  base::Result<Run> load(const plan::Plan& plan, const std::string& object) override {
    auto loaded = runtime::CudaPlan::load(gpu_->context(), object, plan);
    if (!loaded) return loaded.error();
    return Run([gpu = gpu_, shared = std::make_shared<runtime::CudaPlan>(std::move(loaded).value())](const std::vector<void*>& addresses) {
      std::vector<cuda::CUdeviceptr> on_device;
      for (void* address : addresses) on_device.push_back(reinterpret_cast<cuda::CUdeviceptr>(address));
      return shared->launch(gpu->stream(), on_device);
    });
  }
  bool lost() const override { return gpu_->lost(); }

 private:
  std::shared_ptr<Gpu> gpu_;
  timer::ExecutorThread& executor_;
  std::unique_ptr<build::CudaBuilder> builder_;
};

}  // namespace

base::Result<std::unique_ptr<Target>> device_target(const EvaluatorOptions& options, timer::ExecutorThread& executor, std::shared_ptr<Gpu> gpu) {
  build::CudaBuilderOptions building;
  building.folder = options.cache;
  building.arch = gpu->facts().arch();
  building.parallel = options.parallel_builds;
  auto builder = build::CudaBuilder::create(building);
  if (!builder) return builder.error();
  return std::unique_ptr<Target>(std::make_unique<DeviceTarget>(std::move(gpu), executor, std::move(builder).value()));
}

}  // namespace kw::oracle
