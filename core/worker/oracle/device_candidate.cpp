#include "core/worker/oracle/device_candidate.h"

#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using protocol::Verdict;

}  // namespace

DeviceCandidate::DeviceCandidate(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, const PreparedTask& task, const plan::Plan& plan,
                                 double call_timeout_s)
    : Candidate(task, plan, call_timeout_s), gpu_(std::move(gpu)), judge_(std::move(judge)), host_outputs_(output_types_.size()) {
  side_ = std::make_unique<GpuSide>(
      *gpu_, *task.executor,
      [this] {
        const base::Status status = launch(-1);
        if (!status) side_error_ = status.error();
        return status;
      },
      [this] { (void)gpu_->flush_cache(); }, call_timeout_s);
}

// The GPU's memory belongs to the thread with the context. Freeing it waits for what runs: for ever, behind an endless kernel.
DeviceCandidate::~DeviceCandidate() {
  if (gpu_->lost()) {
    struct Abandoned { std::optional<runtime::CudaPlan> loaded; std::optional<runtime::DeviceArena> outputs, workspace; };
    [[maybe_unused]] const auto* left_to_the_end_of_the_process = new Abandoned{std::move(loaded_), std::move(outputs_), std::move(workspace_)};
    return;
  }
  on_executor([this] {
    loaded_.reset();
    outputs_.reset();
    workspace_.reset();
  });
}

base::Result<Candidate::Made> DeviceCandidate::make(std::shared_ptr<Gpu> gpu, std::shared_ptr<const DeviceJudge> judge, const PreparedTask& task,
                                                    const plan::Plan& plan, std::string cubin, double call_timeout_s) {
  if (auto wrong = misfit(task, plan)) return Made{nullptr, std::move(wrong)};
  std::unique_ptr<DeviceCandidate> candidate(new DeviceCandidate(std::move(gpu), std::move(judge), task, plan, call_timeout_s));
  candidate->cubin_ = std::move(cubin);
  base::Status status = base::done();
  candidate->on_executor([&] {
    auto outputs = runtime::DeviceArena::create(candidate->gpu_->context(), "outputs", candidate->output_bytes());
    auto workspace = runtime::DeviceArena::create(candidate->gpu_->context(), "workspace", candidate->workspace_bytes());
    if (!outputs || !workspace) {
      status = (!outputs ? outputs : workspace).error();
      return;
    }
    candidate->outputs_ = std::move(outputs).value();
    candidate->workspace_ = std::move(workspace).value();
  });
  if (!status) {
    if (status.error().code != base::ErrorCode::busy) return status.error();
    return Made{nullptr, rejection(Verdict::out_of_memory, "The GPU has no room for the plan's outputs and workspace.")};
  }
  const runtime::DeviceArena* arenas[] = {&candidate->inputs().arena(), &*candidate->outputs_, &*candidate->workspace_};
  for (const runtime::DeviceArena* arena : arenas)
    for (const cuda::CUdeviceptr address : arena->addresses()) candidate->addresses_.push_back(address);
  return Made{std::move(candidate), std::nullopt};
}

Rejection DeviceCandidate::explain(const base::Error& error) const {
  if (error.code == base::ErrorCode::unsupported) return rejection(Verdict::launch_error, error.message);
  if (error.code == base::ErrorCode::busy) return rejection(Verdict::out_of_memory, error.message);
  return rejection(Verdict::crash, "A kernel failed: " + error.message);
}

base::Result<std::optional<Rejection>> DeviceCandidate::start() {
  base::Status status = base::done();
  on_executor([&] {
    loaded_.reset();
    auto loaded = runtime::CudaPlan::load(gpu_->context(), cubin_, plan_);
    if (loaded) loaded_ = std::move(loaded).value();
    else status = loaded.error();
  });
  if (status) return std::optional<Rejection>();
  if (status.error().code == base::ErrorCode::unsupported || status.error().code == base::ErrorCode::busy) return std::optional(explain(status.error()));
  return status.error();
}

// What the host holds of an earlier call must never be judged for this one.
base::Status DeviceCandidate::launch(int without_step) const {
  for (auto& output : host_outputs_) output.reset();
  if (!inputs().status()) return inputs().status();
  return loaded_->launch(gpu_->stream(), addresses_, without_step);
}

base::Status DeviceCandidate::poison(const runtime::DeviceArena& arena, const std::vector<graph::TensorType>& types, Poison poison) const {
  for (std::size_t i = 0; i < types.size(); ++i)
    if (auto status = arena.fill(gpu_->stream(), i, poison_pattern(types[i].dtype, poison), static_cast<int>(graph::byte_size(types[i].dtype))); !status)
      return status;
  return base::done();
}

void DeviceCandidate::poison_workspace(Poison pattern) {
  on_executor([&] { (void)poison(*workspace_, workspace_types_, pattern); });   // a failure shows at the call that follows
}

