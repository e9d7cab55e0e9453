#include "core/worker/oracle/gpu.h"

#include <atomic>

#include "core/kernel/emit/cuda.h"
#include "core/worker/device/torch_cuda.h"

namespace kw::oracle {
namespace {

// Waits on the GPU until the host says go, for 50 ms at most: work that needs the host in between must not wait for ever.
constexpr const char* hold_source = R"(
extern "C" __global__ void kw_hold(const volatile int* go) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (*go == 0 && now - start < 50000000ull);
}
)";

}  // namespace

base::Result<std::shared_ptr<Gpu>> Gpu::open() {
  auto gpu = std::make_shared<Gpu>();
  auto context = cuda::Context::retain(0);
  if (!context) return context.error();
  gpu->context_ = std::move(context).value();
  auto facts = cuda::facts(0);
  if (!facts) return facts.error();
  gpu->facts_ = std::move(facts).value();
  if (auto status = device::load_torch_cuda(); !status) return status.error();
  auto stream = cuda::Stream::create(gpu->context());
  if (!stream) return stream.error();
  gpu->stream_ = std::move(stream).value();
  gpu->current_ = &*gpu->stream_;
  auto start = cuda::Event::create(gpu->context(), true), end = cuda::Event::create(gpu->context(), true);
  if (!start || !end) return (!start ? start : end).error();
  gpu->start_ = std::move(start).value();
  gpu->end_ = std::move(end).value();
  auto flush = cuda::DeviceMemory::allocate(gpu->context(), static_cast<std::size_t>(2 * gpu->facts_.l2_bytes));
  if (!flush) return flush.error();
  gpu->flush_ = std::move(flush).value();
  if (auto status = gpu->make_hold(); !status) return status.error();
  device::use_stream(gpu->stream().get());
  return gpu;
}

base::Status Gpu::make_hold() {
  auto go = cuda::PinnedMemory::allocate(context(), sizeof(int));
  if (!go) return go.error();
  go_ = std::move(go).value();
  auto nvrtc = cuda::Nvrtc::open(cuda::folders_beside_torch());
  if (!nvrtc) return nvrtc.error();
  auto compiled = (*nvrtc)->compile(hold_source, "hold.cu", facts_.arch(), {});
  if (!compiled) return compiled.error();
  if (!compiled->ok) return base::Error{base::ErrorCode::internal, "The kernel that holds a stream back does not compile: " + compiled->log, "hold.cu"};
  auto module = cuda::Module::from_image(context(), compiled->cubin);
  if (!module) return module.error();
  auto function = module->function("kw_hold");
  if (!function) return function.error();
  hold_ = std::move(function).value();
  return base::done();
}

base::Result<std::optional<double>> Gpu::timed_us(const std::function<base::Status()>& work, double timeout_s) {
  auto& go = *reinterpret_cast<std::atomic<int>*>(go_->data());
  go = 0;
  cuda::CUdeviceptr address = go_->device();
  void* arguments[] = {&address};
  if (auto status = hold_->launch({1, 1, 1}, {1, 1, 1}, 0, stream(), arguments); !status) return status.error();
  base::Status status = stream().record(*start_);
  if (status) status = work();
  if (status) status = stream().record(*end_);
  go = 1;
  auto ended = finish(timeout_s);
  if (!status) return status.error();
  if (!ended) return ended.error();
  if (!*ended) return std::optional<double>();
  auto us = end_->elapsed_us(*start_);
  if (!us) return us.error();
  return std::optional(*us);
}

base::Result<cuda::Graph> Gpu::capture(const cuda::Stream& stream, const std::function<base::Status()>& work) {
  constexpr int warm_ups = 2;                        // libraries choose, allocate and load in their first calls
  for (int i = 0; i < warm_ups; ++i)
    if (auto status = work(); !status) return status.error();
  if (auto status = stream.synchronize(); !status) return status.error();
  return cuda::Graph::capture(stream, work);
}

void Gpu::use(const cuda::Stream& stream) {
  current_ = &stream;
  device::use_stream(stream.get());
}

base::Result<Gpu::Graph> Gpu::graph(const std::function<base::Status()>& work) {
  if (auto status = stream().synchronize(); !status) return status.error();
  auto own = cuda::Stream::create(context());
  if (!own) return own.error();
  use(*own);
  base::Result<cuda::Graph> captured = base::Error{};
  try {
    captured = capture(*own, work);
  } catch (const std::exception& error) {            // torch's: our stream must be back before anybody sees it
    captured = base::Error{base::ErrorCode::internal, error.what(), "graph"};
  }
  use(*stream_);
  if (captured) return Graph{std::move(own).value(), std::move(captured).value()};
  device::forget_error();
  return captured.error();
}

base::Result<bool> Gpu::finish(double timeout_s) {
  auto ended = stream().finish_within(timeout_s, {});
  if (!ended ? ended.error().code == base::ErrorCode::lost : !*ended) lost_ = true;
  return ended;
}

base::Status Gpu::flush_cache() { return cuda::fill(stream(), flush_->get(), flush_->bytes(), 0, 4); }

base::Status GpuSide::get_ready() {
  executor_.run(ready_);
  return base::done();
}

base::Result<double> GpuSide::timed(const std::function<base::Status()>& work) {
  base::Result<std::optional<double>> us = std::optional<double>();
  executor_.run([&] { us = gpu_.timed_us(work, timeout_s_); });
  if (!us) return us.error();
  timed_out_ = !us->has_value();
  if (timed_out_) return base::Error{base::ErrorCode::lost, "A timed call did not end.", "gpu"};
  return **us;
}

}  // namespace kw::oracle
