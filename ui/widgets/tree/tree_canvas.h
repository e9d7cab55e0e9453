#pragma once
// A search tree to look at: zoom (wheel, + and -), pan (drag, Ctrl and arrows), minimap, hover card, selection and keyboard walk, folding.
// It knows nothing of sessions: items go in by set_tree, what the user does comes out as signals. GUI thread.

#include <QWidget>

#include "ui/widgets/canvas/hover_card.h"
#include "ui/widgets/tree/tree_minimap.h"

namespace kw::ui {

class TreeCanvas : public QWidget {
  Q_OBJECT

 public:
  explicit TreeCanvas(QWidget* parent = nullptr);

  // The same items in the same order, changed or longer, keep camera, selection and folds; `anew` forgets them.
  void set_tree(TreeItems tree, bool anew = false);
  void set_texts(TreeTexts texts) { texts_ = std::move(texts); }
  void set_empty_text(const QString& text);    // said in place of a tree without nodes
  void set_badge(const QString& text);         // upper left: "frozen, 12 newer nodes"

  const TreeItems& tree() const { return tree_; }
  const TreeLayout& layout_of_tree() const { return layout_; }
  const TreeCamera& camera() const { return camera_; }
  int selected() const { return selected_; }
  int item_at(QPoint pixel) const;             // -1: none
  bool is_collapsed(int item) const { return collapsed_[static_cast<std::size_t>(item)] != 0; }

  void select(int item, bool bring_into_view);
  void set_collapsed(int item, bool collapsed);
  void collapse_below(int rows);               // what is deeper is folded; a negative number unfolds all
  QString save(const QString& path);           // what is seen, as .png or .svg; "" or what went wrong
  void paint_view(QPainter& painter, const QRect& clip, bool vector = false);

 public Q_SLOTS:
  void fit();
  void zoom_in() { zoom(1.5); }
  void zoom_out() { zoom(1 / 1.5); }
  void select_best();

 Q_SIGNALS:
  void selected_changed(int item);
  void activated(int item);                    // double click or Enter
  void folded(int item, bool collapsed);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  enum class Drag { none, pending, view, minimap };
  TreeScene scene() const { return {tree_, layout_, texts_, collapsed_, best_, selected_, hovered_}; }
  void relayout(int kept);                     // an item that stays at its pixel; -1: none
  int anchor() const;
  QPointF pixel_of(int place) const;
  void zoom(double factor);
  void hover(QPoint pixel);
  void walk(int key);
  void go_to_minimap(QPoint pixel);

  TreeItems tree_;
  TreeTexts texts_;
  TreeLayout layout_;
  TreeCamera camera_;
  TreePainter painter_, minimap_painter_;
  TreeMinimap minimap_;
  HoverCard* card_ = nullptr;
  std::vector<char> collapsed_;
  std::vector<int> best_;
  QString empty_text_, badge_;
  int selected_ = -1, hovered_ = -1;
  Drag drag_ = Drag::none;
  QPoint drag_from_;
};

}  // namespace kw::ui
