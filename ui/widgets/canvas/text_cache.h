#pragma once
// Short labels painted once and copied from then on: laying out text costs more than the rest of a frame. GUI thread, one a canvas.

#include <QCache>
#include <QFont>
#include <QPainter>
#include <QPixmap>

namespace kw::ui {

class TextCache {
 public:
  // Forgets all when the font or the screen's scale changed.
  void prepare(const QFont& font, qreal scale);
  struct Look {
    QColor color, behind = Qt::transparent;
    bool vector = false;               // the painter gets text instead of a picture
  };
  // Centred on `center`, no wider than `width` px.
  void draw(QPainter& painter, QPointF center, const QString& text, int width, const Look& look);
  int width_of(const QString& text) const;

 private:
  QFont font_;
  qreal scale_ = 0;
  QCache<QString, QPixmap> pictures_{4000};
};

}  // namespace kw::ui
