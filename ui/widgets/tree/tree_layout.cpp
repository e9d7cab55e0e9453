#include "ui/widgets/tree/tree_layout.h"

#include <algorithm>

namespace kw::ui {
namespace {

// Children of each item as one flat list, in the order of items; the roots are the children of -1.
struct Children {
  std::vector<int> begin, list;
  explicit Children(const std::vector<TreeItem>& items) : begin(items.size() + 2, 0), list(items.size()) {
    for (const TreeItem& item : items) ++begin[slot(item.parent) + 1];
    for (std::size_t i = 1; i < begin.size(); ++i) begin[i] += begin[i - 1];
    std::vector<int> next(begin.begin(), begin.end() - 1);
    for (std::size_t i = 0; i < items.size(); ++i) list[static_cast<std::size_t>(next[slot(items[i].parent)]++)] = static_cast<int>(i);
  }
  static std::size_t slot(int parent) { return static_cast<std::size_t>(parent + 1); }
  std::span<const int> of(int parent) const {
    const auto from = static_cast<std::size_t>(begin[slot(parent)]), to = static_cast<std::size_t>(begin[slot(parent) + 1]);
    return {list.data() + from, to - from};
  }
};

}  // namespace

void TreeLayout::update(const std::vector<TreeItem>& items, const std::vector<char>& collapsed) {
  order_by_rows(items, collapsed);
  place_strips();
}

void TreeLayout::order_by_rows(const std::vector<TreeItem>& items, const std::vector<char>& collapsed) {
  const Children children(items);
  places_.clear();
  places_.reserve(items.size());
  place_of_.assign(items.size(), -1);
  row_begin_.assign(1, 0);
  const auto add = [&](int item, int parent) {
    if (items[static_cast<std::size_t>(item)].has(TreeItem::hidden)) return;
    place_of_[static_cast<std::size_t>(item)] = static_cast<int>(places_.size());
    Place place;
    place.item = item;
    place.parent = parent;
    places_.push_back(place);
  };
  for (int root : children.of(-1)) add(root, -1);
  for (std::size_t next = 0; next < places_.size();) {
    const std::size_t end = places_.size();
    row_begin_.push_back(static_cast<int>(end));
    for (; next < end; ++next) {
      const int item = places_[next].item, first = static_cast<int>(places_.size());
      if (collapsed[static_cast<std::size_t>(item)] == 0)
        for (int child : children.of(item)) add(child, static_cast<int>(next));
      places_[next].first_child = first;
      places_[next].children = static_cast<int>(places_.size()) - first;
    }
  }
}

void TreeLayout::place_strips() {
  for (std::size_t i = places_.size(); i-- > 0;) {
    Place& p = places_[i];
    if (p.children == 0) p.width = 1;
    if (p.parent < 0) continue;
    Place& parent = places_[static_cast<std::size_t>(p.parent)];
    parent.width = static_cast<int>(i) == parent.first_child + parent.children - 1 ? p.width : parent.width + p.width;
  }
  width_ = 0;
  for (Place& p : places_) {
    if (p.parent < 0) {
      p.left = width_;
      width_ += p.width;
    }
    float left = p.left;
    for (int c = p.first_child; c < p.first_child + p.children; ++c) {
      places_[static_cast<std::size_t>(c)].left = left;
      left += places_[static_cast<std::size_t>(c)].width;
    }
  }
  for (std::size_t i = places_.size(); i-- > 0;) {
    Place& p = places_[i];
    p.x = p.children == 0 ? p.left + 0.5f
                          : (places_[static_cast<std::size_t>(p.first_child)].x + places_[static_cast<std::size_t>(p.first_child + p.children - 1)].x) / 2;
  }
}

int TreeLayout::row_of(int place) const {
  return static_cast<int>(std::upper_bound(row_begin_.begin(), row_begin_.end(), place) - row_begin_.begin()) - 1;
}

int TreeLayout::place_of(int item) const {
  return item >= 0 && item < static_cast<int>(place_of_.size()) ? place_of_[static_cast<std::size_t>(item)] : -1;
}

std::pair<int, int> TreeLayout::touching(int row, float from, float to) const {
  const auto begin = places_.begin() + row_begin(row), end = places_.begin() + row_begin(row + 1);
  const auto first = std::partition_point(begin, end, [&](const Place& p) { return p.left + p.width <= from; });
  const auto last = std::partition_point(first, end, [&](const Place& p) { return p.left < to; });
  return {static_cast<int>(first - places_.begin()), static_cast<int>(last - places_.begin())};
}

int TreeLayout::nearest(int row, float x) const {
  const auto begin = places_.begin() + row_begin(row), end = places_.begin() + row_begin(row + 1);
  if (begin == end) return -1;
  auto found = std::partition_point(begin, end, [&](const Place& p) { return p.x < x; });
  if (found == end || (found != begin && x - (found - 1)->x <= found->x - x)) --found;
  return static_cast<int>(found - places_.begin());
}

}  // namespace kw::ui
