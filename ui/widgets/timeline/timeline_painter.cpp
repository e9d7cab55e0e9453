#include "ui/widgets/timeline/timeline_painter.h"

#include <algorithm>
#include <cmath>

#include "ui/widgets/timeline/span_text.h"

namespace kw::ui {
namespace {

constexpr int column_px = 2, smallest_box = 3, smallest_label = 34, tick_px = 110;

int rounded(double v) { return static_cast<int>(std::lround(v)); }

}  // namespace

struct TimelinePainter::Frame {
  QPainter& painter;
  const TimelineScene& scene;
  const TimelineView& view;
  const CanvasColors& colors;
  bool vector;
};

int TimelinePainter::track_top(const TimelineData& data, int track) {
  int y = track_gap / 2;
  for (int t = 0; t < track; ++t) y += std::max(1, static_cast<int>(data.tracks()[static_cast<std::size_t>(t)].lanes.size())) * lane_px + track_gap;
  return y;
}

QRect TimelinePainter::lane_rect(const TimelineData& data, const TimelineView& view, int track, int lane) {
  const QRect lanes = view.lanes();
  return {lanes.left(), lanes.top() - view.scrolled + track_top(data, track) + lane * lane_px, lanes.width(), lane_px - 1};
}

const QColor& TimelinePainter::color_of(const TimelineData& data, std::uint32_t name, bool dark) {
  if (colored_dark_ != dark || colors_.size() != data.names().size()) {
    colors_.clear();
    for (const QString& text : data.names()) colors_.push_back(name_color(text, dark));
    colored_dark_ = dark;
  }
  return colors_[name];
}

void TimelinePainter::paint(QPainter& painter, const TimelineScene& scene, const TimelineView& view, const CanvasColors& colors, bool vector) {
  const Frame frame{painter, scene, view, colors, vector};
  QFont font = painter.font();
  font.setPointSizeF(font.pointSizeF() * 0.86);
  texts_.prepare(font, painter.device()->devicePixelRatioF());
  paint_grid(frame);
  painter.save();
  painter.setClipRect(view.lanes());
  const auto& tracks = scene.data.tracks();
  for (int t = 0; t < static_cast<int>(tracks.size()); ++t)
    for (int l = 0; l < static_cast<int>(tracks[static_cast<std::size_t>(t)].lanes.size()); ++l)
      if (const QRect rect = lane_rect(scene.data, view, t, l); rect.intersects(view.lanes())) paint_lane(frame, tracks[static_cast<std::size_t>(t)].lanes[static_cast<std::size_t>(l)], rect);
  paint_arrows(frame);
  paint_frame_of(frame, scene.hovered, colors.faint_text);
  paint_frame_of(frame, scene.selected, colors.accent);
  painter.restore();
  paint_headers(frame);
}

void TimelinePainter::paint_grid(const Frame& frame) {
  const QRect lanes = frame.view.lanes();
  const QRect axis(lanes.left(), lanes.top() - frame.view.axis, lanes.width(), frame.view.axis);
  frame.painter.fillRect(QRect(0, axis.top(), frame.view.size.width(), axis.height()), frame.colors.card);
  const double step = tick_step(frame.view.us_a_pixel() * tick_px);
  // Where the step is far below the position, ticks are told from the left edge.
  for (double us = std::ceil(frame.view.start_us / step) * step; us <= frame.view.end_us; us += step) {
    const int x = rounded(frame.view.x(us));
    frame.painter.fillRect(QRect(x, axis.bottom() - 4, 1, lanes.height() + 5), frame.colors.grid);
    texts_.draw(frame.painter, QPointF(x, axis.center().y() - 1), tick_text(std::abs(us) < step * 1e-6 ? 0 : us, step), tick_px, {frame.colors.faint_text, Qt::transparent, frame.vector});
    if (us + step == us) break;
  }
}

void TimelinePainter::paint_lane(const Frame& frame, const TimelineLane& lane, const QRect& rect) {
  const TimelineView& view = frame.view;
  int i = lane.first_ending_after(view.start_us);
  while (i < lane.size() && lane[i].start_us < view.end_us) {
    const TimelineEvent& event = lane[i];
    const double left = view.x(event.start_us), right = view.x(event.end_us());
    if (right - left >= smallest_box) {
      flush(frame);
      const int from = std::max(rounded(left), rect.left() - 2), to = std::min(rounded(right), rect.right() + 2);
      paint_box(frame, event, QRect(from, rect.top(), std::max(2, to - from - (to - from > 4 ? 1 : 0)), rect.height()));
      ++i;
      continue;
    }
    // All that begin in this column, up to one that deserves a box.
    const int column = static_cast<int>(std::floor((left - rect.left()) / column_px));
    const double column_end = view.us(rect.left() + (column + 1) * column_px);
    int last = std::max(i + 1, lane.first_starting_at(column_end, i));
    if (const int longest = lane.longest(i, last); lane[longest].duration_us >= smallest_box * view.us_a_pixel()) last = std::max(i + 1, longest);
    paint_column(frame, lane, i, last, rect.left() + column * column_px, rect);
    i = last;
  }
  flush(frame);
}

void TimelinePainter::paint_box(const Frame& frame, const TimelineEvent& event, const QRect& rect) {
  const bool faded = !frame.scene.matched.empty() && frame.scene.matched[event.name] == 0;
  const QColor color = faded ? frame.colors.faded : color_of(frame.scene.data, event.name, frame.colors.dark);
  frame.painter.fillRect(rect, color);
  const QRect seen = rect.intersected(frame.view.lanes());
  if (seen.width() < smallest_label) return;
  QString text = frame.scene.data.names()[event.name];
  if (event.count > 1) text += QStringLiteral(" ×%1").arg(event.count);
  texts_.draw(frame.painter, QRectF(seen).center(), text, seen.width() - 6, {faded ? frame.colors.faint_text : text_on(color), Qt::transparent, frame.vector});
}

void TimelinePainter::paint_column(const Frame& frame, const TimelineLane& lane, int first, int last, int x, const QRect& rect) {
  const double begin = frame.view.us(x), end = frame.view.us(x + column_px);
  const double share = std::min(1.0, lane.busy_us(begin, end) / (end - begin));
  const int height = std::clamp(rounded(rect.height() * std::sqrt(share) / 3.0) * 3, 6, rect.height());   // few heights: columns join
  const TimelineEvent& longest = lane[lane.longest(first, last)];
  const bool faded = !frame.scene.matched.empty() && frame.scene.matched[longest.name] == 0;
  const QColor& color = faded ? frame.colors.faded : color_of(frame.scene.data, longest.name, frame.colors.dark);
  const QRect column(x, rect.bottom() - height + 1, column_px, height);
  if (pending_.isValid() && pending_color_ == color && pending_.top() == column.top() && pending_.bottom() == column.bottom() && pending_.right() + 1 >= column.left()) {
    pending_.setRight(column.right());
    return;
  }
  flush(frame);
  pending_ = column;
  pending_color_ = color;
}

void TimelinePainter::flush(const Frame& frame) {
  if (pending_.isValid()) frame.painter.fillRect(pending_, pending_color_);
  pending_ = {};
}

void TimelinePainter::paint_frame_of(const Frame& frame, EventRef ref, const QColor& color) {
  if (!ref.valid()) return;
  const TimelineEvent& event = frame.scene.data.event(ref);
  QRect rect = lane_rect(frame.scene.data, frame.view, ref.track, ref.lane);
  const double left = std::max(frame.view.x(event.start_us), rect.left() - 4.0), right = std::min(frame.view.x(event.end_us()), rect.right() + 4.0);
  if (right < left) return;
  rect.setLeft(rounded(left));
  rect.setRight(std::max(rounded(right), rect.left() + 2));
  frame.painter.setPen(QPen(color, 2));
  frame.painter.setBrush(Qt::NoBrush);
  frame.painter.drawRect(rect.adjusted(-1, -1, 0, 1));
}

void TimelinePainter::paint_arrows(const Frame& frame) {
  for (const EventRef ref : {frame.scene.selected, frame.scene.hovered}) {
    if (!ref.valid()) continue;
    frame.painter.save();
    frame.painter.setRenderHint(QPainter::Antialiasing);
    std::size_t drawn = 0;
    for (const TimelineArrow& arrow : frame.scene.data.arrows_of(ref)) {
      if (++drawn > 500) break;
      const auto end = [&](EventRef e, bool bottom) {
        const QRect rect = lane_rect(frame.scene.data, frame.view, e.track, e.lane);
        const double x = std::clamp(frame.view.x(frame.scene.data.event(e).start_us), -1e6, 1e6);
        return QPointF(x, bottom ? rect.bottom() : rect.top());
      };
      const bool down = arrow.from < arrow.to;
      const QPointF from = end(arrow.from, down), to = end(arrow.to, !down);
      QPainterPath path(from);
      const double bend = (to.y() - from.y()) * 0.5;
      path.cubicTo(from + QPointF(0, bend), to - QPointF(0, bend), to);
      frame.painter.setPen(QPen(frame.colors.accent, 1.6));
      frame.painter.setBrush(Qt::NoBrush);
      frame.painter.drawPath(path);
      frame.painter.setBrush(frame.colors.accent);
      const double tip = down ? -6 : 6;
      frame.painter.drawPolygon(QPolygonF({to, to + QPointF(-3.5, tip), to + QPointF(3.5, tip)}));
    }
    frame.painter.restore();
    return;
  }
}

void TimelinePainter::paint_headers(const Frame& frame) {
  const QRect lanes = frame.view.lanes();
  const QRect column(0, lanes.top(), frame.view.headers, lanes.height());
  frame.painter.save();
  frame.painter.setClipRect(column);
  frame.painter.fillRect(column, frame.colors.card);
  const auto& tracks = frame.scene.data.tracks();
  for (int t = 0; t < static_cast<int>(tracks.size()); ++t) {
    const TimelineTrack& track = tracks[static_cast<std::size_t>(t)];
    const int top = lane_rect(frame.scene.data, frame.view, t, 0).top(), height = std::max(1, static_cast<int>(track.lanes.size())) * lane_px;
    if (top + height < lanes.top() || top > lanes.bottom()) continue;
    frame.painter.setPen(frame.colors.text);
    const QFontMetrics metrics = frame.painter.fontMetrics();
    frame.painter.drawText(QRect(8, top, column.width() - 14, lane_px), Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(track.name, Qt::ElideMiddle, column.width() - 14));
    if (!track.group.isEmpty() && height >= 2 * lane_px) {
      frame.painter.setPen(frame.colors.faint_text);
      frame.painter.drawText(QRect(8, top + lane_px, column.width() - 14, lane_px), Qt::AlignVCenter | Qt::AlignLeft, metrics.elidedText(track.group, Qt::ElideMiddle, column.width() - 14));
    }
    frame.painter.fillRect(QRect(0, top + height + track_gap / 2 - 1, column.width(), 1), frame.colors.grid);
  }
  frame.painter.fillRect(QRect(column.right(), column.top(), 1, column.height()), frame.colors.card_border);
  frame.painter.restore();
}

void TimelinePainter::paint_overview(QPainter& painter, const TimelineData& data, double start_us, double end_us, const TimelineView& view, const CanvasColors& colors) {
  const QRect strip(view.headers, 0, view.size.width() - view.headers, view.overview);
  painter.fillRect(QRect(0, 0, view.size.width(), view.overview), colors.card);
  int lanes = 0;
  for (const TimelineTrack& track : data.tracks()) lanes += track.lanes.empty() ? 0 : 1;
  if (lanes == 0 || end_us <= start_us) return;
  const double row = std::min(10.0, (strip.height() - 8.0) / lanes), us = (end_us - start_us) / strip.width();
  int n = 0;
  for (const TimelineTrack& track : data.tracks()) {
    if (track.lanes.empty()) continue;
    const TimelineLane& lane = track.lanes.front();
    const int y = strip.top() + 4 + static_cast<int>(n++ * row), height = std::max(1, static_cast<int>(row) - 1);
    for (int x = 0, i = 0; x < strip.width() && i < lane.size(); x += 2) {
      const double begin = start_us + x * us, end = begin + 2 * us;
      const double share = lane.busy_us(begin, end) / (end - begin);
      if (share <= 0) continue;
      i = std::min(lane.first_ending_after(begin), lane.size() - 1);
      const int last = std::max(i + 1, lane.first_starting_at(end, i));
      QColor color = color_of(data, lane[lane.longest(i, last)].name, colors.dark);
      color.setAlphaF(static_cast<float>(0.35 + 0.65 * std::min(1.0, share)));
      painter.fillRect(QRect(strip.left() + x, y, 2, height), color);
    }
  }
}

}  // namespace kw::ui
