#include "core/worker/cuda/kernel_trace.h"

#include <cstdlib>

#include "core/base/mutex.h"

namespace kw::cuda {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{4} << 20;
constexpr auto tag_kind = CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0;
// The last two are dropped as they come, but without them no launch has a correlation.
constexpr CUpti_ActivityKind recorded[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET,
                                           CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER};
constexpr std::uint32_t first_that_can_leave = 24;   // CUDA 12.6: before it, CUDA graphs that outlive a finalize crash

// CUPTI's callbacks carry no pointer of ours: what they bring is kept here. They come from any thread.
struct Collector {
  base::Mutex mutex;
  const Cupti* cupti KW_GUARDED_BY(mutex) = nullptr;   // of the trace that lasts
  Activities activities KW_GUARDED_BY(mutex);
};

Collector& collector() {
  static Collector& kept = *new Collector;   // CUPTI's own thread may call until the process has ended
  return kept;
}

void give_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most_records) {
  *buffer = static_cast<std::uint8_t*>(std::malloc(buffer_bytes));
  *bytes = *buffer != nullptr ? buffer_bytes : 0;
  *most_records = 0;   // as many as fit
}

void take_buffer(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t, std::size_t valid_bytes) {
  Collector& to = collector();
  const base::Lock lock(to.mutex);
  CUpti_Activity* record = nullptr;
  while (to.cupti != nullptr && valid_bytes > 0 && to.cupti->get_next_record(buffer, valid_bytes, &record) == CUPTI_SUCCESS) add(to.activities, *record);
  std::size_t dropped = 0;
  if (to.cupti != nullptr && to.cupti->get_dropped(context, stream, &dropped) == CUPTI_SUCCESS) to.activities.lost += dropped;
  std::free(buffer);
}

bool take_turn(const Cupti& cupti) {
  Collector& to = collector();
  const base::Lock lock(to.mutex);
  if (to.cupti != nullptr) return false;
  to.cupti = &cupti;
  to.activities = {};
  return true;
}

Activities end_turn() {
  Collector& from = collector();
  const base::Lock lock(from.mutex);
  from.cupti = nullptr;
  return std::move(from.activities);
}

CUptiResult start(const Cupti& cupti) {
  CUptiResult result = cupti.register_callbacks(give_buffer, take_buffer);
  for (const CUpti_ActivityKind kind : recorded)
    if (result == CUPTI_SUCCESS) result = cupti.enable(kind);
  return result;
}

}  // namespace

base::Result<KernelTrace> KernelTrace::begin(const std::vector<std::string>& folders) {
  auto opened = open_cupti(folders);
  if (!opened) return opened.error();
  auto cupti = std::make_unique<Cupti>(std::move(opened).value());
  if (!take_turn(*cupti)) return base::Error{base::ErrorCode::busy, "Another trace of the GPU is being taken in this process.", "cupti"};
  KernelTrace trace(std::move(cupti));
  const Cupti& api = *trace.cupti_;
  if (const CUptiResult result = start(api); result != CUPTI_SUCCESS) return error(api, result, "CUPTI cannot record what runs on the GPU");
  if (const CUptiResult result = api.get_timestamp(&trace.begin_ns_); result != CUPTI_SUCCESS) return error(api, result, "CUPTI cannot tell the time");
  return trace;
}

// Cut short: the GPU may still be at work, and then CUPTI must stay.
KernelTrace::~KernelTrace() {
  if (cupti_ == nullptr) return;
  stop();
  (void)end_turn();
}

void KernelTrace::enter(int tag) {
  if (cupti_->push_external(tag_kind, static_cast<std::uint64_t>(tag)) == CUPTI_SUCCESS) ++entered_;
}

void KernelTrace::leave() {
  if (entered_ == 0) return;
  (void)cupti_->pop_external(tag_kind, nullptr);
  --entered_;
}

double KernelTrace::now_us() const {
  std::uint64_t now_ns = begin_ns_;
  (void)cupti_->get_timestamp(&now_ns);   // it could at begin
  return 1e-3 * static_cast<double>(now_ns - begin_ns_);
}

void KernelTrace::stop() {
  while (entered_ > 0) leave();
  (void)cupti_->flush_all(activity_flush_forced);
  for (const CUpti_ActivityKind kind : recorded) (void)cupti_->disable(kind);
}

base::Result<std::vector<DeviceWork>> KernelTrace::end() {
  stop();
  if (cupti_->version >= first_that_can_leave) (void)cupti_->finalize();   // else every later launch would pay for it
  Activities activities = end_turn();
  cupti_.reset();
  if (activities.lost == 0) return tagged(std::move(activities), begin_ns_);
  return base::Error{base::ErrorCode::internal,
                     "CUPTI lost " + std::to_string(activities.lost) + " records of what ran on the GPU, so sums over the rest would be wrong.", "cupti"};
}

}  // namespace kw::cuda
