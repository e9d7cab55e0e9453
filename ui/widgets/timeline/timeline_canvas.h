#pragma once
// A timeline to look at: zoom (wheel, W and S), pan (A and D, Shift and wheel, middle button, the overview), range selection by dragging,
// search, arrows from operators to what they launched. It draws what it is given; where that is only a part (an engine answers by viewport),
// `viewport_changed` asks for more. GUI thread; the data are shared and read only.

#include <memory>
#include <optional>

#include <QScrollBar>
#include <QWidget>

#include "ui/widgets/canvas/hover_card.h"
#include "ui/widgets/timeline/timeline_painter.h"

namespace kw::ui {

struct TimeRange {
  double start_us = 0, end_us = 0;
  double length() const { return end_us - start_us; }
};

class TimelineCanvas : public QWidget {
  Q_OBJECT

 public:
  using Data = std::shared_ptr<const TimelineData>;
  explicit TimelineCanvas(QWidget* parent = nullptr);

  // `extent`: of the whole timeline, where `data` are but a part of it. Without `keep_view` all is shown.
  void set_data(Data data, std::optional<TimeRange> extent = {}, bool keep_view = false);
  void set_overview(Data data);                // of the whole, where `data` are not
  void set_empty_text(const QString& text);

  const TimelineData& data() const { return *data_; }
  TimeRange view() const { return {view_.start_us, view_.end_us}; }
  void show_range(TimeRange range);
  int lane_pixels() const { return view_.lanes().width(); }
  std::optional<TimeRange> selected_range() const { return range_; }
  EventRef event_at(QPoint pixel) const;
  EventRef selected() const { return selected_; }
  void select(EventRef ref, bool bring_into_view);

  // Events whose name contains the text; the number of names found. Others fade.
  int search(const QString& text);
  bool select_match(bool forward);             // the next one after the selected event; false: none
  QString save(const QString& path);           // what is seen, as .png or .svg; "" or what went wrong
  void paint_view(QPainter& painter, bool vector = false);

 public Q_SLOTS:
  void fit();
  void zoom_in() { zoom(view_.lanes().center().x(), 0.5); }
  void zoom_out() { zoom(view_.lanes().center().x(), 2); }
  void zoom_to_selection();                    // the range, or the selected event
  void clear_range();

 Q_SIGNALS:
  void viewport_changed(double start_us, double end_us, int pixels);
  void range_changed();
  void selected_changed(kw::ui::EventRef ref);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Drag { none, range, pan, overview };
  void zoom(double x, double factor);
  void pan(double pixels);
  void place();
  void hover(QPoint pixel);
  void center_at_overview(double x);
  EventRef again(EventRef ref, const TimelineData& data) const;
  void step_along(int by);
  Card card_of(EventRef ref) const;
  QRectF frame_in_overview() const;
  TimelineScene scene() const { return {*data_, matched_, selected_, hovered_}; }

  Data data_ = std::make_shared<TimelineData>(), overview_;
  QPixmap overview_picture_;
  TimeRange extent_;
  TimelineView view_;
  TimelinePainter painter_, overview_painter_;
  QScrollBar* bar_ = nullptr;
  HoverCard* card_ = nullptr;
  QString empty_text_, searched_;
  std::vector<char> matched_;
  std::optional<TimeRange> range_;
  EventRef selected_, hovered_;
  Drag drag_ = Drag::none;
  QPoint drag_from_;
};

}  // namespace kw::ui
