#include "core/worker/oracle/device_judge.h"

#include <cmath>

#include "core/worker/oracle/device_judge_source.h"
#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

struct Layout { int rank = 1; long long sizes[judge_rank] = {}, strides[judge_rank] = {}; };   // as in judge_source, like the two below
struct Partial { double max, squares; unsigned long long count; };

constexpr const char* kernel_names[] = {
    "errors_f64", "errors_f32", "errors_f16", "errors_bf16", "apart_f64", "apart_f32", "apart_f16", "apart_bf16",
    "differing_i64", "differing_i32", "differing_i16", "differing_i8", "differing_u8",
    "unlike_8", "unlike_4", "unlike_2", "unlike_1", "print_8", "print_4", "print_2", "print_1",
};

constexpr double most_of_memory = 0.75;

std::optional<Layout> layout_of(const graph::TensorType& type) {
  Layout layout;
  if (type.contiguous() || type.sizes.empty()) {
    layout.sizes[0] = type.elements(), layout.strides[0] = 1;
    return layout;
  }
  layout.rank = static_cast<int>(type.sizes.size());
  if (layout.rank > judge_rank) return std::nullopt;
  for (std::size_t d = 0; d < type.sizes.size(); ++d) layout.sizes[d] = type.sizes[d], layout.strides[d] = type.strides[d];
  return layout;
}

base::Error too_many_dimensions() { return {base::ErrorCode::unsupported, "A tensor of more than eight dimensions is judged on the host.", "device_judge"}; }

std::string by_type(const char* kind, graph::DType dtype) { return std::string(kind) + "_" + (dtype == graph::DType::boolean ? "u8" : std::string(graph::name(dtype))); }
std::string by_size(const char* kind, graph::DType dtype) { return std::string(kind) + "_" + std::to_string(graph::byte_size(dtype)); }

}  // namespace

struct DeviceJudge::Arguments {
  cuda::CUdeviceptr x = 0, y = 0, left_out = 0, partials = 0;
  long long n = 0;
  double rms = 0, quantum = 0, share = 0;
  Layout x_layout, y_layout;
};

base::Result<std::shared_ptr<const DeviceJudge>> DeviceJudge::make(std::shared_ptr<Gpu> gpu) {
  std::shared_ptr<DeviceJudge> judge(new DeviceJudge(std::move(gpu)));
  const Gpu& g = *judge->gpu_;
  auto nvrtc = cuda::Nvrtc::open(cuda::folders_beside_torch());
  if (!nvrtc) return nvrtc.error();
  auto compiled = (*nvrtc)->compile(judge_source, "device_judge.cu", g.facts().arch(), {});
  if (!compiled) return compiled.error();
  if (!compiled->ok) return base::Error{base::ErrorCode::internal, "The kernels that judge outputs do not compile: " + compiled->log, "device_judge.cu"};
  auto module = cuda::Module::from_image(g.context(), compiled->cubin);
  if (!module) return module.error();
  for (const char* name : kernel_names) {
    auto function = module->function(name);
    if (!function) return function.error();
    judge->kernels_.emplace(name, std::move(function).value());
  }
  auto partials = cuda::DeviceMemory::allocate(g.context(), judge_blocks * sizeof(Partial));
  if (!partials) return partials.error();
  judge->partials_ = std::move(partials).value();
  return std::shared_ptr<const DeviceJudge>(std::move(judge));
}

base::Result<std::shared_ptr<const DeviceSet>> DeviceJudge::keep(const JudgedSet& set) const {
  std::size_t bytes = 0;
  for (const Storage& storage : set.inputs.storages) bytes += storage.size();
  for (const OutputTruth& output : set.outputs) bytes += (output.values.size() + output.exact.size()) * 8 + output.left_out.size();
  const auto memory = cuda::memory_info(gpu_->context());
  if (!memory) return memory.error();
  if (memory->total - memory->free + bytes > static_cast<std::size_t>(most_of_memory * static_cast<double>(memory->total))) return std::shared_ptr<const DeviceSet>();
  auto kept = std::make_shared<DeviceSet>();
  const auto copy = [&](const void* from, std::size_t size) -> base::Result<cuda::DeviceMemory> {
    auto to = cuda::DeviceMemory::allocate(gpu_->context(), size);
    if (!to) return to.error();
    if (auto status = size == 0 ? base::done() : cuda::copy_to_device(gpu_->stream(), to->get(), from, size); !status) return status.error();
    return to;
  };
  for (const Storage& storage : set.inputs.storages) {
    auto input = copy(storage.data(), storage.size());
    if (!input) return input.error();
    kept->inputs.push_back(std::move(input).value());
  }
  for (const OutputTruth& output : set.outputs) {
    DeviceTruth& truth = kept->outputs.emplace_back();
    auto values = output.values.empty() ? copy(output.exact.data(), output.exact.size() * 8) : copy(output.values.data(), output.values.size() * 8);
    if (!values) return values.error();
    truth.values = std::move(values).value();
    if (output.left_out.empty()) continue;
    auto left_out = copy(output.left_out.data(), output.left_out.size());
    if (!left_out) return left_out.error();
    truth.left_out = std::move(left_out).value();
  }
  if (auto status = gpu_->stream().synchronize(); !status) return status.error();   // the set may go away
  return std::shared_ptr<const DeviceSet>(std::move(kept));
}

