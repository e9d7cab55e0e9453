#include "ui/widgets/timeline/timeline_canvas.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "ui/widgets/canvas/save_picture.h"
#include "ui/widgets/timeline/span_text.h"

namespace kw::ui {
namespace {

constexpr double shortest_view_us = 0.02;
constexpr int drag_threshold = 4, headers_px = 150, overview_px = 40;

}  // namespace

TimelineCanvas::TimelineCanvas(QWidget* parent) : QWidget(parent), bar_(new QScrollBar(Qt::Vertical, this)), card_(new HoverCard(this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(240, 140);
  setAccessibleName(tr("Timeline"));
  connect(bar_, &QScrollBar::valueChanged, this, [this](int value) {
    view_.scrolled = value;
    update();
  });
}

// The event of `data` that `ref` is in the present data.
EventRef TimelineCanvas::again(EventRef ref, const TimelineData& data) const {
  if (!ref.valid()) return {};
  const TimelineEvent& event = data_->event(ref);
  const QString &track = data_->tracks()[static_cast<std::size_t>(ref.track)].name, &name = data_->names()[event.name];
  for (int t = 0; t < static_cast<int>(data.tracks().size()); ++t) {
    const TimelineTrack& other = data.tracks()[static_cast<std::size_t>(t)];
    if (other.name != track) continue;
    for (int l = 0; l < static_cast<int>(other.lanes.size()); ++l) {
      const TimelineLane& lane = other.lanes[static_cast<std::size_t>(l)];
      const int i = lane.first_starting_at(event.start_us);
      if (i < lane.size() && lane[i].start_us == event.start_us && data.names()[lane[i].name] == name) return {t, l, i};
    }
  }
  return {};
}

void TimelineCanvas::set_data(Data data, std::optional<TimeRange> extent, bool keep_view) {
  selected_ = keep_view ? again(selected_, *data) : EventRef();
  hovered_ = {};
  data_ = std::move(data);
  painter_.forget();
  card_->hide();
  extent_ = extent.value_or(TimeRange{data_->start_us(), data_->end_us()});
  if (extent_.length() < shortest_view_us) extent_.end_us = extent_.start_us + shortest_view_us;
  if (!searched_.isEmpty()) search(searched_);
  if (!keep_view) {
    set_overview(data_);
    range_.reset();
    fit();
    Q_EMIT range_changed();
  }
  place();
}

void TimelineCanvas::set_overview(Data data) {
  overview_ = std::move(data);
  overview_painter_.forget();
  overview_picture_ = {};
  update();
}

void TimelineCanvas::set_empty_text(const QString& text) {
  empty_text_ = text;
  update();
}

void TimelineCanvas::place() {
  const int bar = bar_->sizeHint().width(), line = fontMetrics().height();
  view_.headers = std::min(headers_px, width() / 4);
  view_.overview = overview_px;
  view_.axis = line + 8;
  view_.size = QSize(width() - bar, height());
  const QRect lanes = view_.lanes();
  bar_->setGeometry(width() - bar, lanes.top(), bar, lanes.height());
  bar_->setRange(0, std::max(0, TimelinePainter::height(*data_) - lanes.height()));
  bar_->setPageStep(lanes.height());
  bar_->setSingleStep(TimelinePainter::lane_px);
  update();
}

void TimelineCanvas::paint_view(QPainter& painter, bool vector) {
  const CanvasColors colors = canvas_colors(palette());
  painter.fillRect(rect(), colors.background);
  if (data_->events() == 0 && (!overview_ || overview_->events() == 0)) {
    painter.setPen(colors.faint_text);
    painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
    return;
  }
  painter_.paint(painter, scene(), view_, colors, vector);
  if (range_) {
    const QRect lanes = view_.lanes();
    const double left = std::clamp(view_.x(range_->start_us), lanes.left() - 2.0, lanes.right() + 2.0);
    const double right = std::clamp(view_.x(range_->end_us), lanes.left() - 2.0, lanes.right() + 2.0);
    QColor shade = colors.accent;
    shade.setAlpha(38);
    painter.save();
    painter.setClipRect(lanes.adjusted(0, -view_.axis, 0, 0));
    painter.fillRect(QRectF(left, lanes.top(), right - left, lanes.height()), shade);
    painter.setPen(colors.accent);
    painter.drawLine(QPointF(left, lanes.top()), QPointF(left, lanes.bottom()));
    painter.drawLine(QPointF(right, lanes.top()), QPointF(right, lanes.bottom()));
    const QString text = span_text(range_->length());
    QRect label = painter.fontMetrics().boundingRect(text).adjusted(-6, -2, 6, 2);
    label.moveCenter(QPoint(static_cast<int>((left + right) / 2), lanes.top() - view_.axis / 2));
    painter.fillRect(label, colors.accent);
    painter.setPen(text_on(colors.accent));
    painter.drawText(label, Qt::AlignCenter, text);
    painter.restore();
  }
}

QRectF TimelineCanvas::frame_in_overview() const {
  const double left = view_.headers, width = view_.size.width() - view_.headers, scale = width / extent_.length();
  const double x0 = std::max(left, left + (view_.start_us - extent_.start_us) * scale), x1 = std::min(left + width, left + (view_.end_us - extent_.start_us) * scale);
  return {x0, 0.5, std::max(3.0, x1 - x0), view_.overview - 1.0};
}

void TimelineCanvas::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  paint_view(painter);
  const CanvasColors colors = canvas_colors(palette());
  if (overview_ && overview_->events() > 0) {
    const QSize size(view_.size.width(), view_.overview);
    const qreal scale = devicePixelRatioF();
    if (overview_picture_.size() != size * scale) {
      overview_picture_ = QPixmap(size * scale);
      overview_picture_.setDevicePixelRatio(scale);
      QPainter p(&overview_picture_);
      overview_painter_.paint_overview(p, *overview_, extent_.start_us, extent_.end_us, view_, colors);
    }
    painter.drawPixmap(0, 0, overview_picture_);
    painter.setPen(colors.faint_text);
    painter.drawText(QRect(8, 0, view_.headers - 14, view_.overview), Qt::AlignVCenter | Qt::AlignLeft, span_text(extent_.length()));
    QColor inside = colors.accent;
    inside.setAlpha(40);
    painter.setPen(QPen(colors.accent, 1));
    painter.setBrush(inside);
    painter.drawRect(frame_in_overview());
  }
  if (hasFocus()) {
    painter.setPen(colors.accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void TimelineCanvas::resizeEvent(QResizeEvent*) {
  place();
  Q_EMIT viewport_changed(view_.start_us, view_.end_us, lane_pixels());
}

void TimelineCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) overview_picture_ = {};
  if (event->type() == QEvent::FontChange) place();
  QWidget::changeEvent(event);
}

void TimelineCanvas::show_range(TimeRange range) {
  const double length = std::clamp(range.length(), shortest_view_us, extent_.length() * 1.04);
  const double margin = extent_.length() * 0.02 + length * 0.1;
  const double lowest = extent_.start_us - margin, highest = std::max(lowest, extent_.end_us + margin - length);
  view_.start_us = std::clamp((range.start_us + range.end_us - length) / 2, lowest, highest);
  view_.end_us = view_.start_us + length;
  update();
  Q_EMIT viewport_changed(view_.start_us, view_.end_us, lane_pixels());
}

void TimelineCanvas::fit() {
  const double margin = extent_.length() * 0.02;
  show_range({extent_.start_us - margin, extent_.end_us + margin});
}

void TimelineCanvas::zoom(double x, double factor) {
  const double about = view_.us(x), length = std::clamp((view_.end_us - view_.start_us) * factor, shortest_view_us, extent_.length() * 1.04);
  const double start = about - (x - view_.headers) / std::max(1, view_.lanes().width()) * length;
  show_range({start, start + length});
}

void TimelineCanvas::pan(double pixels) {
  const double us = pixels * view_.us_a_pixel();
  show_range({view_.start_us + us, view_.end_us + us});
}

void TimelineCanvas::zoom_to_selection() {
  if (range_) return show_range({range_->start_us - range_->length() * 0.05, range_->end_us + range_->length() * 0.05});
  if (!selected_.valid()) return;
  const TimelineEvent& event = data_->event(selected_);
  const double margin = std::max(event.duration_us * 0.5, shortest_view_us);
  show_range({event.start_us - margin, event.end_us() + margin});
}

void TimelineCanvas::clear_range() {
  range_.reset();
  update();
  Q_EMIT range_changed();
}

void TimelineCanvas::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  if (event->modifiers().testFlag(Qt::ShiftModifier) || std::abs(turned.x()) > std::abs(turned.y())) pan(-(turned.x() + turned.y()) * 0.8);
  else if (event->modifiers().testFlag(Qt::ControlModifier) || event->position().x() < view_.headers) bar_->setValue(bar_->value() - turned.y() / 2);
  else zoom(event->position().x(), std::pow(0.9985, turned.y()));
  card_->hide();
  event->accept();
}

EventRef TimelineCanvas::event_at(QPoint pixel) const {
  if (!view_.lanes().contains(pixel)) return {};
  const auto& tracks = data_->tracks();
  for (int t = 0; t < static_cast<int>(tracks.size()); ++t) {
    const auto& lanes = tracks[static_cast<std::size_t>(t)].lanes;
    const int from_top = pixel.y() - TimelinePainter::lane_rect(*data_, view_, t, 0).top();
    const int l = from_top / TimelinePainter::lane_px;
    if (from_top < 0 || l >= static_cast<int>(lanes.size())) continue;
    const TimelineLane& lane = lanes[static_cast<std::size_t>(l)];
    const double slack = 1.5 * view_.us_a_pixel(), us = view_.us(pixel.x());   // a sliver can be hit beside it
    const int first = lane.first_ending_after(us - slack), last = lane.first_starting_at(us + slack, first);
    if (first >= last) return {};
    return {t, l, lane.longest(first, last)};
  }
  return {};
}

Card TimelineCanvas::card_of(EventRef ref) const {
  const TimelineEvent& event = data_->event(ref);
  Card card{data_->names()[event.name], {}};
  card.lines.emplace_back(tr("Track"), data_->tracks()[static_cast<std::size_t>(ref.track)].name);
  card.lines.emplace_back(tr("Begin"), span_text(event.start_us));
  card.lines.emplace_back(event.count > 1 ? tr("Length of all") : tr("Length"), span_text(event.duration_us));
  if (event.count > 1) card.lines.emplace_back(tr("Stands for"), tr("%1 events: zoom in to tell them apart").arg(event.count));
  if (event.node >= 0) card.lines.emplace_back(tr("Node"), QString::number(event.node));
  if (event.detail > 0)
    for (const QString& line : data_->details()[event.detail].split('\n')) card.lines.emplace_back(line.section(": ", 0, 0), line.section(": ", 1));
  return card;
}

void TimelineCanvas::hover(QPoint pixel) {
  const EventRef ref = event_at(pixel);
  if (ref != hovered_) {
    hovered_ = ref;
    update();
  }
  if (ref.valid()) card_->show_at(card_of(ref), pixel);
  else card_->hide();
}

void TimelineCanvas::center_at_overview(double x) {
  const double about = extent_.start_us + (x - view_.headers) / std::max(1, view_.size.width() - view_.headers) * extent_.length(), half = (view_.end_us - view_.start_us) / 2;
  show_range({about - half, about + half});
}

void TimelineCanvas::mousePressEvent(QMouseEvent* event) {
  drag_from_ = event->pos();
  card_->hide();
  if (event->button() == Qt::RightButton) return;
  const bool on_axis = event->pos().y() < view_.overview + view_.axis;
  drag_ = event->pos().y() < view_.overview ? Drag::overview : event->button() == Qt::MiddleButton || on_axis ? Drag::pan : Drag::range;
  if (drag_ == Drag::overview) center_at_overview(event->position().x());
}

void TimelineCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (drag_ == Drag::none) return hover(event->pos());
  if (drag_ == Drag::overview) return center_at_overview(event->position().x());
  if (drag_ == Drag::pan) {
    pan(drag_from_.x() - event->pos().x());
    bar_->setValue(bar_->value() + drag_from_.y() - event->pos().y());
    drag_from_ = event->pos();
    return;
  }
  if (std::abs(event->pos().x() - drag_from_.x()) < drag_threshold) return;
  const double a = view_.us(drag_from_.x()), b = view_.us(event->pos().x());
  range_ = TimeRange{std::min(a, b), std::max(a, b)};
  update();
}

void TimelineCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const bool clicked = drag_ == Drag::range && std::abs(event->pos().x() - drag_from_.x()) < drag_threshold;
  const bool ranged = drag_ == Drag::range && !clicked;
  drag_ = Drag::none;
  if (ranged) Q_EMIT range_changed();
  if (clicked) select(event_at(event->pos()), false);
}

void TimelineCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  select(event_at(event->pos()), false);
  if (selected_.valid()) zoom_to_selection();
}

void TimelineCanvas::leaveEvent(QEvent*) {
  hovered_ = {};
  card_->hide();
  update();
}

void TimelineCanvas::select(EventRef ref, bool bring_into_view) {
  selected_ = ref;
  update();
  if (ref.valid() && bring_into_view) {
    const TimelineEvent& event = data_->event(ref);
    const double half = (view_.end_us - view_.start_us) / 2, middle = event.start_us + event.duration_us / 2;
    if (event.end_us() < view_.start_us || event.start_us > view_.end_us) show_range({middle - half, middle + half});
    const QRect rect = TimelinePainter::lane_rect(*data_, view_, ref.track, ref.lane);
    if (!view_.lanes().contains(QPoint(view_.lanes().left(), rect.center().y()))) bar_->setValue(bar_->value() + rect.center().y() - view_.lanes().center().y());
  }
  if (ref.valid()) setAccessibleDescription(card_of(ref).title);
  Q_EMIT selected_changed(ref);
}

