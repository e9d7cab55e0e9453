#include "core/engine/search/snapshot.h"

#include <cstdio>

namespace kw::search {

TreeSnapshot snapshot(const Tree& tree) {
  TreeSnapshot out;
  for (const Node& node : tree.nodes()) out.nodes.push_back({node.candidate, node.state, node.value, node.visits});
  for (std::size_t i = 0; i < tree.edges().size(); ++i) {
    const Edge& e = tree.edges()[i];
    const int index = static_cast<int>(i);
    out.edges.push_back({tree.nodes()[e.parent].candidate, tree.nodes()[e.child].candidate, e.mutation.key, e.mutation.from, e.mutation.to,
                         e.mutation.kind, e.prior, tree.q(index), tree.score(index), e.visits});
  }
  return out;
}

std::string text(const TreeSnapshot& tree) {
  std::string out;
  char line[160];
  for (const NodeSnapshot& node : tree.nodes) {
    std::snprintf(line, sizeof(line), " state=%d value=%.12g visits=%d\n", static_cast<int>(node.state), node.value, node.visits);
    out += node.candidate + line;
  }
  for (const EdgeSnapshot& e : tree.edges) {
    std::snprintf(line, sizeof(line), " prior=%.12g q=%.12g visits=%d\n", e.prior, e.q, e.visits);
    out += e.parent + " -> " + e.child + " " + e.key + "=" + e.to + line;
  }
  return out;
}

bool TreeSnapshot::operator==(const TreeSnapshot& other) const { return text(*this) == text(other); }

}  // namespace kw::search
