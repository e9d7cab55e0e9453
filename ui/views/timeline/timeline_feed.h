#pragma once
// One timeline of the session. Small ones are asked for whole; of large ones only what is in view and its surroundings, merged by the engine
// to the pixels there are. Late answers are dropped. GUI thread.

#include <memory>

#include <QObject>
#include <QTimer>

#include "ui/bridge/engine.h"
#include "ui/views/dock_context.h"
#include "ui/widgets/timeline/timeline_canvas.h"

namespace kw::ui {

struct TimelineInfo {
  QString name, title;
  qint64 events = 0;
  TimeRange extent;
};

std::vector<TimelineInfo> timelines_of(const json& answer);       // of session/timelines; what is malformed is left out
TimelineData timeline_of(const json& answer);                     // of session/timeline

class TimelineFeed : public QObject {
  Q_OBJECT

 public:
  TimelineFeed(const DockContext& context, TimelineCanvas* canvas, QObject* parent);
  void show(const TimelineInfo& timeline);
  void stop();                                 // the canvas shows something else

 Q_SIGNALS:
  void failed(const QString& message);

 private:
  void ask(TimeRange range, int pixels, bool first);
  void follow_view(double start_us, double end_us, int pixels);

  DockContext context_;
  TimelineCanvas* canvas_;
  TimelineInfo info_;
  TimeRange held_;                             // what the canvas has
  double held_us_a_pixel_ = 0;
  TimeRange wanted_;
  int wanted_pixels_ = 0;
  QTimer soon_;
  int turn_ = 0;
  bool whole_ = true;
};

}  // namespace kw::ui
