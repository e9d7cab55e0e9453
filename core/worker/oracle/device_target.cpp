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
  DeviceTarget(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, timer::ExecutorThread& executor,
               std::unique_ptr<build::CudaBuilder> builder)
      : gpu_(std::move(gpu)), judge_(std::move(judge)), executor_(executor), builder_(std::move(builder)) {}

  const char* name() const override { return "cuda"; }
  std::string device() const override { return gpu_->facts().name; }
  const char* clock() const override { return "device_us"; }
  std::string compiler_version() const override { return builder_->compiler_version(); }
  base::Result<build::BuildResult> build(const plan::Plan& plan, const base::CancelToken& cancel) override { return builder_->build(plan, cancel); }
  base::Result<std::unique_ptr<LiveInputs>> make_inputs(const InputFacts& facts, const InputSet& captured) override {
    return DeviceInputs::make(gpu_, judge_, facts, captured);
  }
  base::Result<Candidate::Made> make_candidate(const PreparedTask& task, const plan::Plan& plan, const std::string& object, double call_timeout_s) override {
    return DeviceCandidate::make(gpu_, judge_, task, plan, object, call_timeout_s);
  }
  // TF32 changes matmuls and convolutions alone, and those are borders of tasks: the whole model is what it is timed with.
  std::vector<NamedSide> baselines(const PreparedTask& task) override {
    Baseline* baseline = task.baseline.get();
    const auto run = [baseline] { return baseline->run(); };
    const auto flush = [this] { (void)gpu_->flush_cache(); };
    const auto ready = [baseline, flush] {
      baseline->forget();
      flush();
    };
    std::vector<NamedSide> sides;
    sides.push_back({"eager", std::make_unique<GpuSide>(*gpu_, executor_, run, ready, baseline_timeout_s)});
    auto graph = gpu_->graph(run);
    baseline->forget();
    if (!graph) return sides;              // an operator that waits for the GPU cannot be captured: its users have no graph either
    const auto replay = [gpu = gpu_, kept = std::make_shared<Gpu::Graph>(std::move(graph).value())] { return kept->launches.launch(gpu->stream()); };
    sides.push_back({"eager in a CUDA graph", std::make_unique<GpuSide>(*gpu_, executor_, replay, flush, baseline_timeout_s)});
    return sides;
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
  std::shared_ptr<const DeviceJudge> judge_;
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
  base::Result<std::shared_ptr<const DeviceJudge>> judge = base::Error{};
  executor.run([&] { judge = DeviceJudge::make(gpu); });
  if (!judge) return judge.error();
  return std::unique_ptr<Target>(std::make_unique<DeviceTarget>(std::move(gpu), std::move(judge).value(), executor, std::move(builder).value()));
}

}  // namespace kw::oracle
