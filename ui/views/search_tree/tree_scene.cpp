#include "ui/views/search_tree/tree_scene.h"

#include <cmath>
#include <unordered_map>

#include "ui/models/quantities.h"
#include "ui/widgets/palette.h"

namespace kw::ui {
namespace {

// Asked for 100,000 nodes that have a few dozen verdicts.
class Styles {
 public:
  explicit Styles(const TreeData& tree) : tree_(tree) {}
  std::uint8_t of(const TreeNode& node) {
    const std::uint64_t key = static_cast<std::uint64_t>(node.verdict) << 32 | node.outcome;
    const auto [entry, added] = known_.try_emplace(key);
    if (added) entry->second = style_of(tree_, node);
    return entry->second;
  }

 private:
  const TreeData& tree_;
  std::unordered_map<std::uint64_t, std::uint8_t> known_;
};

QString number(float value) { return digits(static_cast<double>(value)); }

std::optional<double> optional(float value) { return std::isnan(value) ? std::nullopt : std::optional(static_cast<double>(value)); }

}  // namespace

std::uint8_t style_of(const TreeData& tree, const TreeNode& node) { return verdict_row(tree.text(node.verdict), tree.text(node.outcome)); }

TreeItems tree_items(const TreeData& tree, const TreeShown& shown) {
  const auto& nodes = tree.nodes();
  Styles styles(tree);
  const std::vector<char> found = shown.search.isEmpty() ? std::vector<char>() : tree.search(shown.search);
  const int task = shown.task.isEmpty() ? -1 : tree.texts().find(shown.task.toStdString());
  TreeItems out;
  out.items.resize(nodes.size());
  std::vector<char> kept(nodes.size(), 0);      // itself or something below it is to be seen
  for (std::size_t i = nodes.size(); i-- > 0;) {
    const TreeNode& node = nodes[i];
    TreeItem& item = out.items[i];
    item.parent = node.parent;
    item.visits = node.visits;
    item.speedup = std::isnan(node.speedup) ? 0 : node.speedup;
    item.style = styles.of(node);
    const bool passes = shown.verdicts.empty() || shown.verdicts.contains(item.style);
    const bool by_then = !shown.evaluated || (i < shown.evaluated->size() && (*shown.evaluated)[i] != 0);
    const bool of_task = task < 0 ? shown.task.isEmpty() : static_cast<int>(node.task) == task;
    if (of_task && by_then && passes) kept[i] = 1;
    if (!of_task) kept[i] = 0;
    if (kept[i] != 0 && node.parent >= 0) kept[static_cast<std::size_t>(node.parent)] = 1;
    const auto flag = [&](TreeItem::Flag f, bool on) { item.flags = static_cast<std::uint8_t>(on ? item.flags | f : item.flags); };
    flag(TreeItem::hidden, kept[i] == 0 || !node.known);
    flag(TreeItem::best, node.on_best_path);
    flag(TreeItem::pinned, node.pinned);
    flag(TreeItem::banned, node.banned);
    flag(TreeItem::matched, !found.empty() && found[i] != 0);
    flag(TreeItem::faded, !passes || (!found.empty() && found[i] == 0));
  }
  for (std::size_t e = 0; e < tree.edges().size(); ++e) {
    const TreeEdge& edge = tree.edges()[e];
    if (nodes[static_cast<std::size_t>(edge.child)].edge != static_cast<int>(e)) out.links.push_back({edge.parent, edge.child});
  }
  return out;
}

std::vector<char> rows_shown(const TreeItems& items) {
  std::vector<char> out(items.items.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = items.items[i].has(TreeItem::hidden) || items.items[i].has(TreeItem::faded) ? 0 : 1;
  return out;
}

Card tree_card(const TreeData& tree, int index) {
  const TreeNode& node = tree.node(index);
  const VerdictStyle& style = verdict_style(style_of(tree, node));
  Card card;
  card.title = tree.id(index) + QStringLiteral("   ") + QString::fromUtf8(style.glyph) + ' ' + QString::fromUtf8(style.name);
  const auto line = [&](const QString& name, const QString& value) {
    if (!value.isEmpty()) card.lines.emplace_back(name, value);
  };
  const QString verdict = tree.text(node.verdict);
  if (verdict.contains(':')) line(QStringLiteral("Kind"), verdict.section(':', 1).replace('_', ' '));
  line(QStringLiteral("Edit"), tree.edit_text(node.edge));
  const bool interval = !std::isnan(node.low) && !std::isnan(node.high);
  line(QStringLiteral("Speedup"), speedup_text(optional(node.speedup), interval ? std::optional(Range{static_cast<double>(node.low), static_cast<double>(node.high)}) : std::nullopt));
  line(QStringLiteral("Time"), time_text(optional(node.candidate_us)));
  line(QStringLiteral("Error"), error_text(optional(node.error_max)));
  line(QStringLiteral("Visits"), QString::number(node.visits));
  if (node.edge >= 0) {
    const TreeEdge& edge = tree.edge(node.edge);
    QStringList walked;
    for (const auto& [name, value] : {std::pair("N", edge.n), std::pair("Q", edge.q), std::pair("P", edge.p), std::pair("U", edge.u)})
      if (!std::isnan(value)) walked << QStringLiteral("%1 %2").arg(QString::fromUtf8(name), number(value));
    line(QStringLiteral("Walked"), walked.join(QStringLiteral("   ")));
  }
  if (const std::vector<int> parents = tree.parents(index); parents.size() > 1) {
    QStringList others;
    for (const int parent : parents)
      if (parent != node.parent) others << tree.id(parent);
    line(QStringLiteral("Also from"), others.join(QStringLiteral(", ")));
  }
  QStringList marks;
  if (node.on_best_path) marks << QStringLiteral("on the best path");
  if (node.pinned) marks << QStringLiteral("pinned");
  if (node.banned) marks << QStringLiteral("banned");
  line(QStringLiteral("Marks"), marks.join(QStringLiteral(", ")));
  return card;
}

std::vector<int> count_by_style(const TreeData& tree, const QString& task) {
  Styles styles(tree);
  const int wanted = task.isEmpty() ? -1 : tree.texts().find(task.toStdString());
  std::vector<int> out(verdict_styles().size(), 0);
  for (const TreeNode& node : tree.nodes())
    if (node.known && (task.isEmpty() || static_cast<int>(node.task) == wanted)) ++out[styles.of(node)];
  return out;
}

}  // namespace kw::ui
