#pragma once
// Paints what a camera sees of a tree. The cost follows pixels, not nodes: rows and strips outside are found by halving, and where strips are
// narrower than a pixel one stands for all that share it. Edges are elbows (rectangles only). GUI thread; no state but pictures.

#include <array>

#include <QPainter>
#include <QRect>

#include "ui/widgets/palette.h"
#include "ui/widgets/canvas/text_cache.h"
#include "ui/widgets/tree/node_sprites.h"
#include "ui/widgets/tree/tree_camera.h"
#include "ui/widgets/tree/tree_layout.h"

namespace kw::ui {

struct TreeScene {
  const TreeItems& tree;
  const TreeLayout& layout;
  const TreeTexts& texts;
  const std::vector<char>& collapsed;
  const std::vector<int>& best;        // items on the best path
  int selected = -1, hovered = -1;     // items
};

class TreePainter {
 public:
  // `clip`: what of the view has to be painted. `vector`: no pictures, for SVG.
  void paint(QPainter& painter, const TreeScene& scene, const TreeCamera& camera, const CanvasColors& colors, const QRect& clip, bool vector = false);

  // px; how large a node is drawn where its neighbours leave `room` px.
  static double radius(const TreeItem& item, double room, double row_px);
  // px between a place and its nearer neighbour in the row.
  static double room(const TreeLayout& layout, int row, int place, double slot_px);

 private:
  struct Frame;
  void add_edges(const Frame& frame, int row);
  void add_drops(const Frame& frame, const TreeLayout::Place& parent, int mid, int bottom);
  void paint_edges(const Frame& frame);
  void paint_path(const Frame& frame, const std::vector<int>& items, const QColor& color);
  void paint_ring(const Frame& frame, int item, const QColor& color);
  void paint_links(const Frame& frame);
  void paint_row(const Frame& frame, int row);
  void paint_labels(const Frame& frame, int place, QPointF center, double r, double room);
  void paint_marks(const Frame& frame);

  std::vector<QRect> edges_, dense_edges_;
  std::array<std::vector<QRect>, 32> marks_;   // by style; the last: faded
  NodeSprites sprites_;
  TextCache texts_;
};

}  // namespace kw::ui
