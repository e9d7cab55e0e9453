#include "core/kernel/recipe/stages.h"

#include <algorithm>
#include <set>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

class Arrangement {
 public:
  Arrangement(const Program& program, KernelGroup& kernel, const std::vector<int>& members)
      : program_(program), kernel_(kernel), members_(members) {
    const auto common = common_axes(program, members);
    outer_variables_.resize(members.size());
    for (std::size_t axis = 0; axis < common.size(); ++axis) {
      for (std::size_t k = 0; k < members.size(); ++k) outer_variables_[k].push_back(common[axis][k]);
      const auto v = static_cast<std::size_t>(common[axis].back());
      add_axis(definition(members.back()).domain[v], "i" + std::to_string(v));
    }
    kernel_.outer = static_cast<int>(common.size());
  }

  // The latest stage whose loops the member can share, or -1.
  int joinable(std::size_t k, Placed& placed, bool& grows_reduction) {
    for (int s = static_cast<int>(kernel_.stages.size()) - 1; s >= earliest_[k]; --s)
      if (fits(k, static_cast<std::size_t>(s), placed, grows_reduction)) return s;
    return -1;
  }

  void look_at(std::size_t k) {
    earliest_.resize(members_.size(), 0);
    for (const Expression* read : all_reads(definition(members_[k])))
      for (std::size_t s = 0; s < kernel_.stages.size(); ++s)
        for (const Placed& p : kernel_.stages[s].placed)
          if (definition(p.definition).tensor == read->source) earliest_[k] = std::max(earliest_[k], static_cast<int>(s));
  }

  void join(int stage, Placed placed, bool becomes_reduction) {
    StageGroup& group = kernel_.stages[static_cast<std::size_t>(stage)];
    if (becomes_reduction) {
      const Definition& d = definition(placed.definition);
      group.space.clear();
      for (std::size_t v = 0; v < placed.axis.size(); ++v)
        if (placed.axis[v] >= kernel_.outer) (v < d.domain.size() ? group.space : group.reduce).push_back(placed.axis[v]);
    }
    group.placed.push_back(std::move(placed));
  }

  void open(std::size_t k) {
    const Definition& d = definition(members_[k]);
    StageGroup group;
    Placed placed{members_[k], outer_map(k), false};
    for (std::size_t v = 0; v < placed.axis.size(); ++v) {
      if (placed.axis[v] >= 0) continue;
      const bool space = v < d.domain.size();
      placed.axis[v] = add_axis(extents(d)[v], space ? "i" + std::to_string(v) : "r" + std::to_string(v - d.domain.size()));
      (space ? group.space : group.reduce).push_back(placed.axis[v]);
    }
    group.placed.push_back(std::move(placed));
    kernel_.stages.push_back(std::move(group));
  }

 private:
  const Definition& definition(int d) const { return program_.definitions[static_cast<std::size_t>(d)]; }

  static std::vector<const Expression*> all_reads(const Definition& d) {
    std::vector<const Expression*> all;
    for (const Expr& body : d.body)
      for (const Expression* read : distinct_reads(body)) all.push_back(read);
    return all;
  }

  int add_axis(std::int64_t extent, const std::string& name) {
    kernel_.extents.push_back(extent);
    kernel_.names.push_back(name);
    return static_cast<int>(kernel_.extents.size()) - 1;
  }

  // Kernel axis of each variable of member k, -1 where it is not an outer one.
  std::vector<int> outer_map(std::size_t k) const {
    std::vector<int> axis(extents(definition(members_[k])).size(), -1);
    for (std::size_t a = 0; a < outer_variables_[k].size(); ++a) axis[static_cast<std::size_t>(outer_variables_[k][a])] = static_cast<int>(a);
    return axis;
  }

  // Reads of definitions in the stage pin variables to axes: every one must be read at the point being computed.
  bool pin(const Definition& d, const StageGroup& group, std::vector<int>& axis, bool& reads_result, bool& reads_point) const {
    for (const Expression* read : all_reads(d))
      for (const Placed& p : group.placed) {
        const Definition& w = definition(p.definition);
        if (w.tensor != read->source) continue;
        (is_reduction(w) || p.after_reduction ? reads_result : reads_point) = true;
        for (std::size_t j = 0; j < w.domain.size(); ++j) {
          int v = -1;
          if (!is_variable(read->maps[j], &v)) return false;
          int& at = axis[static_cast<std::size_t>(v)];
          if (at >= 0 && at != p.axis[j]) return false;
          if (kernel_.extents[static_cast<std::size_t>(p.axis[j])] != extents(d)[static_cast<std::size_t>(v)]) return false;
          at = p.axis[j];
        }
      }
    return true;
  }

