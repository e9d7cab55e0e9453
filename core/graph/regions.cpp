// Which nodes form a region. Greedy in execution order: a fusable node joins the regions of its producers where the
// union stays convex and can run at the position of its last node.
#include "core/graph/regions.h"

#include <algorithm>
#include <set>

namespace kw::graph {

namespace {

constexpr std::size_t most_nodes = 32;

class Partition {
 public:
  Partition(const Graph& graph, const Classifier& classify) : g_(graph), aliases_(graph), region_(graph.nodes.size(), -1) {
    prepare(classify);
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) place(static_cast<int>(n));
  }

  std::vector<std::vector<int>> regions() {
    std::vector<std::vector<int>> out;
    for (Members members : members_) {
      trim(members);
      const bool work = std::any_of(members.begin(), members.end(), [&](int n) { return class_[idx(n)] == OpClass::fusable; });
      if (work) out.push_back(std::move(members));
    }
    return out;
  }

 private:
  using Members = std::vector<int>;
  using Bits = std::vector<bool>;
  static std::size_t idx(int n) { return static_cast<std::size_t>(n); }

  void prepare(const Classifier& classify) {
    producer_.assign(g_.values.size(), -1);
    find_writers();
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
      class_.push_back(classify_node(static_cast<int>(n), classify));
      for (ValueId v : g_.nodes[n].outputs) define(v, static_cast<int>(n));
      Bits before(g_.nodes.size());
      for (ValueId v : reads(g_.nodes[n]))
        if (const int p = producer_[idx(v)]; p >= 0) {
          for (std::size_t i = 0; i < ancestors_[idx(p)].size(); ++i) before[i] = before[i] || ancestors_[idx(p)][i];
          before[idx(p)] = true;
        }
      ancestors_.push_back(std::move(before));
    }
  }
  // The memory that in-place operators write; `written_` holds the roots that others can tell were written.
  void find_writers() {
    for (std::size_t n = 0; n < g_.nodes.size(); ++n) {
      if (!in_place(g_.nodes[n].op)) continue;
      const auto* self = g_.nodes[n].arguments.empty() ? nullptr : std::get_if<ValueRef>(&g_.nodes[n].arguments[0].value);
      const Writer writer{static_cast<int>(n), self ? aliases_.root(self->id) : no_value, fresh_in_place(g_, aliases_, static_cast<int>(n))};
      writers_.push_back(writer);
      if (writer.fresh) continue;
      for (ValueId v : self ? std::vector<ValueId>{self->id} : reads(g_.nodes[n])) written_.insert(aliases_.root(v));
    }
  }
  void define(ValueId v, int node) {
    if (v == no_value) return;
    producer_[idx(v)] = node;
    for (ValueId e : g_.values[idx(v)].elements) producer_[idx(e)] = node;
  }

  OpClass classify_node(int n, const Classifier& classify) const {
    Node node = g_.nodes[idx(n)];
    if (in_place(node.op)) {
      if (!fresh_in_place(g_, aliases_, n)) return OpClass::border;
      node.op = functional_name(node.op);
    }
    for (ValueId v : reads(node))
      if (g_.values[idx(v)].kind != ValueKind::tensor && !g_.values[idx(v)].known_int) return OpClass::border;
    // A plan's outputs have memory of their own: a view through which a write is seen later must stay a view.
    if (may_return_view(node.op))
      for (ValueId v : reads(node))
        if (written_.contains(aliases_.root(v))) return OpClass::border;
    return classify(g_, node);
  }

  void place(int n) {
    const bool work = class_[idx(n)] == OpClass::fusable;
    if (!work && !rides_along(n)) return;
    std::vector<int> candidates;
    for (ValueId v : reads(g_.nodes[idx(n)]))
      if (const int p = producer_[idx(v)]; p >= 0 && region_[idx(p)] >= 0) candidates.push_back(region_[idx(p)]);
    std::sort(candidates.begin(), candidates.end(), std::greater<>());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    Members joined{n};
    std::vector<int> taken;
    for (int r : candidates) {
      Members trial = joined;
      trial.insert(trial.end(), members_[idx(r)].begin(), members_[idx(r)].end());
      std::sort(trial.begin(), trial.end());
      if (trial.size() > most_nodes || !legal(trial)) continue;
      joined = std::move(trial);
      taken.push_back(r);
    }
    if (taken.empty() && !work) return;   // a leading view stays outside
    const int home = taken.empty() ? static_cast<int>(members_.size()) : taken.front();
    if (taken.empty()) members_.emplace_back();
    for (std::size_t i = 1; i < taken.size(); ++i) members_[idx(taken[i])].clear();
    for (int m : joined) region_[idx(m)] = home;
    members_[idx(home)] = std::move(joined);
  }