void TimelineCanvas::step_along(int by) {
  if (!selected_.valid()) {
    for (int t = 0; t < static_cast<int>(data_->tracks().size()); ++t)
      if (!data_->tracks()[static_cast<std::size_t>(t)].lanes.empty()) return select({t, 0, 0}, true);
    return;
  }
  EventRef next = selected_;
  next.index = std::clamp(next.index + by, 0, data_->lane(next).size() - 1);
  select(next, true);
}

int TimelineCanvas::search(const QString& text) {
  searched_ = text;
  matched_.clear();
  update();
  if (text.isEmpty()) return 0;
  int found = 0;
  for (const QString& name : data_->names()) {
    matched_.push_back(name.contains(text, Qt::CaseInsensitive) ? 1 : 0);
    found += matched_.back();
  }
  return found;
}

bool TimelineCanvas::select_match(bool forward) {
  if (matched_.empty()) return false;
  // By time over all lanes; from the selected event, or from the left edge.
  const double from = selected_.valid() ? data_->event(selected_).start_us : forward ? view_.start_us : view_.end_us;
  EventRef best;
  const auto nearer = [&](double us, EventRef ref) {
    const std::pair here(us, ref), start(from, selected_);
    if (forward ? here <= start : here >= start) return false;
    if (!best.valid()) return true;
    const std::pair held(data_->event(best).start_us, best);
    return forward ? here < held : here > held;
  };
  const auto& tracks = data_->tracks();
  for (int t = 0; t < static_cast<int>(tracks.size()); ++t) {
    for (int l = 0; l < static_cast<int>(tracks[static_cast<std::size_t>(t)].lanes.size()); ++l) {
      const TimelineLane& lane = tracks[static_cast<std::size_t>(t)].lanes[static_cast<std::size_t>(l)];
      int i = forward ? lane.first_starting_at(from) : std::min(lane.size() - 1, lane.first_starting_at(from + shortest_view_us));
      for (; i >= 0 && i < lane.size(); i += forward ? 1 : -1) {
        if (matched_[lane[i].name] == 0 || !nearer(lane[i].start_us, {t, l, i})) continue;
        best = {t, l, i};
        break;
      }
    }
  }
  if (best.valid()) select(best, true);
  return best.valid();
}

