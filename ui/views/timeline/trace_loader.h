#pragma once
// Reads a trace file on a thread of its own. A new file, or the end of this object, cancels the one before.

#include <atomic>
#include <thread>

#include <QObject>

#include "ui/models/trace/trace_file.h"

namespace kw::ui {

class TraceLoader : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;
  ~TraceLoader() override { cancel(); }
  void start(const QString& path);
  void cancel();                               // done() does not come

 Q_SIGNALS:
  void progressed(double share);
  void done(const kw::ui::TraceFile& file);

 private:
  std::thread thread_;
  std::atomic<bool> cancelled_ = false;
  int turn_ = 0;                               // late words of an earlier file are dropped
};

}  // namespace kw::ui
