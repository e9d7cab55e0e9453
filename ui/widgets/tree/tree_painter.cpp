#include "ui/widgets/tree/tree_painter.h"

#include <algorithm>
#include <cmath>

namespace kw::ui {
namespace {

using Place = TreeLayout::Place;

constexpr double mark_px = 2;           // of marks that are narrower, one stands for its neighbours
constexpr double smallest_sprite = 3.0;        // px; below, a node is a mark of one colour
constexpr double label_row = 44, edit_row = 80, edit_room = 92;   // px from which there is room for speedups and for edits
constexpr int widest_edit = 260, overhang = widest_edit / 2 + 10;   // px by which a label may reach into the view
constexpr std::size_t faded_marks = 31;
constexpr std::size_t links_at_once = 400;
constexpr double links_slot = 10;      // px a slot from which they do not cover the tree

int rounded(double v) { return static_cast<int>(std::lround(v)); }

// Appends a rectangle, or widens the last one where they touch: dense rows become few.
void append(std::vector<QRect>& rects, const QRect& r) {
  if (!rects.empty() && rects.back().right() + 1 >= r.left() && rects.back().left() <= r.left() && rects.back().top() == r.top() && rects.back().height() == r.height())
    rects.back().setRight(std::max(rects.back().right(), r.right()));
  else
    rects.push_back(r);
}

// Calls f(place) for places [first, last), sorted along x: for each, or for one a cell (1 where `cells_a_slot` is px) where they are denser.
template <class Position, class F>
void each_cell(int first, int last, double cells_a_slot, Position position, F f) {
  for (int p = first; p < last;) {
    f(p);
    const double next_cell = std::floor(position(p) * cells_a_slot) + 1;
    int step = 1;
    while (p + step < last && position(p + step) * cells_a_slot < next_cell) step *= 2;   // gallop, then halve
    int low = p + step / 2, high = std::min(p + step, last);
    while (high - low > 1) {
      const int middle = (low + high) / 2;
      (position(middle) * cells_a_slot < next_cell ? low : high) = middle;
    }
    p = std::max(high, p + 1);
  }
}

QString speedup_text(float speedup) { return QString::number(static_cast<double>(speedup), 'f', speedup < 9.995f ? 2 : 1) + QStringLiteral("×"); }

}  // namespace

struct TreePainter::Frame {
  QPainter& painter;
  const TreeScene& scene;
  const TreeCamera& camera;
  const CanvasColors& colors;
  QRect clip;
  bool vector;

