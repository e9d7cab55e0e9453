#pragma once
// How one node looks: shape, colour and glyph of its verdict, rings and signs. Painted once a size and kept as a picture. GUI thread.

#include <QHash>
#include <QPainter>
#include <QPixmap>

#include "ui/widgets/palette.h"
#include "ui/widgets/tree/tree_items.h"

namespace kw::ui {

void paint_node(QPainter& painter, QPointF center, int radius, const TreeItem& item, const CanvasColors& colors);

class NodeSprites {
 public:
  void prepare(const CanvasColors& colors, qreal scale);
  void draw(QPainter& painter, QPoint center, int radius, const TreeItem& item);

 private:
  CanvasColors colors_;
  qreal scale_ = 0;
  QHash<std::uint32_t, QPixmap> pictures_;
};

}  // namespace kw::ui
