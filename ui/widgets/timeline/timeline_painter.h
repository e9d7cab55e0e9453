#pragma once
// Paints what is seen of a timeline. Events of 3 px and more are boxes; narrower ones are folded into columns of 2 px, as high as the share of
// it that they fill and in the colour of the longest, so the cost follows pixels. GUI thread.

#include <QPainter>

#include "ui/widgets/palette.h"
#include "ui/widgets/canvas/text_cache.h"
#include "ui/widgets/timeline/timeline_data.h"

namespace kw::ui {

struct TimelineView {
  double start_us = 0, end_us = 1;     // across the lanes
  int scrolled = 0;                    // px down
  QSize size;
  int headers = 0, overview = 0, axis = 0;   // px: left, top, below that

  QRect lanes() const { return {headers, overview + axis, size.width() - headers, size.height() - overview - axis}; }
  double us_a_pixel() const { return (end_us - start_us) / std::max(1, lanes().width()); }
  double x(double us) const { return headers + (us - start_us) / us_a_pixel(); }
  double us(double x) const { return start_us + (x - headers) * us_a_pixel(); }
};

struct TimelineScene {
  const TimelineData& data;
  const std::vector<char>& matched;    // by name; empty: nothing is searched for
  EventRef selected, hovered;
};

class TimelinePainter {
 public:
  static constexpr int lane_px = 19, track_gap = 10;
  static int track_top(const TimelineData& data, int track);      // px below the first
  static int height(const TimelineData& data) { return track_top(data, static_cast<int>(data.tracks().size())); }
  static QRect lane_rect(const TimelineData& data, const TimelineView& view, int track, int lane);

  void forget() { colors_.clear(); }   // before other data are painted
  void paint(QPainter& painter, const TimelineScene& scene, const TimelineView& view, const CanvasColors& colors, bool vector = false);
  void paint_overview(QPainter& painter, const TimelineData& data, double start_us, double end_us, const TimelineView& view, const CanvasColors& colors);

 private:
  struct Frame;
  const QColor& color_of(const TimelineData& data, std::uint32_t name, bool dark);
  void paint_grid(const Frame& frame);
  void paint_lane(const Frame& frame, const TimelineLane& lane, const QRect& rect);
  void paint_box(const Frame& frame, const TimelineEvent& event, const QRect& rect);
  void paint_column(const Frame& frame, const TimelineLane& lane, int first, int last, int x, const QRect& rect);
  void flush(const Frame& frame);
  void paint_arrows(const Frame& frame);
  void paint_frame_of(const Frame& frame, EventRef ref, const QColor& color);
  void paint_headers(const Frame& frame);

  TextCache texts_;
  std::vector<QColor> colors_;         // by name
  bool colored_dark_ = false;
  QRect pending_;                      // columns of one colour and height become one rectangle
  QColor pending_color_;
};

}  // namespace kw::ui