// The inputs' bands as well: the last candidate on them may have left its trace there.
base::Status DeviceCandidate::queue_run(Poison pattern, int without_step) const {
  const runtime::DeviceArena* arenas[] = {&inputs().arena(), &*outputs_, &*workspace_};
  for (const runtime::DeviceArena* arena : arenas)
    if (auto status = arena->paint_bands(gpu_->stream()); !status) return status;
  if (auto status = poison(*outputs_, output_types_, pattern); !status) return status;
  if (auto status = poison(*workspace_, workspace_types_, pattern); !status) return status;
  return launch(without_step);
}

std::optional<Rejection> DeviceCandidate::run(Poison pattern, int without_step) {
  base::Result<bool> ended = true;
  on_executor([&] {
    if (const base::Status status = queue_run(pattern, without_step); !status) ended = status.error();
    else ended = gpu_->finish(call_timeout_s_);
  });
  if (!ended) return explain(ended.error());
  if (!*ended) {
    char seconds[32];
    std::snprintf(seconds, sizeof seconds, "%.2f", call_timeout_s_);
    return rejection(Verdict::timeout, std::string("One call ran longer than ") + seconds + " s; the worker that it holds is ended.");
  }
  return check_bands();
}

// A copy that fails means that the GPU is lost, which the evaluator looks at before it answers.
const std::byte* DeviceCandidate::output(std::size_t k) const {
  if (host_outputs_[k]) return host_outputs_[k]->data();
  host_outputs_[k].emplace(outputs_->bytes(k));
  on_executor([&] {
    (void)outputs_->download(gpu_->stream(), k, host_outputs_[k]->data());
    (void)gpu_->finish(call_timeout_s_);
  });
  return host_outputs_[k]->data();
}

Comparison DeviceCandidate::compare_with(const JudgedSet& set, std::size_t k) const {
  base::Result<std::optional<Comparison>> passed = std::optional<Comparison>();
  if (set.on_device) on_executor([&] { passed = judge_->passes(set.outputs[k], set.on_device->outputs[k], on_device(k)); });
  return passed && *passed ? **passed : Candidate::compare_with(set, k);
}

bool DeviceCandidate::agrees_with_baseline(std::size_t k, const OutputTruth& like) const {
  base::Result<bool> agree = base::Error{};
  on_executor([&] {
    if (const auto place = task_.baseline->place(k))
      agree = judge_->agree({place->type, reinterpret_cast<cuda::CUdeviceptr>(place->address)}, like, on_device(k));
  });
  return agree ? *agree : Candidate::agrees_with_baseline(k, like);
}

std::uint64_t DeviceCandidate::fingerprint() const {
  std::vector<DeviceTensor> tensors;
  for (std::size_t k = 0; k < outputs(); ++k) tensors.push_back(on_device(k));
  base::Result<std::uint64_t> print = std::uint64_t{0};
  on_executor([&] { print = judge_->fingerprint(tensors); });
  return print ? *print : Candidate::fingerprint();
}

std::optional<Rejection> DeviceCandidate::check_bands() {
  struct Part { const runtime::DeviceArena* arena; plan::BufferRole role; };
  std::optional<Rejection> found;
  on_executor([&] {
    for (const Part part : {Part{&*outputs_, plan::BufferRole::output}, Part{&*workspace_, plan::BufferRole::workspace},
                            Part{&inputs().arena(), plan::BufferRole::input}}) {
      const auto damage = part.arena->damaged_band(gpu_->stream());
      if (!damage) found = explain(damage.error());
      else if (*damage) found = out_of_bounds(part.role, (*damage)->buffer, (*damage)->offset, part.arena->bytes(static_cast<std::size_t>((*damage)->buffer)));
      if (found) return;
    }
  });
  return found;
}

const std::optional<Rejection>& DeviceCandidate::side_rejection() const {
  if (side_->timed_out()) side_rejection_ = rejection(Verdict::timeout, "A timed call did not end; the worker that it holds is ended.");
  else if (side_error_) side_rejection_ = explain(*side_error_);
  else if (gpu_->lost()) side_rejection_ = rejection(Verdict::crash, "A kernel failed in a timed call.");
  return side_rejection_;
}

std::string DeviceCandidate::resources() const {
  std::string text;
  for (const runtime::StepResources& step : loaded_->resources())
    text += step.name + ": " + std::to_string(step.registers) + " registers, " + std::to_string(step.local_bytes) + " bytes spilled, " +
            std::to_string(step.shared_bytes) + " bytes of shared memory, grid " + std::to_string(step.grid[0] * step.grid[1] * step.grid[2]) + ", block " +
            std::to_string(step.block[0] * step.block[1] * step.block[2]) + "\n";
  return text;
}

}  // namespace kw::oracle
