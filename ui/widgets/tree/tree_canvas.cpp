#include "ui/widgets/tree/tree_canvas.h"

#include <algorithm>
#include <cmath>

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QWheelEvent>

#include "ui/widgets/canvas/save_picture.h"

namespace kw::ui {
namespace {

constexpr int drag_threshold = 4;      // px
constexpr double hit_distance = 10;    // px around a small node
constexpr double pan_step = 80;        // px a key

}  // namespace

TreeCanvas::TreeCanvas(QWidget* parent) : QWidget(parent), card_(new HoverCard(this)) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setMinimumSize(160, 120);
  setAccessibleName(tr("Search tree"));
}

void TreeCanvas::set_tree(TreeItems tree, bool anew) {
  const int selected = anew ? -1 : selected_, kept = anchor();
  tree_ = std::move(tree);
  if (anew) collapsed_.clear();
  collapsed_.resize(tree_.items.size(), 0);
  selected_ = selected < static_cast<int>(tree_.items.size()) ? selected : -1;
  hovered_ = -1;
  best_.clear();
  for (std::size_t i = 0; i < tree_.items.size(); ++i)
    if (tree_.items[i].has(TreeItem::best) && !tree_.items[i].has(TreeItem::hidden)) best_.push_back(static_cast<int>(i));
  relayout(anew ? -1 : kept);
  if (anew) fit();
}

void TreeCanvas::set_empty_text(const QString& text) {
  empty_text_ = text;
  update();
}

void TreeCanvas::set_badge(const QString& text) {
  badge_ = text;
  update();
}

// The selected node, or the one in the middle, stays where it is while the tree grows around it.
int TreeCanvas::anchor() const {
  if (layout_.rows() == 0) return -1;
  const auto in_view = [&](int place) { return place >= 0 && rect().contains(pixel_of(place).toPoint()); };
  if (in_view(layout_.place_of(selected_))) return selected_;
  const int row = std::clamp(static_cast<int>(std::lround(camera_.row_at(height() / 2.0))), 0, layout_.rows() - 1);
  const int place = layout_.nearest(row, static_cast<float>(camera_.slot_at(width() / 2.0)));
  return in_view(place) ? layout_.places()[static_cast<std::size_t>(place)].item : -1;
}

QPointF TreeCanvas::pixel_of(int place) const {
  return {camera_.x(static_cast<double>(layout_.places()[static_cast<std::size_t>(place)].x)), camera_.y(layout_.row_of(place))};
}

void TreeCanvas::relayout(int kept) {
  const int before = layout_.place_of(kept);
  const QPointF pixel = before >= 0 ? pixel_of(before) : QPointF();
  layout_.update(tree_.items, collapsed_);
  camera_.set_bounds(size(), static_cast<double>(layout_.width()), layout_.rows());
  if (const int after = layout_.place_of(kept); before >= 0 && after >= 0 && !camera_.whole()) camera_.move_by(pixel_of(after) - pixel);
  minimap_.forget();
  update();
}

void TreeCanvas::paint_view(QPainter& painter, const QRect& clip, bool vector) {
  const CanvasColors colors = canvas_colors(palette());
  painter.fillRect(clip, colors.background);
  if (layout_.rows() == 0) {
    painter.setPen(colors.faint_text);
    painter.drawText(rect().adjusted(24, 24, -24, -24), Qt::AlignCenter | Qt::TextWordWrap, empty_text_);
    return;
  }
  painter_.paint(painter, scene(), camera_, colors, clip, vector);
}

void TreeCanvas::paintEvent(QPaintEvent* event) {
  QPainter painter(this);
  paint_view(painter, event->rect());
  const CanvasColors colors = canvas_colors(palette());
  if (!camera_.whole() && layout_.rows() > 0) minimap_.paint(painter, minimap_painter_, scene(), camera_, colors, font());
  if (!badge_.isEmpty()) {
    const QRect box = fontMetrics().boundingRect(badge_).adjusted(-8, -4, 8, 4);
    painter.setPen(colors.card_border);
    painter.setBrush(colors.card);
    painter.drawRect(QRect(QPoint(10, 10), box.size()));
    painter.setPen(colors.text);
    painter.drawText(QRect(QPoint(10, 10), box.size()), Qt::AlignCenter, badge_);
  }
  if (hasFocus()) {
    painter.setPen(colors.accent);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(rect().adjusted(0, 0, -1, -1));
  }
}