  const Place& place(int p) const { return scene.layout.places()[static_cast<std::size_t>(p)]; }
  const TreeItem& item(int p) const { return scene.tree.items[static_cast<std::size_t>(place(p).item)]; }
  double left() const { return camera.slot_at(clip.left() - overhang); }
  double right() const { return camera.slot_at(clip.right() + overhang); }
  int first_row(double extra) const { return std::max(0, static_cast<int>(std::floor(camera.row_at(clip.top()) - extra))); }
  int end_row() const { return std::min(scene.layout.rows(), static_cast<int>(std::ceil(camera.row_at(clip.bottom()) + 0.5)) + 1); }
};

double TreePainter::radius(const TreeItem& item, double room, double row_px) {
  const double largest = std::clamp(0.17 * row_px, 2.0, 15.0);
  const double by_visits = largest * (0.58 + 0.42 * std::min(1.0, std::log2(1.0 + item.visits) / 12));
  return std::min(by_visits, 0.40 * room);
}

double TreePainter::room(const TreeLayout& layout, int row, int place, double slot_px) {
  const auto& places = layout.places();
  const auto x = [&](int p) { return static_cast<double>(places[static_cast<std::size_t>(p)].x); };
  double distance = 1e6;
  if (place > layout.row_begin(row)) distance = x(place) - x(place - 1);
  if (place + 1 < layout.row_begin(row + 1)) distance = std::min(distance, x(place + 1) - x(place));
  return distance * slot_px;
}

void TreePainter::paint(QPainter& painter, const TreeScene& scene, const TreeCamera& camera, const CanvasColors& colors, const QRect& clip, bool vector) {
  const Frame frame{painter, scene, camera, colors, clip, vector};
  const qreal scale = painter.device()->devicePixelRatioF();
  QFont font = painter.font();
  font.setPointSizeF(font.pointSizeF() * 0.88);
  sprites_.prepare(colors, scale);
  texts_.prepare(font, scale);
  edges_.clear();
  dense_edges_.clear();
  for (auto& list : marks_) list.clear();
  for (int row = frame.first_row(1.5); row < frame.end_row(); ++row) add_edges(frame, row);
  paint_edges(frame);
  paint_links(frame);
  std::vector<int> ancestors;
  for (int item = scene.selected; item >= 0; item = scene.tree.items[static_cast<std::size_t>(item)].parent) ancestors.push_back(item);
  paint_path(frame, ancestors, colors.accent);
  paint_path(frame, scene.best, colors.best);
  for (int row = frame.first_row(0.6); row < frame.end_row(); ++row) paint_row(frame, row);
  paint_marks(frame);
  paint_ring(frame, scene.hovered, colors.faint_text);
  paint_ring(frame, scene.selected, colors.accent);
}

void TreePainter::add_edges(const Frame& frame, int row) {
  const TreeCamera& camera = frame.camera;
  const auto [first, last] = frame.scene.layout.touching(row, static_cast<float>(frame.left()), static_cast<float>(frame.right()));
  const int top = rounded(camera.y(row)), bottom = rounded(camera.y(row + 1)), mid = rounded(camera.y(row) + camera.row_px() * 0.5);
  each_cell(first, last, camera.slot_px(), [&](int p) { return static_cast<double>(frame.place(p).left); }, [&](int p) {
    const Place& parent = frame.place(p);
    if (parent.children == 0) return;
    const int x = rounded(camera.x(parent.x));
    if (parent.width * camera.slot_px() < 1.5) {
      append(dense_edges_, QRect(x, top, 1, bottom - top));
      return;
    }
    append(edges_, QRect(x, top, 1, mid - top));
    const int from = rounded(camera.x(frame.place(parent.first_child).x)), to = rounded(camera.x(frame.place(parent.first_child + parent.children - 1).x));
    const int seen_from = std::max(from, frame.clip.left() - 1), seen_to = std::min(to, frame.clip.right() + 1);
    if (seen_to > seen_from) append(edges_, QRect(seen_from, mid, seen_to - seen_from + 1, 1));
    add_drops(frame, parent, mid, bottom);
  });
}

void TreePainter::add_drops(const Frame& frame, const Place& parent, int mid, int bottom) {
  const auto begin = frame.scene.layout.places().begin();
  const auto first_child = begin + parent.first_child, end_child = first_child + parent.children;
  const auto first = std::partition_point(first_child, end_child, [&](const Place& c) { return c.x < frame.left(); });
  const auto last = std::partition_point(first, end_child, [&](const Place& c) { return c.x <= frame.right(); });
  const bool dense = static_cast<double>(parent.width) / parent.children * frame.camera.slot_px() < 4;
  auto& drops = dense ? dense_edges_ : edges_;
  each_cell(static_cast<int>(first - begin), static_cast<int>(last - begin), frame.camera.slot_px(), [&](int c) { return static_cast<double>(frame.place(c).x); },
             [&](int c) { append(drops, QRect(rounded(frame.camera.x(frame.place(c).x)), mid, 1, bottom - mid)); });
}

void TreePainter::paint_edges(const Frame& frame) {
  for (const auto& [rects, color] : {std::pair(&dense_edges_, frame.colors.grid), std::pair(&edges_, frame.colors.edge)}) {
    frame.painter.setPen(Qt::NoPen);
    frame.painter.setBrush(color);
    if (!rects->empty()) frame.painter.drawRects(rects->data(), static_cast<int>(rects->size()));
  }
}

void TreePainter::paint_path(const Frame& frame, const std::vector<int>& items, const QColor& color) {
  constexpr int half = 1;
  const QRect seen = frame.clip.adjusted(-8, -8, 8, 8);
  for (const int item : items) {
    const int p = frame.scene.layout.place_of(item);
    if (p < 0 || frame.place(p).parent < 0) continue;
    const int row = frame.scene.layout.row_of(p);
    const int x = rounded(frame.camera.x(frame.place(p).x)), parent_x = rounded(frame.camera.x(frame.place(frame.place(p).parent).x));
    const int top = rounded(frame.camera.y(row - 1)), mid = rounded(frame.camera.y(row - 1) + frame.camera.row_px() * 0.5), bottom = rounded(frame.camera.y(row));
    const auto bar = [&](int x0, int y0, int x1, int y1) {
      frame.painter.fillRect(QRect(QPoint(x0 - half, y0 - half), QPoint(x1 + half, y1 + half)).intersected(seen), color);
    };
    bar(parent_x, top, parent_x, mid);
    bar(std::min(x, parent_x), mid, std::max(x, parent_x), mid);
    bar(x, mid, x, bottom);
  }
}

// Those of the item under the pointer and of the selected one; all where there are few of them.
void TreePainter::paint_links(const Frame& frame) {
  const auto& links = frame.scene.tree.links;
  const bool all = links.size() <= links_at_once && frame.camera.slot_px() >= links_slot;
  QPen pen(frame.colors.edge, 1, Qt::DashLine);
  frame.painter.save();
  frame.painter.setRenderHint(QPainter::Antialiasing);
  frame.painter.setClipRect(frame.clip);
  for (const TreeLink& link : links) {
    const auto touches = [&](int item) { return item >= 0 && (link.from == item || link.to == item); };
    const bool marked = touches(frame.scene.selected) || touches(frame.scene.hovered);
    if (!all && !marked) continue;
    const int a = frame.scene.layout.place_of(link.from), b = frame.scene.layout.place_of(link.to);
    if (a < 0 || b < 0) continue;
    const QPointF from(frame.camera.x(frame.place(a).x), frame.camera.y(frame.scene.layout.row_of(a)));
    const QPointF to(frame.camera.x(frame.place(b).x), frame.camera.y(frame.scene.layout.row_of(b)));
    if (!QRectF(from, to).normalized().adjusted(-2, -2, 2, 2).intersects(frame.clip)) continue;
    pen.setColor(marked ? frame.colors.accent : frame.colors.edge);
    frame.painter.setPen(pen);
    frame.painter.drawLine(from, to);
  }
  frame.painter.restore();
}

void TreePainter::paint_row(const Frame& frame, int row) {
  const TreeCamera& camera = frame.camera;
  const TreeLayout& layout = frame.scene.layout;
  const auto [first, last] = layout.touching(row, static_cast<float>(frame.left()), static_cast<float>(frame.right()));
  const double y = camera.y(row);
  each_cell(first, last, camera.slot_px() / mark_px, [&](int p) { return static_cast<double>(frame.place(p).x); }, [&](int p) {
    const double x = camera.x(frame.place(p).x);
    if (x < frame.clip.left() - overhang || x > frame.clip.right() + overhang) return;
    const TreeItem& item = frame.item(p);
    const double space = room(layout, row, p, camera.slot_px());
    const double r = radius(item, space, camera.row_px());
    if (r < smallest_sprite) {
      const bool alone = space > mark_px * 1.5;
      const int width = alone ? std::max(2, rounded(std::min(2 * r, space * 0.75))) : static_cast<int>(mark_px), height = std::clamp(rounded(2 * r), 3, 6);
      append(marks_[item.has(TreeItem::faded) ? faded_marks : item.style], QRect(rounded(x - width / 2.0), rounded(y - height / 2.0), width, height));
      return;
    }
    const QPoint center(rounded(x), rounded(y));
    if (frame.vector) {
      frame.painter.setRenderHint(QPainter::Antialiasing);
      paint_node(frame.painter, center, rounded(r), item, frame.colors);
    } else {
      sprites_.draw(frame.painter, center, rounded(r), item);
    }
    paint_labels(frame, p, center, r, space);
  });
}

void TreePainter::paint_ring(const Frame& frame, int item, const QColor& color) {
  const int p = frame.scene.layout.place_of(item);
  if (p < 0) return;
  const int row = frame.scene.layout.row_of(p);
  const double r = radius(frame.item(p), room(frame.scene.layout, row, p, frame.camera.slot_px()), frame.camera.row_px());
  frame.painter.save();
  frame.painter.setClipRect(frame.clip);
  frame.painter.setRenderHint(QPainter::Antialiasing);
  frame.painter.setPen(QPen(color, 2.5));
  frame.painter.setBrush(Qt::NoBrush);
  frame.painter.drawEllipse(QPointF(frame.camera.x(frame.place(p).x), frame.camera.y(row)), r + 5, r + 5);
  frame.painter.restore();
}

void TreePainter::paint_labels(const Frame& frame, int place, QPointF center, double r, double room) {
  const int item_index = frame.place(place).item;
  const TreeItem& item = frame.item(place);
  if (frame.camera.row_px() < label_row || item.has(TreeItem::faded)) return;
  const bool folded = frame.scene.collapsed[static_cast<std::size_t>(item_index)] != 0;
  if (room >= 44 && (item.speedup > 0 || folded)) {
    const QString text = folded ? QStringLiteral("⊞ ") + (item.speedup > 0 ? speedup_text(item.speedup) : QString()) : speedup_text(item.speedup);
    texts_.draw(frame.painter, center + QPointF(0, r + 9), text, 60,
                {item.has(TreeItem::best) ? frame.colors.best : frame.colors.text, frame.colors.background, frame.vector});
  }
  if (frame.camera.row_px() < edit_row || room < edit_room || !frame.scene.texts.edge) return;
  const QString edit = frame.scene.texts.edge(item_index);
  texts_.draw(frame.painter, center - QPointF(0, r + 12), edit, std::min(rounded(room) - 8, widest_edit),
              {frame.colors.faint_text, frame.colors.background, frame.vector});
}

void TreePainter::paint_marks(const Frame& frame) {
  frame.painter.setPen(Qt::NoPen);
  for (std::size_t style = 0; style < marks_.size(); ++style) {
    if (marks_[style].empty()) continue;
    frame.painter.setBrush(style == faded_marks ? frame.colors.faded : verdict_style(static_cast<std::uint8_t>(style)).color(frame.colors.dark));
    frame.painter.drawRects(marks_[style].data(), static_cast<int>(marks_[style].size()));
  }
}

}  // namespace kw::ui
