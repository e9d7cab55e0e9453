#include "ui/widgets/canvas/text_cache.h"

#include <algorithm>
#include <cmath>

#include <QFontMetrics>

namespace kw::ui {

void TextCache::prepare(const QFont& font, qreal scale) {
  if (font == font_ && scale == scale_) return;
  font_ = font;
  scale_ = scale;
  pictures_.clear();
}

int TextCache::width_of(const QString& text) const { return QFontMetrics(font_).horizontalAdvance(text); }

void TextCache::draw(QPainter& painter, QPointF center, const QString& text, int width, const Look& look) {
  if (width < 8 || text.isEmpty()) return;
  if (look.vector) {
    const QFontMetrics metrics(font_);
    const QString shown = metrics.elidedText(text, Qt::ElideMiddle, width);
    painter.setFont(font_);
    painter.setPen(look.color);
    painter.drawText(QPointF(center.x() - metrics.horizontalAdvance(shown) / 2.0, center.y() + (metrics.ascent() - metrics.descent()) / 2.0), shown);
    return;
  }
  const int steps = width / 12;   // one picture serves a range of widths
  const QString key = text + QChar(static_cast<ushort>(0xE000 + std::min(steps, 200))) + QString::number(look.color.rgba(), 16);
  QPixmap* picture = pictures_.object(key);
  if (picture == nullptr) {
    const QFontMetrics metrics(font_);
    const QString shown = metrics.elidedText(text, Qt::ElideMiddle, std::max(steps * 12, 8));
    const QSize size(std::max(1, metrics.horizontalAdvance(shown) + 2), metrics.height());
    picture = new QPixmap(size * scale_);
    picture->setDevicePixelRatio(scale_);
    picture->fill(look.behind);
    QPainter p(picture);
    p.setFont(font_);
    p.setPen(look.color);
    p.drawText(QRect(QPoint(0, 0), size), Qt::AlignCenter, shown);
    p.end();
    pictures_.insert(key, picture);
  }
  const QSizeF size = picture->deviceIndependentSize();
  painter.drawPixmap(QPoint(static_cast<int>(std::lround(center.x() - size.width() / 2)), static_cast<int>(std::lround(center.y() - size.height() / 2))), *picture);
}

}  // namespace kw::ui