void TreeCanvas::resizeEvent(QResizeEvent*) { camera_.set_bounds(size(), static_cast<double>(layout_.width()), layout_.rows()); }

void TreeCanvas::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) minimap_.forget();
  QWidget::changeEvent(event);
}

void TreeCanvas::fit() {
  camera_.fit();
  update();
}

void TreeCanvas::zoom(double factor) {
  const int place = layout_.place_of(selected_);
  QPointF about = rect().center();
  if (place >= 0) {
    const QPointF node = pixel_of(place);
    if (QRectF(rect()).contains(node)) about = node;
  }
  camera_.zoom_about(about, factor);
  update();
}

void TreeCanvas::wheelEvent(QWheelEvent* event) {
  const QPoint turned = event->angleDelta();
  if (event->modifiers().testFlag(Qt::ShiftModifier)) camera_.move_by(QPointF(-turned.y() - turned.x(), 0));
  else camera_.zoom_about(event->position(), std::pow(1.0015, turned.y()));
  card_->hide();
  update();
  event->accept();
}

int TreeCanvas::item_at(QPoint pixel) const {
  if (layout_.rows() == 0) return -1;
  const int row = std::clamp(static_cast<int>(std::lround(camera_.row_at(pixel.y()))), 0, layout_.rows() - 1);
  const int place = layout_.nearest(row, static_cast<float>(camera_.slot_at(pixel.x())));
  if (place < 0) return -1;
  const TreeLayout::Place& p = layout_.places()[static_cast<std::size_t>(place)];
  const QPointF away(camera_.x(p.x) - pixel.x(), camera_.y(row) - pixel.y());
  const double r = TreePainter::radius(tree_.items[static_cast<std::size_t>(p.item)], TreePainter::room(layout_, row, place, camera_.slot_px()), camera_.row_px());
  return std::hypot(away.x(), away.y()) <= std::max(r + 3, std::min(hit_distance, camera_.row_px() / 2)) ? p.item : -1;
}

void TreeCanvas::hover(QPoint pixel) {
  const int item = item_at(pixel);
  if (item != hovered_) {
    hovered_ = item;
    update();
  }
  if (item >= 0 && texts_.card) card_->show_at(texts_.card(item), pixel);
  else card_->hide();
}

void TreeCanvas::go_to_minimap(QPoint pixel) {
  const QPointF target = minimap_.target(pixel, size(), layout_);
  camera_.center_on(target.x(), static_cast<int>(std::lround(target.y())));
  update();
}

void TreeCanvas::mousePressEvent(QMouseEvent* event) {
  drag_from_ = event->pos();
  card_->hide();
  if (!camera_.whole() && minimap_.rect(size()).contains(event->pos())) {
    drag_ = Drag::minimap;
    return go_to_minimap(event->pos());
  }
  drag_ = event->button() == Qt::RightButton ? Drag::none : Drag::pending;
  if (const int item = item_at(event->pos()); item >= 0) select(item, false);
}

void TreeCanvas::mouseMoveEvent(QMouseEvent* event) {
  if (drag_ == Drag::none) return hover(event->pos());
  if (drag_ == Drag::minimap) return go_to_minimap(event->pos());
  if (drag_ == Drag::pending && (event->pos() - drag_from_).manhattanLength() < drag_threshold) return;
  drag_ = Drag::view;
  setCursor(Qt::ClosedHandCursor);
  camera_.move_by(QPointF(drag_from_ - event->pos()));
  drag_from_ = event->pos();
  update();
}

void TreeCanvas::mouseReleaseEvent(QMouseEvent*) {
  drag_ = Drag::none;
  unsetCursor();
}

void TreeCanvas::mouseDoubleClickEvent(QMouseEvent* event) {
  if (const int item = item_at(event->pos()); item >= 0) Q_EMIT activated(item);
}

void TreeCanvas::leaveEvent(QEvent*) {
  hovered_ = -1;
  card_->hide();
  update();
}

