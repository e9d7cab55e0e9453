#pragma once
// What the tree canvas draws: plain data, one item a node, in the order in which the nodes came.

#include <cstdint>
#include <functional>
#include <vector>

#include <QString>

#include "ui/widgets/canvas/card.h"

namespace kw::ui {

struct TreeItem {
  enum Flag : std::uint8_t { best = 1, pinned = 2, banned = 4, faded = 8, matched = 16, hidden = 32 };   // hidden: with all that hangs under it
  int parent = -1;             // the item that it hangs under, always an earlier one; -1: a root
  std::uint32_t visits = 0;
  float speedup = 0;           // 0: not measured
  std::uint8_t style = 0;      // row of verdict_styles()
  std::uint8_t flags = 0;
  bool has(Flag flag) const { return (flags & flag) != 0; }
};

// An edge from a further parent; it is drawn thin and has no say in the layout.
struct TreeLink { int from = -1, to = -1; };

struct TreeItems {
  std::vector<TreeItem> items;
  std::vector<TreeLink> links;
};

// Text is asked for when it is drawn.
struct TreeTexts {
  std::function<QString(int item)> edge;     // the edit that led to it
  std::function<Card(int item)> card;
};

}  // namespace kw::ui