void TimelineCanvas::keyPressEvent(QKeyEvent* event) {
  const double page = view_.lanes().width() * 0.2;
  const QPoint pointer = mapFromGlobal(QCursor::pos());
  const double about = view_.lanes().contains(pointer) ? pointer.x() : view_.lanes().center().x();
  switch (event->key()) {
    case Qt::Key_W: case Qt::Key_Plus: return zoom(about, 0.7);
    case Qt::Key_S: case Qt::Key_Minus: return zoom(about, 1 / 0.7);
    case Qt::Key_A: return pan(-page);
    case Qt::Key_D: return pan(page);
    case Qt::Key_Left: return step_along(-1);
    case Qt::Key_Right: return step_along(1);
    case Qt::Key_Up: return bar_->setValue(bar_->value() - TimelinePainter::lane_px);
    case Qt::Key_Down: return bar_->setValue(bar_->value() + TimelinePainter::lane_px);
    case Qt::Key_F: case Qt::Key_Home: return fit();
    case Qt::Key_Return: case Qt::Key_Enter: return zoom_to_selection();
    case Qt::Key_Escape: return clear_range();
    default: QWidget::keyPressEvent(event);
  }
}

QString TimelineCanvas::save(const QString& path) {
  return save_picture(*this, path, [this](QPainter& painter, bool vector) { paint_view(painter, vector); });
}

}  // namespace kw::ui
