#include "ui/models/tree/tree_data.h"

#include <algorithm>
#include <cmath>

namespace kw::ui {
namespace {

// Absent, null and of another type are all the same: not there.
std::string_view text_at(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_string() ? std::string_view(found->get_ref<const std::string&>()) : std::string_view();
}

float number_at(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_number() ? found->get<float>() : absent;
}

bool flag_at(const json& row, const char* key) {
  const auto found = row.find(key);
  return found != row.end() && found->is_boolean() && found->get<bool>();
}

const json& list_at(const json& object, const char* key) {
  static const json none = json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : none;
}

}  // namespace

std::uint32_t TextPool::id(std::string_view text) {
  if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
  const auto [entry, added] = ids_.emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  texts_.push_back(&entry->first);   // a node-based map: keys stay where they are
  return entry->second;
}

int TextPool::find(std::string_view text) const {
  const auto found = ids_.find(text);
  return found != ids_.end() ? static_cast<int>(found->second) : -1;
}

TextPool TreeData::pool_with_empty() {
  TextPool pool;
  pool.id("");
  return pool;
}

int TreeData::node_at(std::string_view id) {
  const auto index = ids_.id(id);
  if (index == nodes_.size()) nodes_.emplace_back();
  return static_cast<int>(index);
}

TreeData::Change TreeData::apply(const json& answer) {
  Change change;
  change.nodes_before = static_cast<int>(nodes_.size());
  if (!answer.is_object()) return change;
  for (const json& row : list_at(answer, "nodes")) take_node(row, change);
  for (const json& row : list_at(answer, "edges")) take_edge(row, change);
  std::ranges::sort(change.changed);
  const auto same = std::ranges::unique(change.changed);
  change.changed.erase(same.begin(), same.end());
  return change;
}

void TreeData::take_node(const json& row, Change& change) {
  const std::string_view id = row.is_object() ? text_at(row, "id") : std::string_view();
  if (id.empty()) {
    ++change.skipped;
    return;
  }
  const int index = node_at(id);
  TreeNode& node = nodes_[static_cast<std::size_t>(index)];
  node.known = true;
  node.task = texts_.id(text_at(row, "task"));
  node.kind = texts_.id(text_at(row, "kind"));
  node.verdict = texts_.id(text_at(row, "verdict"));
  node.outcome = texts_.id(text_at(row, "outcome"));
  const float visits = number_at(row, "visits");
  node.visits = visits >= 0 && visits < 4e9f ? static_cast<std::uint32_t>(visits) : 0;
  node.speedup = number_at(row, "speedup");
  node.low = node.high = absent;
  if (const json& interval = list_at(row, "ci95"); interval.size() == 2) {
    if (interval[0].is_number()) node.low = interval[0].get<float>();
    if (interval[1].is_number()) node.high = interval[1].get<float>();
  }
  node.candidate_us = number_at(row, "candidate_us");
  node.error_max = number_at(row, "error_max");
  node.value = number_at(row, "value");
  node.at_s = number_at(row, "at_s");
  node.on_best_path = flag_at(row, "on_best_path");
  node.pinned = flag_at(row, "pinned");
  node.banned = flag_at(row, "banned");
  if (index < change.nodes_before) change.changed.push_back(index);
}

void TreeData::take_edge(const json& row, Change& change) {
  const std::string_view from = row.is_object() ? text_at(row, "parent") : std::string_view(), to = row.is_object() ? text_at(row, "child") : std::string_view();
  if (from.empty() || to.empty()) {
    ++change.skipped;
    return;
  }
  const int parent = node_at(from), child = node_at(to);
  int index = nodes_[static_cast<std::size_t>(child)].first_in;
  while (index >= 0 && edge(index).parent != parent) index = edge(index).next_in;
  if (index < 0) {
    index = static_cast<int>(edges_.size());
    edges_.emplace_back();
    edges_.back().parent = parent;
    edges_.back().child = child;
    hang(child, index);
  }
  TreeEdge& e = edges_[static_cast<std::size_t>(index)];
  e.key = texts_.id(text_at(row, "key"));
  e.from = texts_.id(text_at(row, "from"));
  e.to = texts_.id(text_at(row, "to"));
  e.kind = texts_.id(text_at(row, "kind"));
  e.description = texts_.id(text_at(row, "description"));
  e.n = number_at(row, "n");
  e.q = number_at(row, "q");
  e.p = number_at(row, "p");
  e.u = number_at(row, "u");
  if (child < change.nodes_before) change.changed.push_back(child);
}

// Hanging under older nodes only, no node can come to hang under itself.
void TreeData::hang(int child, int index) {
  TreeEdge& e = edges_[static_cast<std::size_t>(index)];
  TreeNode& node = nodes_[static_cast<std::size_t>(child)];
  TreeNode& parent = nodes_[static_cast<std::size_t>(e.parent)];
  e.next_in = node.first_in;
  node.first_in = index;
  e.next_out = parent.first_out;
  parent.first_out = index;
  if (node.parent < 0 && e.parent < child) {
    node.parent = e.parent;
    node.edge = index;
  }
}

QString TreeData::edit_text(int index) const {
  if (index < 0) return {};
  const TreeEdge& e = edge(index);
  if (e.key == 0) return text(e.description);
  return e.from == 0 ? text(e.key) + ' ' + text(e.to) : text(e.key) + ' ' + text(e.from) + QStringLiteral(" → ") + text(e.to);
}

std::vector<QString> TreeData::tasks() const {
  std::vector<std::uint32_t> seen;
  std::vector<QString> out;
  for (const TreeNode& node : nodes_) {
    if (!node.known || std::ranges::find(seen, node.task) != seen.end()) continue;
    seen.push_back(node.task);
    out.push_back(text(node.task));
  }
  return out;
}

std::vector<int> TreeData::parents(int index) const {
  std::vector<int> out;
  for (int e = node(index).first_in; e >= 0; e = edge(e).next_in) out.push_back(edge(e).parent);
  std::ranges::reverse(out);
  return out;
}

std::vector<int> TreeData::children(int index) const {
  std::vector<int> out;
  for (int e = node(index).first_out; e >= 0; e = edge(e).next_out) out.push_back(edge(e).child);
  std::ranges::reverse(out);
  return out;
}

std::vector<char> TreeData::search(const QString& words) const {
  // Few texts stand behind many nodes: each is searched once.
  std::vector<char> in_text(texts_.size()), out(nodes_.size(), 0);
  for (std::size_t i = 0; i < in_text.size(); ++i) in_text[i] = text(static_cast<std::uint32_t>(i)).contains(words, Qt::CaseInsensitive) ? 1 : 0;
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    const TreeNode& n = nodes_[i];
    bool found = in_text[n.task] != 0 || in_text[n.verdict] != 0 || in_text[n.outcome] != 0 || in_text[n.kind] != 0;
    if (!found && n.edge >= 0) {
      const TreeEdge& e = edge(n.edge);
      found = in_text[e.key] != 0 || in_text[e.to] != 0 || in_text[e.kind] != 0 || in_text[e.description] != 0;
    }
    out[i] = found || id(static_cast<int>(i)).compare(words, Qt::CaseInsensitive) == 0 ? 1 : 0;
  }
  return out;
}

}  // namespace kw::ui
