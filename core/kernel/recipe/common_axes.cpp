// Which axes do several definitions have in common, so that one loop can run round all of them?
#include <algorithm>
#include <map>
#include <numeric>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/grouping.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

// Disjoint sets over (member, variable).
class Classes {
 public:
  Classes(const Program& program, const std::vector<int>& members) : program_(program), members_(members) {
    for (const int member : members) {
      first_.push_back(static_cast<int>(parent_.size()));
      parent_.resize(parent_.size() + extents(definition(member)).size());
    }
    std::iota(parent_.begin(), parent_.end(), 0);
  }

  const Definition& definition(int d) const { return program_.definitions[static_cast<std::size_t>(d)]; }
  int find(std::size_t member, int v) { return root(first_[member] + v); }
  void join(std::size_t a, int v, std::size_t b, int w) { parent_[static_cast<std::size_t>(find(a, v))] = find(b, w); }

  // Position of the member that writes the tensor a read refers to, or -1.
  int writer(const Expression& read) const {
    for (std::size_t k = 0; k < members_.size(); ++k)
      if (definition(members_[k]).tensor == read.source) return static_cast<int>(k);
    return -1;
  }

 private:
  int root(int node) {
    while (parent_[static_cast<std::size_t>(node)] != node) node = parent_[static_cast<std::size_t>(node)];
    return node;
  }
  const Program& program_;
  const std::vector<int>& members_;
  std::vector<int> first_, parent_;
};

struct Link { std::size_t reader = 0, writer = 0; const Expression* read = nullptr; };

std::vector<Link> links(const Classes& classes, const std::vector<int>& members) {
  std::vector<Link> all;
  for (std::size_t k = 0; k < members.size(); ++k)
    for (const Expr& body : classes.definition(members[k]).body)
      for (const Expression* read : distinct_reads(body))
        if (const int writer = classes.writer(*read); writer >= 0) all.push_back({k, static_cast<std::size_t>(writer), read});
  return all;
}

// A read at exactly the reader's own variable, over the whole extent, makes two axes one.
void join_read_axes(Classes& classes, const std::vector<int>& members, const std::vector<Link>& all) {
  for (const Link& link : all) {
    const auto sizes = extents(classes.definition(members[link.reader]));
    const auto& written = classes.definition(members[link.writer]).domain;
    for (std::size_t j = 0; j < written.size(); ++j)
      if (int v = -1; is_variable(link.read->maps[j], &v) && sizes[static_cast<std::size_t>(v)] == written[j])
        classes.join(link.reader, v, link.writer, static_cast<int>(j));
  }
}

// Members that nothing connects line up by position where their domains are the same.
void join_unconnected(Classes& classes, const std::vector<int>& members, const std::vector<Link>& all) {
  std::vector<int> island(members.size());
  std::iota(island.begin(), island.end(), 0);
  const auto merge = [&](std::size_t a, std::size_t b) {
    const int from = island[a], to = island[b];
    std::replace(island.begin(), island.end(), from, to);
  };
  for (const Link& link : all) merge(link.reader, link.writer);
  for (std::size_t a = 0; a < members.size(); ++a)
    for (std::size_t b = 0; b < a; ++b) {
      const auto& domain = classes.definition(members[a]).domain;
      if (island[a] == island[b] || domain != classes.definition(members[b]).domain) continue;
      for (std::size_t v = 0; v < domain.size(); ++v) classes.join(a, static_cast<int>(v), b, static_cast<int>(v));
      merge(a, b);
    }
}

// Every read inside the group stays at the same point of this axis.
bool reads_stay(Classes& classes, const std::vector<Link>& all, const std::vector<int>& axis) {
  return std::all_of(all.begin(), all.end(), [&](const Link& link) {
    int v = -1;
    return is_variable(link.read->maps[static_cast<std::size_t>(axis[link.writer])], &v) && v == axis[link.reader];
  }) && !axis.empty() && classes.find(0, axis[0]) >= 0;
}

}  // namespace

std::vector<std::vector<int>> common_axes(const Program& program, const std::vector<int>& members) {
  Classes classes(program, members);
  const std::vector<Link> all = links(classes, members);
  join_read_axes(classes, members, all);
  join_unconnected(classes, members, all);
  std::vector<std::vector<int>> common;
  const Definition& last = classes.definition(members.back());
  for (int lead = 0; lead < static_cast<int>(last.domain.size()); ++lead) {
    const int wanted = classes.find(members.size() - 1, lead);
    std::vector<int> axis;
    for (std::size_t k = 0; k < members.size(); ++k) {
      const Definition& d = classes.definition(members[k]);
      int found = -1, count = 0;
      for (int v = 0; v < static_cast<int>(extents(d).size()); ++v)
        if (classes.find(k, v) == wanted) found = v, ++count;
      const bool same = count == 1 && found < static_cast<int>(d.domain.size()) &&
                        d.domain[static_cast<std::size_t>(found)] == last.domain[static_cast<std::size_t>(lead)];
      if (same) axis.push_back(found);
    }
    if (axis.size() == members.size() && reads_stay(classes, all, axis)) common.push_back(std::move(axis));
  }
  return common;
}

}  // namespace kw::kernel::lowering
