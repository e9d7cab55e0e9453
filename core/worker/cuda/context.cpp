#include "core/worker/cuda/context.h"

#include <time.h>

#include "core/base/clock.h"

namespace kw::cuda {

base::Result<Context> Context::retain(int ordinal) {
  auto opened = cuda::driver();
  if (!opened) return opened.error();
  Context context;
  context.driver_ = *opened;
  context.ordinal_ = ordinal;
  const Driver& d = *context.driver_;
  const std::string what = "Cannot use GPU " + std::to_string(ordinal);
  CUdevice device = 0;
  if (const CUresult result = d.cuDeviceGet(&device, ordinal); result != CUDA_SUCCESS) return error(result, what);
  if (const CUresult result = d.cuDevicePrimaryCtxRetain(&context.handle_, device); result != CUDA_SUCCESS) return error(result, what);
  context.retained_ = std::shared_ptr<void>(context.handle_, [&d, device](void*) { (void)d.cuDevicePrimaryCtxRelease(device); });
  if (auto current = context.make_current(); !current) return current.error();
  return context;
}

base::Status Context::make_current() const { return status(driver_->cuCtxSetCurrent(handle_), "Cannot make the GPU's context current"); }

base::Result<Event> Event::create(const Context& context, bool timing) {
  const Driver& d = context.driver();
  CUevent handle = nullptr;
  const CUresult result = d.cuEventCreate(&handle, timing ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING);
  if (result != CUDA_SUCCESS) return error(result, "Cannot create an event");
  Event event;
  event.handle_ = {context, handle, d.cuEventDestroy};
  return event;
}

base::Status Event::synchronize() const {
  return status(handle_.context().driver().cuEventSynchronize(get()), "The work before an event failed");
}

base::Result<double> Event::elapsed_us(const Event& start) const {
  float ms = 0;
  const CUresult result = handle_.context().driver().cuEventElapsedTime(&ms, start.get(), get());
  if (result != CUDA_SUCCESS) return error(result, "Cannot read the time between two events");
  return 1e3 * static_cast<double>(ms);
}

base::Result<Stream> Stream::create(const Context& context) {
  const Driver& d = context.driver();
  CUstream handle = nullptr;
  if (const CUresult result = d.cuStreamCreate(&handle, CU_STREAM_NON_BLOCKING); result != CUDA_SUCCESS) return error(result, "Cannot create a stream");
  Stream stream;
  stream.handle_ = {context, handle, d.cuStreamDestroy};
  return stream;
}

base::Status Stream::record(const Event& event) const {
  return status(context().driver().cuEventRecord(event.get(), get()), "Cannot record an event");
}

base::Status Stream::wait(const Event& event) const {
  return status(context().driver().cuStreamWaitEvent(get(), event.get(), 0), "Cannot wait for an event");
}

base::Status Stream::synchronize() const { return status(context().driver().cuStreamSynchronize(get()), "The GPU's work failed"); }

base::Result<bool> Stream::finished() const {
  const CUresult result = context().driver().cuStreamQuery(get());
  if (result == CUDA_SUCCESS) return true;
  if (result == CUDA_ERROR_NOT_READY) return false;
  return error(result, "The GPU's work failed");
}

base::Result<bool> Stream::finish_within(double seconds, const base::CancelToken& cancel) const {
  const double end_s = base::now_s() + seconds;
  for (;;) {
    auto done = finished();
    if (!done || *done) return done;
    if (cancel.cancelled()) return base::Error{base::ErrorCode::cancelled, "Waiting for the GPU was cancelled.", ""};
    if (base::now_s() >= end_s) return false;
    const timespec pause{0, 50'000};
    nanosleep(&pause, nullptr);
  }
}

base::Result<Graph> Graph::capture(const Stream& stream, const std::function<base::Status()>& work) {
  const Driver& d = stream.context().driver();
  if (const CUresult result = d.cuStreamBeginCapture(stream.get(), CU_STREAM_CAPTURE_MODE_RELAXED); result != CUDA_SUCCESS)
    return error(result, "Cannot begin the capture of a graph");
  const base::Status worked = work();
  CUgraph captured = nullptr;
  const CUresult ended = d.cuStreamEndCapture(stream.get(), &captured);   // also after a failure, or the stream stays in capture
  const Owned<CUgraph> graph(stream.context(), captured, d.cuGraphDestroy);
  if (!worked) return worked.error();
  if (ended != CUDA_SUCCESS) return error(ended, "The capture of a graph failed");
  CUgraphExec handle = nullptr;
  if (const CUresult result = d.cuGraphInstantiate(&handle, captured, 0); result != CUDA_SUCCESS) return error(result, "Cannot make a graph");
  Graph made;
  made.handle_ = {stream.context(), handle, d.cuGraphExecDestroy};
  return made;
}

base::Status Graph::launch(const Stream& stream) const {
  return status(stream.context().driver().cuGraphLaunch(handle_.get(), stream.get()), "Cannot launch a graph");
}

}  // namespace kw::cuda