  // Joins the region of what it reads and starts none.
  bool rides_along(int n) const {
    return class_[idx(n)] == OpClass::view || (class_[idx(n)] == OpClass::nothing && metadata_assert(g_.nodes[idx(n)]));
  }

  Bits bits(const Members& members) const {
    Bits inside(g_.nodes.size());
    for (int m : members) inside[idx(m)] = true;
    return inside;
  }

  bool legal(const Members& members) const {
    const Bits inside = bits(members);
    return convex(members, inside) && runs_at_last(members, inside) && inputs_hold(members, inside);
  }

  // No node outside lies on a path from one member to another.
  bool convex(const Members& members, const Bits& inside) const {
    for (int n = members.front(); n < members.back(); ++n) {
      if (inside[idx(n)]) continue;
      const bool after = std::any_of(members.begin(), members.end(), [&](int m) { return ancestors_[idx(n)][idx(m)]; });
      const bool before = std::any_of(members.begin(), members.end(), [&](int m) { return ancestors_[idx(m)][idx(n)]; });
      if (after && before) return false;
    }
    return true;
  }

  // Whoever outside reads a member's result comes after the last member.
  bool runs_at_last(const Members& members, const Bits& inside) const {
    for (int m : members)
      for (ValueId v : outputs_of(m))
        for (int reader : aliases_.readers(v))
          if (reader < members.back() && !inside[idx(reader)]) return false;
    return true;
  }

  std::vector<ValueId> outputs_of(int n) const {
    std::vector<ValueId> out;
    for (ValueId v : g_.nodes[idx(n)].outputs) {
      if (v == no_value) continue;
      out.push_back(v);
      out.insert(out.end(), g_.values[idx(v)].elements.begin(), g_.values[idx(v)].elements.end());
    }
    return out;
  }

  // Nothing outside writes an input in place between the first and the last member. A fresh write may stand before the
  // members that read its result, but not after one that reads what was there before.
  bool inputs_hold(const Members& members, const Bits& inside) const {
    for (const Writer& writer : writers_) {
      if (inside[idx(writer.node)] || writer.node < members.front() || writer.node > members.back()) continue;
      if (writer.root == no_value) return false;
      for (int m : members)
        for (ValueId v : reads(g_.nodes[idx(m)]))
          if (aliases_.root(v) == writer.root && (!writer.fresh || m < writer.node)) return false;
    }
    // A member that writes in place must own its memory alone: a reader outside, through another name, would miss the write.
    for (int m : members)
      if (in_place(g_.nodes[idx(m)].op))
        for (int reader : aliases_.readers(std::get<ValueRef>(g_.nodes[idx(m)].arguments[0].value).id))
          if (reader > m && (reader >= static_cast<int>(g_.nodes.size()) || !inside[idx(reader)])) return false;
    return true;
  }

  // Views and asserts at the end go out again, unless one stands before the plan that would give it its argument.
  void trim(Members& members) const {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t i = members.size(); i-- > 0;) {
        if (!rides_along(members[i])) continue;
        bool used = false;
        for (ValueId v : outputs_of(members[i]))
          for (int reader : aliases_.readers(v)) used |= std::count(members.begin(), members.end(), reader) > 0;
        if (used) continue;
        Members without = members;
        without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
        if (without.empty() || !runs_at_last(without, bits(without))) continue;
        members = std::move(without);
        changed = true;
      }
    }
  }

  struct Writer {
    int node;
    ValueId root;                 // no_value: it writes a list of tensors
    bool fresh;
  };
  const Graph& g_;
  Aliases aliases_;
  std::vector<OpClass> class_;
  std::vector<int> producer_;
  std::vector<Bits> ancestors_;
  std::vector<Writer> writers_;
  std::set<ValueId> written_;
  std::vector<int> region_;
  std::vector<Members> members_;
};

}  // namespace

bool metadata_assert(const Node& node) { return node.op == "aten._assert_tensor_metadata.default" && node.outputs.empty(); }

std::vector<std::vector<int>> find_regions(const Graph& graph, const Classifier& classify) { return Partition(graph, classify).regions(); }

}  // namespace kw::graph
