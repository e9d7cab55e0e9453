#pragma once
// The whole tree in a corner, with a frame around what is seen. Its picture is painted when the tree or the colours changed.

#include <QPixmap>
#include <QRect>

#include "ui/widgets/tree/tree_painter.h"

namespace kw::ui {

class TreeMinimap {
 public:
  void forget() { picture_ = {}; }
  QRect rect(QSize view) const;
  void paint(QPainter& painter, TreePainter& tree_painter, const TreeScene& scene, const TreeCamera& camera, const CanvasColors& colors, const QFont& font);
  // Of a pixel of the view: the slot and row that it stands for.
  QPointF target(QPoint pixel, QSize view, const TreeLayout& layout) const;

 private:
  QRectF frame_of(const TreeCamera& camera, QSize view, const TreeLayout& layout) const;
  QPixmap picture_;
};

}  // namespace kw::ui
