#pragma once
// The search graph as the engine tells it in `session/tree`: flat rows, texts interned, nodes in the order in which they came, with the edges
// into and out of each as lists. Deltas are merged in; what is malformed in an answer is skipped and counted. GUI thread, no widgets.

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <QString>

#include <nlohmann/json.hpp>

namespace kw::ui {

using nlohmann::json;

constexpr float absent = std::numeric_limits<float>::quiet_NaN();   // what was not measured; ask std::isnan

// Texts that come again and again, once each.
class TextPool {
 public:
  TextPool() = default;
  TextPool(TextPool&&) = default;
  TextPool& operator=(TextPool&&) = default;
  std::uint32_t id(std::string_view text);
  int find(std::string_view text) const;       // -1: unknown
  const std::string& text(std::uint32_t id) const { return *texts_[id]; }
  std::size_t size() const { return texts_.size(); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view s) const { return std::hash<std::string_view>{}(s); }
  };
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::vector<const std::string*> texts_;
};

struct TreeNode {
  std::uint32_t task = 0, kind = 0, verdict = 0, outcome = 0;       // texts()
  std::uint32_t visits = 0;
  float speedup = absent, low = absent, high = absent, candidate_us = absent, error_max = absent, value = absent, at_s = absent;
  bool known = false;                // false: only an edge has named it so far
  bool on_best_path = false, pinned = false, banned = false;
  int parent = -1;                   // that it hangs under: the first to come of those older than itself
  int edge = -1;                     // from there
  int first_in = -1, first_out = -1; // edges
};

struct TreeEdge {
  int parent = -1, child = -1;
  std::uint32_t key = 0, from = 0, to = 0, kind = 0, description = 0;   // texts()
  float n = absent, q = absent, p = absent, u = absent;
  int next_in = -1, next_out = -1;   // of the same child, of the same parent
};

class TreeData {
 public:
  struct Change {
    int nodes_before = 0;
    std::vector<int> changed;        // of the nodes before
    int skipped = 0;                 // rows without an id
  };
  Change apply(const json& answer);  // {nodes, edges}
  void clear() { *this = TreeData(); }

  const std::vector<TreeNode>& nodes() const { return nodes_; }
  const std::vector<TreeEdge>& edges() const { return edges_; }
  const TreeNode& node(int i) const { return nodes_[static_cast<std::size_t>(i)]; }
  const TreeEdge& edge(int i) const { return edges_[static_cast<std::size_t>(i)]; }
  const TextPool& texts() const { return texts_; }
  int find(const QString& id) const { return ids_.find(id.toStdString()); }   // -1: unknown
  QString id(int node) const { return QString::fromStdString(ids_.text(static_cast<std::uint32_t>(node))); }
  QString text(std::uint32_t id) const { return QString::fromStdString(texts_.text(id)); }
  QString edit_text(int edge) const;           // "tile_j 32 → 64"; "" for -1
  std::vector<QString> tasks() const;          // in the order in which they came
  std::vector<int> parents(int node) const;
  std::vector<int> children(int node) const;   // in the order in which they came

  // By node: its id, task, verdict, kind or the edit that led to it contains `words`.
  std::vector<char> search(const QString& words) const;

 private:
  int node_at(std::string_view id);
  void take_node(const json& row, Change& change);
  void take_edge(const json& row, Change& change);
  void hang(int child, int edge);

  TextPool ids_, texts_ = pool_with_empty();
  std::vector<TreeNode> nodes_;
  std::vector<TreeEdge> edges_;
  static TextPool pool_with_empty();
};

}  // namespace kw::ui
