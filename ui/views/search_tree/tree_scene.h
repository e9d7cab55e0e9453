#pragma once
// From a session's tree to what the canvas draws: which nodes are shown, which fade, how each looks. Pure.

#include <optional>
#include <set>
#include <vector>

#include "ui/models/tree/tree_data.h"
#include "ui/widgets/canvas/card.h"
#include "ui/widgets/tree/tree_items.h"

namespace kw::ui {

struct TreeShown {
  QString task;                                 // "": all
  std::set<std::uint8_t> verdicts;              // rows of verdict_styles(); empty: all. What has none of them below it is hidden
  QString search;                               // what is not found fades
  std::optional<std::vector<char>> evaluated;   // Replay: by node, evaluated by then; others are hidden unless something below was
};

std::uint8_t style_of(const TreeData& tree, const TreeNode& node);
TreeItems tree_items(const TreeData& tree, const TreeShown& shown);
std::vector<char> rows_shown(const TreeItems& items);                        // by node: for the list
Card tree_card(const TreeData& tree, int node);
std::vector<int> count_by_style(const TreeData& tree, const QString& task);  // by row of verdict_styles()

}  // namespace kw::ui