void TreeCanvas::select(int item, bool bring_into_view) {
  const bool changed = item != selected_;
  selected_ = item;
  for (int above = item >= 0 ? tree_.items[static_cast<std::size_t>(item)].parent : -1; above >= 0; above = tree_.items[static_cast<std::size_t>(above)].parent)
    if (is_collapsed(above) && bring_into_view) set_collapsed(above, false);
  if (const int place = layout_.place_of(item); place >= 0 && bring_into_view) {
    const double slot = static_cast<double>(layout_.places()[static_cast<std::size_t>(place)].x);
    const int row = layout_.row_of(place);
    if (!QRectF(rect()).adjusted(30, 30, -30, -30).contains(QPointF(camera_.x(slot), camera_.y(row)))) camera_.center_on(slot, row);
  }
  update();
  if (!changed) return;
  if (item >= 0 && texts_.card) setAccessibleDescription(texts_.card(item).title);
  Q_EMIT selected_changed(item);
}

void TreeCanvas::select_best() {
  if (!best_.empty()) select(best_.back(), true);
}

void TreeCanvas::set_collapsed(int item, bool collapsed) {
  if (item < 0 || is_collapsed(item) == collapsed) return;
  collapsed_[static_cast<std::size_t>(item)] = collapsed ? 1 : 0;
  relayout(item);
  Q_EMIT folded(item, collapsed);
}

void TreeCanvas::collapse_below(int rows) {
  std::vector<int> depth(tree_.items.size(), 0);
  for (std::size_t i = 0; i < tree_.items.size(); ++i) {
    const int parent = tree_.items[i].parent;
    if (parent >= 0) depth[i] = depth[static_cast<std::size_t>(parent)] + 1;
    collapsed_[i] = rows >= 0 && depth[i] >= rows ? 1 : 0;
  }
  relayout(-1);
  fit();
}

void TreeCanvas::walk(int key) {
  int place = layout_.place_of(selected_);
  if (place < 0) {
    if (layout_.rows() > 0) select(layout_.places().front().item, true);
    return;
  }
  const TreeLayout::Place& p = layout_.places()[static_cast<std::size_t>(place)];
  const int row = layout_.row_of(place);
  if (key == Qt::Key_Left && place > layout_.row_begin(row)) --place;
  if (key == Qt::Key_Right && place + 1 < layout_.row_begin(row + 1)) ++place;
  if (key == Qt::Key_Up && p.parent >= 0) place = p.parent;
  if (key == Qt::Key_Down && p.children > 0) place = p.first_child + (p.children - 1) / 2;
  if (key == Qt::Key_Home) place = 0;
  select(layout_.places()[static_cast<std::size_t>(place)].item, true);
}

void TreeCanvas::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (event->modifiers().testFlag(Qt::ControlModifier)) {
    const QPointF step = key == Qt::Key_Left ? QPointF(-pan_step, 0) : key == Qt::Key_Right ? QPointF(pan_step, 0)
                         : key == Qt::Key_Up ? QPointF(0, -pan_step) : key == Qt::Key_Down ? QPointF(0, pan_step) : QPointF();
    if (step.isNull()) return QWidget::keyPressEvent(event);
    camera_.move_by(step);
    return update();
  }
  switch (key) {
    case Qt::Key_Left: case Qt::Key_Right: case Qt::Key_Up: case Qt::Key_Down: case Qt::Key_Home: return walk(key);
    case Qt::Key_End: return select_best();
    case Qt::Key_Plus: case Qt::Key_Equal: return zoom_in();
    case Qt::Key_Minus: return zoom_out();
    case Qt::Key_F: return fit();
    case Qt::Key_Space:
      if (selected_ >= 0) set_collapsed(selected_, !is_collapsed(selected_));
      return;
    case Qt::Key_Return: case Qt::Key_Enter:
      if (selected_ >= 0) Q_EMIT activated(selected_);
      return;
    default: QWidget::keyPressEvent(event);
  }
}

QString TreeCanvas::save(const QString& path) {
  return save_picture(*this, path, [this](QPainter& painter, bool vector) { paint_view(painter, rect(), vector); });
}

}  // namespace kw::ui
