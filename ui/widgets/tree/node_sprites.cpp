#include "ui/widgets/tree/node_sprites.h"

#include <algorithm>

namespace kw::ui {
namespace {

constexpr int room_for_signs = 6;      // px around a node
constexpr int smallest_with_glyph = 6;

void paint_shape(QPainter& painter, QPointF c, double r, NodeShape shape, const QColor& color, const QColor& background) {
  if (shape == NodeShape::ring) {
    painter.setPen(QPen(color, std::max(1.2, r * 0.2)));
    painter.setBrush(background);
    painter.drawEllipse(c, r * 0.88, r * 0.88);
    return;
  }
  painter.setPen(Qt::NoPen);
  painter.setBrush(color);
  if (shape == NodeShape::disc) painter.drawEllipse(c, r, r);
  else painter.drawRoundedRect(QRectF(c.x() - r * 0.9, c.y() - r * 0.9, r * 1.8, r * 1.8), r * 0.3, r * 0.3);
}

void paint_glyph(QPainter& painter, QPointF c, double r, const VerdictStyle& style, const QColor& color) {
  QFont font = painter.font();
  font.setPixelSize(std::max(7, static_cast<int>(r * 1.15)));
  font.setBold(true);
  painter.setFont(font);
  painter.setPen(style.shape == NodeShape::ring ? color : text_on(color));
  painter.drawText(QRectF(c.x() - r * 2, c.y() - r * 2, r * 4, r * 4), Qt::AlignCenter, QString::fromUtf8(style.glyph));
}

// A drawing pin at the upper right.
void paint_pin(QPainter& painter, QPointF c, double r, const CanvasColors& colors) {
  const QPointF head(c.x() + r * 0.75, c.y() - r * 0.75);
  painter.setPen(QPen(colors.background, 1.5));
  painter.setBrush(colors.accent);
  painter.drawEllipse(head, 4.2, 4.2);
  painter.setPen(QPen(colors.background, 1.3));
  painter.drawLine(head + QPointF(0, -2), head + QPointF(0, 2));
}

// A bar across and a frame: nothing grows here.
void paint_ban(QPainter& painter, QPointF c, double r, const CanvasColors& colors) {
  const QColor red = colors.dark ? QColor(0xff, 0x7b, 0x72) : QColor(0xb3, 0x26, 0x1e);
  painter.setPen(QPen(colors.background, 4.5));
  painter.drawLine(c + QPointF(-r, r), c + QPointF(r, -r));
  painter.setPen(QPen(red, 2.2));
  painter.setBrush(Qt::NoBrush);
  painter.drawLine(c + QPointF(-r, r), c + QPointF(r, -r));
  painter.drawEllipse(c, r + 1.5, r + 1.5);
}

}  // namespace

void paint_node(QPainter& painter, QPointF center, int radius, const TreeItem& item, const CanvasColors& colors) {
  const VerdictStyle& style = verdict_style(item.style);
  const bool faded = item.has(TreeItem::faded);
  const QColor color = faded ? colors.faded : style.color(colors.dark);
  if (item.has(TreeItem::matched) && !faded && radius >= smallest_with_glyph) {
    painter.setPen(QPen(colors.accent, 2));
    painter.setBrush(Qt::NoBrush);
    painter.drawEllipse(center, radius + 3.5, radius + 3.5);
  }
  if (item.has(TreeItem::best)) {
    painter.setPen(QPen(colors.best, 2));
    painter.setBrush(colors.background);
    painter.drawEllipse(center, radius + 2.0, radius + 2.0);
  }
  paint_shape(painter, center, radius, style.shape, color, colors.background);
  if (radius >= smallest_with_glyph && !faded) paint_glyph(painter, center, radius, style, color);
  if (item.has(TreeItem::banned)) paint_ban(painter, center, radius, colors);
  if (item.has(TreeItem::pinned)) paint_pin(painter, center, std::max(radius, 5), colors);
}

void NodeSprites::prepare(const CanvasColors& colors, qreal scale) {
  if (colors.background == colors_.background && colors.text == colors_.text && scale == scale_) return;
  colors_ = colors;
  scale_ = scale;
  pictures_.clear();
}

void NodeSprites::draw(QPainter& painter, QPoint center, int radius, const TreeItem& item) {
  const int half = radius + room_for_signs;
  const std::uint32_t key = item.style | static_cast<std::uint32_t>(item.flags) << 8 | static_cast<std::uint32_t>(radius) << 16;
  auto found = pictures_.find(key);
  if (found == pictures_.end()) {
    QPixmap picture(QSize(2 * half, 2 * half) * scale_);
    picture.setDevicePixelRatio(scale_);
    picture.fill(Qt::transparent);
    QPainter p(&picture);
    p.setRenderHint(QPainter::Antialiasing);
    paint_node(p, QPointF(half, half), radius, item, colors_);
    p.end();
    found = pictures_.insert(key, picture);
  }
  painter.drawPixmap(center - QPoint(half, half), *found);
}

}  // namespace kw::ui
