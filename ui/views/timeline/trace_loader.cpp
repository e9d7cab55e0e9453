#include "ui/views/timeline/trace_loader.h"

namespace kw::ui {

void TraceLoader::start(const QString& path) {
  cancel();
  cancelled_ = false;
  thread_ = std::thread([this, path, turn = turn_] {
    const TraceFile file = read_trace(path, cancelled_, [this, turn](double share) {
      QMetaObject::invokeMethod(this, [this, turn, share] {
        if (turn == turn_) Q_EMIT progressed(share);
      }, Qt::QueuedConnection);
    });
    QMetaObject::invokeMethod(this, [this, turn, file] {
      if (turn == turn_) Q_EMIT done(file);
    }, Qt::QueuedConnection);
  });
}

void TraceLoader::cancel() {
  ++turn_;
  cancelled_ = true;
  if (thread_.joinable()) thread_.join();
}

}  // namespace kw::ui
