#include "core/kernel/recipe/grouping.h"

#include <algorithm>
#include <map>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"
#include "core/kernel/recipe/row_room.h"
#include "core/kernel/recipe/stages.h"

namespace kw::kernel::lowering {
namespace {

constexpr std::int64_t small_work = 1 << 14;   // points: a kernel this small loses nothing by running on one thread
constexpr std::int64_t columns_each = 128;     // of a GPU's block, where neighbours of memory are reduced apart from each other

std::vector<int> writers(const Program& program, int d) {
  std::vector<int> found;
  for (const Expr& body : program.definitions[static_cast<std::size_t>(d)].body)
    for (const Expression* read : distinct_reads(body))
      if (const int writer = program.tensors[static_cast<std::size_t>(read->source)].definition; writer >= 0) found.push_back(writer);
  return found;
}

std::int64_t common_points(const Program& program, const std::vector<int>& members) {
  std::int64_t total = 1;
  for (const auto& axis : common_axes(program, members))
    total *= program.definitions[static_cast<std::size_t>(members.back())].domain[static_cast<std::size_t>(axis.back())];
  return total;
}

// A few factors (of a channel, say) that a large pointwise definition reads: with them in its kernel, only their axes could
// run outside.
bool narrows_pointwise(const Program& program, const std::vector<int>& members) {
  const Definition& last = program.definitions[static_cast<std::size_t>(members.back())];
  return std::all_of(members.begin(), members.end(), [&](int member) { return !is_reduction(program.definitions[static_cast<std::size_t>(member)]); }) &&
         std::any_of(members.begin(), members.end(), [&](int member) { return points(program.definitions[static_cast<std::size_t>(member)]) * 8 <= points(last); });
}

// Outer iterations that keep all threads of a cpu or all blocks of a GPU busy.
std::int64_t enough_points(const Program& program, const std::vector<int>& members, const Limits& limits) {
  const auto in_columns = [&](int member) {
    const Definition& d = program.definitions[static_cast<std::size_t>(member)];
    return is_reduction(d) && reduces_columns(program, d);
  };
  const bool columns = limits.target == "cuda" && std::any_of(members.begin(), members.end(), in_columns);
  return 2 * limits.threads * (columns ? columns_each : 1);
}

// What a kernel of a GPU computes at its outer points needs no loop, and saves a launch.
bool is_at_outer_points(const Program& program, const std::vector<int>& members, std::int64_t common) {
  const std::vector<int> others(members.begin(), members.end() - 1);
  return points(program.definitions[static_cast<std::size_t>(members.back())]) == common && common_points(program, others) == common;
}

// Joining must leave enough outer iterations for the threads, unless there is next to nothing to do. Definitions that do
// not read each other share a kernel only where all their axes agree: then they share loads.
bool worth_joining(const Program& program, const std::vector<int>& members, bool connected, const Limits& limits) {
  const Definition& d = program.definitions[static_cast<std::size_t>(members.back())];
  const std::int64_t common = common_points(program, members);
  if (!connected) {
    const Definition& other = program.definitions[static_cast<std::size_t>(members.front())];
    return common == product(d.domain) && d.domain == other.domain && d.reduce == other.reduce;
  }
  if (narrows_pointwise(program, members)) return false;
  if (limits.target == "cuda" && is_at_outer_points(program, members, common)) return true;
  std::int64_t work = 0;
  for (const int member : members) work = std::max(work, points(program.definitions[static_cast<std::size_t>(member)]));
  return common >= enough_points(program, members, limits) || work <= small_work;
}

}  // namespace

std::vector<KernelGroup> group(const Program& program, Decisions& decisions, const Limits& limits) {
  std::vector<std::vector<int>> kernels;
  std::map<int, std::size_t> kernel_of;
  std::map<int, FuseChoice> fuse;
  for (int d = 0; d < static_cast<int>(program.definitions.size()); ++d) {
    const std::vector<int> reads = writers(program, d);
    std::size_t home = kernels.empty() ? 0 : kernels.size() - 1;
    if (!reads.empty()) home = 0;
    for (const int writer : reads) home = std::max(home, kernel_of[writer]);
    if (!kernels.empty()) {
      std::vector<int> members = kernels[home];
      members.push_back(d);
      const bool usual = worth_joining(program, members, !reads.empty(), limits);
      const auto asked = decisions.asked("fuse." + program.definitions[static_cast<std::size_t>(d)].name);
      fuse[d] = {usual, asked};
      if (asked ? *asked != "own" : usual) {
        kernels[home] = std::move(members);
        kernel_of[d] = home;
        continue;
      }
    }
    kernel_of[d] = kernels.size();
    kernels.push_back({d});
  }
  std::vector<KernelGroup> groups;
  for (std::size_t k = 0; k < kernels.size(); ++k)
    groups.push_back(arrange_stages(program, "k" + std::to_string(k), kernels[k], fuse, decisions));
  return groups;
}

}  // namespace kw::kernel::lowering
