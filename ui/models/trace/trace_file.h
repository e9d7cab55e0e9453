#pragma once
// Chrome traces, as PyTorch's profiler (Kineto) and `kernelwright show timeline --json` write them, read into timeline data. The file is mapped
// and parsed event by event; nothing of it is executed. Any thread; a file of 1,000,000 events takes a few seconds.

#include <atomic>
#include <functional>
#include <memory>

#include "ui/widgets/timeline/timeline_data.h"

namespace kw::ui {

struct TraceFile {
  std::shared_ptr<const TimelineData> data;   // null: `problem` says why
  QString problem;                            // with data: what is missing of them
};

// `progress`: share of the file, 0 to 1; from the calling thread.
TraceFile read_trace(const QString& path, const std::atomic<bool>& cancelled, const std::function<void(double share)>& progress);

}  // namespace kw::ui
