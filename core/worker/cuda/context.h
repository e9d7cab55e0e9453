#pragma once
// A device's primary context (the one torch uses), and what runs in it: streams, events, graphs. All of them move and none copies;
// each keeps the context alive. A thread that calls anything here has called Context::make_current once. A stream or graph belongs
// to one thread at a time. Destructors wait for nothing; the driver frees what still runs when it ends.

#include <functional>
#include <memory>
#include <utility>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/worker/cuda/driver.h"

namespace kw::cuda {

class Context {
 public:
  // Retains the primary context of a device and makes it current on this thread. `not_found` without a GPU.
  static base::Result<Context> retain(int ordinal);

  base::Status make_current() const;
  int ordinal() const { return ordinal_; }
  const Driver& driver() const { return *driver_; }

 private:
  const Driver* driver_ = nullptr;
  int ordinal_ = 0;
  CUcontext handle_ = nullptr;
  std::shared_ptr<void> retained_;   // released with the last copy
};

// A handle of the driver with its end: moves, destroys once.
template <typename Handle>
class Owned {
 public:
  using End = CUresult (*)(Handle);
  Owned() = default;
  Owned(Context context, Handle handle, End end) : context_(std::move(context)), handle_(handle), end_(end) {}
  Owned(Owned&& other) noexcept : context_(std::move(other.context_)), handle_(std::exchange(other.handle_, Handle{})), end_(other.end_) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(context_, other.context_);
    std::swap(handle_, other.handle_);
    std::swap(end_, other.end_);
    return *this;
  }
  ~Owned() {
    if (handle_ != Handle{}) (void)end_(handle_);   // fails only in a lost context, where nothing is left to free
  }
  Handle get() const { return handle_; }
  const Context& context() const { return context_; }

 private:
  Context context_;
  Handle handle_{};
  End end_ = nullptr;
};

class Event {
 public:
  static base::Result<Event> create(const Context& context, bool timing);
  CUevent get() const { return handle_.get(); }
  base::Status synchronize() const;
  // Device time from `start` to this, in µs; both recorded with timing and reached. Resolution about 0.5 µs.
  base::Result<double> elapsed_us(const Event& start) const;

 private:
  Owned<CUevent> handle_;
};

class Stream {
 public:
  // Independent of the legacy default stream.
  static base::Result<Stream> create(const Context& context);
  CUstream get() const { return handle_.get(); }
  const Context& context() const { return handle_.context(); }

  base::Status record(const Event& event) const;
  base::Status wait(const Event& event) const;         // device side: what follows starts after the event
  base::Status synchronize() const;                    // the host waits; a kernel's failure shows here (code `lost`)
  base::Result<bool> finished() const;                 // asks without waiting
  // Looks every 50 µs until all work is done; false when `seconds` passed first. `cancelled` when the token fired.
  // After false the work still runs: only the end of the process stops a kernel.
  base::Result<bool> finish_within(double seconds, const base::CancelToken& cancel) const;

 private:
  Owned<CUstream> handle_;
};

// Work recorded once, launched many times as one.
class Graph {
 public:
  // Captures (relaxed mode) what `work` puts on `stream`; nothing runs. Allocate, load and create before, not within.
  static base::Result<Graph> capture(const Stream& stream, const std::function<base::Status()>& work);
  base::Status launch(const Stream& stream) const;

 private:
  Owned<CUgraphExec> handle_;
};

}  // namespace kw::cuda