  // Variables that no read pins take the stage's remaining axes in order, extent by extent.
  bool fill(const Definition& d, const std::vector<int>& axes, std::vector<int>& axis) const {
    std::set<int> taken(axis.begin(), axis.end());
    for (std::size_t v = 0; v < axis.size(); ++v) {
      if (axis[v] >= 0) continue;
      const auto free = std::find_if(axes.begin(), axes.end(), [&](int a) { return !taken.contains(a); });
      if (free == axes.end() || kernel_.extents[static_cast<std::size_t>(*free)] != extents(d)[v]) return false;
      axis[v] = *free;
      taken.insert(*free);
    }
    return std::set<int>(axis.begin(), axis.end()).size() == axis.size();
  }

  static bool covers(const std::vector<int>& axis, const std::vector<int>& axes, std::size_t outer) {
    return axis.size() == axes.size() + outer &&
           std::all_of(axes.begin(), axes.end(), [&](int a) { return std::find(axis.begin(), axis.end(), a) != axis.end(); });
  }

  bool fits(std::size_t k, std::size_t s, Placed& placed, bool& becomes_reduction) const {
    const StageGroup& group = kernel_.stages[s];
    const Definition& d = definition(members_[k]);
    std::vector<int> axis = outer_map(k);
    bool reads_result = false, reads_point = false;
    if (!pin(d, group, axis, reads_result, reads_point)) return false;
    if (reads_result && (reads_point || is_reduction(d))) return false;
    std::vector<int> all = group.space;
    all.insert(all.end(), group.reduce.begin(), group.reduce.end());
    const bool after = reads_result && !group.reduce.empty();
    const std::vector<int>& over = after ? group.space : all;
    if (!fill(d, over, axis) || !covers(axis, over, static_cast<std::size_t>(kernel_.outer))) return false;
    becomes_reduction = is_reduction(d) && group.reduce.empty();
    if (is_reduction(d) && !group.reduce.empty() && !reduces_the_same(d, axis, group)) return false;
    placed = {members_[k], std::move(axis), after};
    return true;
  }

  bool reduces_the_same(const Definition& d, const std::vector<int>& axis, const StageGroup& group) const {
    return std::vector<int>(axis.begin() + static_cast<std::ptrdiff_t>(d.domain.size()), axis.end()) == group.reduce;
  }

  const Program& program_;
  KernelGroup& kernel_;
  const std::vector<int>& members_;
  std::vector<std::vector<int>> outer_variables_;   // of each member: its variable at each outer axis
  std::vector<int> earliest_;                       // stage that a member may not run before
};

}  // namespace

KernelGroup arrange_stages(const Program& program, const std::string& name, const std::vector<int>& members,
                           const std::map<int, FuseChoice>& fuse, Decisions& decisions) {
  KernelGroup kernel;
  kernel.name = name;
  Arrangement arrangement(program, kernel, members);
  for (std::size_t k = 0; k < members.size(); ++k) {
    Placed placed;
    bool becomes_reduction = false;
    arrangement.look_at(k);
    const int stage = k == 0 ? -1 : arrangement.joinable(k, placed, becomes_reduction);
    bool share_loops = stage >= 0;
    if (const auto choice = fuse.find(members[k]); choice != fuse.end()) {
      const bool began = k == 0;                    // it began this kernel: by itself, or because the recipe says own
      std::vector<std::string> options = {"own", "outer"};
      if (stage >= 0 || began) options.push_back("loop");
      const std::string usual = choice->second.usual_joined ? options.back() : "own";
      const std::string key = "fuse." + program.definitions[static_cast<std::size_t>(members[k])].name;
      share_loops = decisions.settle(key, usual, options) == "loop" && stage >= 0;
    }
    if (share_loops) arrangement.join(stage, std::move(placed), becomes_reduction);
    else arrangement.open(k);
  }
  return kernel;
}

}  // namespace kw::kernel::lowering
