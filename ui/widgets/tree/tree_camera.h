#pragma once
// Which part of the layout is seen. Across, a slot is between a sliver and 160 px wide; down, rows keep a pitch at which they can be told apart,
// so a broad tree stays readable where one scale for both would leave a line of it.

#include <QPointF>
#include <QSizeF>

namespace kw::ui {

class TreeCamera {
 public:
  static constexpr double widest_slot = 160, tallest_row = 96;

  // All of it in a small picture, both ways.
  static TreeCamera squeezed(QSizeF view, double slot_count, int rows);

  // Of what there is to see; the zoom stays within it.
  void set_bounds(QSizeF view, double slot_count, int rows);
  void fit();
  void zoom_about(QPointF pixel, double factor);
  void move_by(QPointF pixels);
  void center_on(double slot, int row);
  bool whole() const { return slot_px_ <= narrowest_; }

  double slot_px() const { return slot_px_; }
  double row_px() const { return row_px_; }
  double x(double slot) const { return slot * slot_px_ - offset_.x(); }
  double y(int row) const { return (row + 0.5) * row_px_ - offset_.y(); }
  double slot_at(double x) const { return (x + offset_.x()) / slot_px_; }
  double row_at(double y) const { return (y + offset_.y()) / row_px_ - 0.5; }
  QSizeF view() const { return view_; }

 private:
  double row_px_at(double slot_px) const;
  void keep_inside();

  QSizeF view_ = {1, 1};
  double slot_count_ = 1;
  int rows_ = 1;
  double narrowest_ = widest_slot;     // px a slot at which all are seen
  double slot_px_ = widest_slot, row_px_ = tallest_row;
  QPointF offset_;
};

}  // namespace kw::ui