base::Result<DeviceJudge::Sums> DeviceJudge::run(const std::string& kernel, Arguments& arguments) const {
  const auto found = kernels_.find(kernel);
  if (found == kernels_.end()) return base::Error{base::ErrorCode::unsupported, "No kernel '" + kernel + "' judges this type.", "device_judge"};
  arguments.partials = partials_->get();
  void* pointers[] = {&arguments};
  const cuda::Stream& stream = gpu_->stream();
  if (auto status = found->second.launch({judge_blocks, 1, 1}, {judge_threads, 1, 1}, 0, stream, pointers); !status) return status.error();
  Partial partials[judge_blocks];
  if (auto status = cuda::copy_to_host(stream, partials, partials_->get(), sizeof partials); !status) return status.error();
  if (auto status = stream.synchronize(); !status) return status.error();
  Sums sums;
  for (const Partial& partial : partials) {
    sums.max = std::max(sums.max, partial.max);
    sums.squares += partial.squares;
    sums.count += partial.count;
  }
  return sums;
}

base::Result<std::optional<Comparison>> DeviceJudge::passes(const OutputTruth& truth, const DeviceTruth& on_device, const DeviceTensor& output) const {
  const auto layout = layout_of(output.type);
  if (!layout) return std::optional<Comparison>();
  Arguments arguments;
  arguments.x = output.address, arguments.y = on_device.values->get();
  arguments.left_out = on_device.left_out ? on_device.left_out->get() : 0;
  arguments.n = output.type.elements();
  arguments.rms = truth.rms, arguments.quantum = quantum(output.type.dtype);
  arguments.x_layout = *layout;
  const bool floating = graph::is_floating(output.type.dtype);
  auto sums = run(by_type(floating ? "errors" : "differing", output.type.dtype), arguments);
  if (!sums) return sums.error();
  Comparison comparison;
  const std::int64_t counted = arguments.n - truth.left_out_count;
  comparison.max = sums->max;
  comparison.rms = counted > 0 ? std::sqrt(sums->squares / static_cast<double>(counted)) : 0;
  const bool passes = floating ? comparison.max <= truth.tolerance_max && comparison.rms <= truth.tolerance_rms : sums->count == 0;
  return passes ? std::optional(comparison) : std::nullopt;
}

base::Result<bool> DeviceJudge::agree(const DeviceTensor& baseline, const OutputTruth& like, const DeviceTensor& output) const {
  const auto x = layout_of(baseline.type), y = layout_of(output.type);
  if (!x || !y) return too_many_dimensions();
  Arguments arguments;
  arguments.x = baseline.address, arguments.y = output.address;
  arguments.n = output.type.elements();
  arguments.rms = like.rms, arguments.share = apart_tolerances * like.tolerance_max;
  arguments.x_layout = *x, arguments.y_layout = *y;
  const graph::DType dtype = output.type.dtype;
  auto sums = run(graph::is_floating(dtype) ? by_type("apart", dtype) : by_size("unlike", dtype), arguments);
  if (!sums) return sums.error();
  return few_apart(static_cast<std::int64_t>(sums->count), arguments.n, like);
}

base::Result<std::uint64_t> DeviceJudge::fingerprint(const std::vector<DeviceTensor>& outputs) const {
  std::uint64_t hash = 0;
  for (const DeviceTensor& output : outputs) {
    const auto layout = layout_of(output.type);
    if (!layout) return too_many_dimensions();
    Arguments arguments;
    arguments.x = output.address;
    arguments.n = output.type.elements();
    arguments.x_layout = *layout;
    auto sums = run(by_size("print", output.type.dtype), arguments);
    if (!sums) return sums.error();
    hash = (hash ^ sums->count) * 0xFF51AFD7ED558CCD;
    hash ^= hash >> 32;
  }
  return hash;
}

base::Result<bool> DeviceJudge::same_bytes(cuda::CUdeviceptr a, cuda::CUdeviceptr b, std::size_t bytes) const {
  const std::size_t words = bytes / 8 * 8;
  for (const auto& [kernel, from, size, width] : {std::tuple{"unlike_8", std::size_t{0}, words, 8}, std::tuple{"unlike_1", words, bytes - words, 1}}) {
    if (size == 0) continue;
    Arguments arguments;
    arguments.x = a + from, arguments.y = b + from;
    arguments.n = static_cast<long long>(size) / width;
    arguments.x_layout.sizes[0] = arguments.y_layout.sizes[0] = arguments.n;
    arguments.x_layout.strides[0] = arguments.y_layout.strides[0] = 1;
    auto sums = run(kernel, arguments);
    if (!sums) return sums.error();
    if (sums->count > 0) return false;
  }
  return true;
}

}  // namespace kw::oracle
