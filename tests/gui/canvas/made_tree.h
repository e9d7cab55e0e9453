#pragma once
// Trees for tests and the bench: like a search's (few deep lines, many short ones), the same for the same seed.

#include <random>

#include "ui/widgets/palette.h"
#include "ui/widgets/tree/tree_items.h"

namespace kw::ui {

inline TreeItems made_tree(int nodes, unsigned seed = 1) {
  TreeItems tree;
  std::mt19937 random(seed);
  const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  for (int i = 0; i < nodes; ++i) {
    TreeItem item;
    // A parent among the recent ones (the search follows a good line) or any of the earlier ones (it widens).
    if (i > 0) item.parent = below(4) == 0 ? i - 1 - below(std::min(i, 40)) : below(std::max(1, i * 3 / 4));
    const bool right = below(10) < 6;
    item.style = verdict_row(right ? "accepted" : "", right ? (below(3) == 0 ? "faster" : "slower") : "");
    if (!right) item.style = static_cast<std::uint8_t>(7 + below(12));
    if (right) item.speedup = 0.4f + static_cast<float>(below(300)) / 100;
    item.visits = 1;
    tree.items.push_back(item);
  }
  for (int i = nodes - 1; i > 0; --i) tree.items[static_cast<std::size_t>(tree.items[static_cast<std::size_t>(i)].parent)].visits += tree.items[static_cast<std::size_t>(i)].visits;
  for (int i = nodes - 1 - nodes / 10; i >= 0; i = tree.items[static_cast<std::size_t>(i)].parent) tree.items[static_cast<std::size_t>(i)].flags |= TreeItem::best;
  for (int i = 50; i + 7 < nodes; i += 997) tree.links.push_back({i + 7, i});
  return tree;
}

}  // namespace kw::ui
