#include "ui/widgets/tree/tree_minimap.h"

#include <algorithm>

namespace kw::ui {
namespace {

constexpr int margin = 12, largest_width = 240, largest_height = 110;

}  // namespace

QRect TreeMinimap::rect(QSize view) const {
  const int width = std::min(largest_width, view.width() / 4), height = std::min(largest_height, view.height() / 4);
  return {view.width() - width - margin, view.height() - height - margin, width, height};
}

QPointF TreeMinimap::target(QPoint pixel, QSize view, const TreeLayout& layout) const {
  const QRect r = rect(view);
  return {(pixel.x() - r.left()) * static_cast<double>(layout.width()) / r.width(), (pixel.y() - r.top()) * static_cast<double>(layout.rows()) / r.height() - 0.5};
}

QRectF TreeMinimap::frame_of(const TreeCamera& camera, QSize view, const TreeLayout& layout) const {
  const QRect r = rect(view);
  const auto x = [&](double pixel) { return r.left() + std::clamp(camera.slot_at(pixel) / std::max(1.0, static_cast<double>(layout.width())), 0.0, 1.0) * r.width(); };
  const auto y = [&](double pixel) { return r.top() + std::clamp((camera.row_at(pixel) + 0.5) / std::max(1, layout.rows()), 0.0, 1.0) * r.height(); };
  return {QPointF(x(0), y(0)), QPointF(x(view.width()), y(view.height()))};
}

void TreeMinimap::paint(QPainter& painter, TreePainter& tree_painter, const TreeScene& scene, const TreeCamera& camera, const CanvasColors& colors, const QFont& font) {
  const QSize view = camera.view().toSize();
  const QRect r = rect(view);
  const qreal scale = painter.device()->devicePixelRatioF();
  if (picture_.size() != r.size() * scale) {
    picture_ = QPixmap(r.size() * scale);
    picture_.setDevicePixelRatio(scale);
    picture_.fill(colors.card);
    QPainter p(&picture_);
    p.setFont(font);
    const TreeScene plain{scene.tree, scene.layout, scene.texts, scene.collapsed, scene.best, -1, -1};
    tree_painter.paint(p, plain, TreeCamera::squeezed(r.size(), scene.layout.width(), scene.layout.rows()), colors, QRect(QPoint(0, 0), r.size()));
  }
  painter.drawPixmap(r.topLeft(), picture_);
  painter.setBrush(Qt::NoBrush);
  painter.setPen(colors.card_border);
  painter.drawRect(r.adjusted(0, 0, -1, -1));
  QRectF frame = frame_of(camera, view, scene.layout);
  frame.setWidth(std::max(3.0, frame.width()));
  QColor inside = colors.accent;
  inside.setAlpha(40);
  painter.setPen(QPen(colors.accent, 1.5));
  painter.setBrush(inside);
  painter.drawRect(frame.adjusted(0, 0, -1, -1));
}

}  // namespace kw::ui
