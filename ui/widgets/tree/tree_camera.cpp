#include "ui/widgets/tree/tree_camera.h"

#include <algorithm>
#include <cmath>

namespace kw::ui {
namespace {

constexpr double margin = 24, shortest_row = 16;

// Where the content is smaller than the view it stands in the middle, else it cannot be lost.
double kept(double offset, double content, double view) {
  return content <= view ? (content - view) / 2 : std::clamp(offset, -view * 0.4, content - view * 0.6);
}

}  // namespace

TreeCamera TreeCamera::squeezed(QSizeF view, double slot_count, int rows) {
  TreeCamera camera;
  camera.view_ = view;
  camera.slot_px_ = view.width() / std::max(1.0, slot_count);
  camera.row_px_ = view.height() / std::max(1, rows);
  return camera;
}

void TreeCamera::set_bounds(QSizeF view, double slot_count, int rows) {
  const bool was_whole = whole();
  view_ = {std::max(1.0, view.width()), std::max(1.0, view.height())};
  slot_count_ = std::max(1.0, slot_count);
  rows_ = std::max(1, rows);
  narrowest_ = std::min(widest_slot, std::max(1.0, view_.width() - 2 * margin) / slot_count_);
  if (was_whole) return fit();
  slot_px_ = std::clamp(slot_px_, narrowest_, widest_slot);
  row_px_ = row_px_at(slot_px_);
  keep_inside();
}

// From the pitch that shows all rows, if they can be told apart there, to the tallest half way to the largest zoom.
double TreeCamera::row_px_at(double slot_px) const {
  const double all = std::clamp((view_.height() - 2 * margin) / rows_, shortest_row, tallest_row);
  if (narrowest_ >= widest_slot) return tallest_row;
  const double way = std::log(slot_px / narrowest_) / std::log(widest_slot / narrowest_);
  return all * std::pow(tallest_row / all, std::min(1.0, 2 * way));
}

void TreeCamera::fit() {
  slot_px_ = narrowest_;
  row_px_ = row_px_at(slot_px_);
  offset_ = {(slot_count_ * slot_px_ - view_.width()) / 2, -margin};
  keep_inside();
}

void TreeCamera::zoom_about(QPointF pixel, double factor) {
  const double slot = slot_at(pixel.x()), row = row_at(pixel.y());
  slot_px_ = std::clamp(slot_px_ * factor, narrowest_, widest_slot);
  row_px_ = row_px_at(slot_px_);
  offset_ = {slot * slot_px_ - pixel.x(), (row + 0.5) * row_px_ - pixel.y()};
  keep_inside();
}

void TreeCamera::move_by(QPointF pixels) {
  offset_ += pixels;
  keep_inside();
}

void TreeCamera::center_on(double slot, int row) {
  offset_ = {slot * slot_px_ - view_.width() / 2, (row + 0.5) * row_px_ - view_.height() / 2};
  keep_inside();
}

void TreeCamera::keep_inside() {
  const double height = rows_ * row_px_;
  offset_.setX(kept(offset_.x(), slot_count_ * slot_px_, view_.width()));
  offset_.setY(height + 2 * margin <= view_.height() ? -margin : kept(offset_.y(), height, view_.height()));
}

}  // namespace kw::ui
