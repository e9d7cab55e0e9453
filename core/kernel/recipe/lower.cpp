// lower(): the passes of layers 2 and 3 in order. Each is a file of its own in this folder.
#include <algorithm>

#include "core/kernel/generator.h"
#include "core/kernel/recipe/axes.h"
#include "core/kernel/recipe/binding.h"
#include "core/kernel/recipe/grid_split.h"
#include "core/kernel/recipe/inlining.h"
#include "core/kernel/recipe/loops.h"
#include "core/kernel/recipe/lower.h"
#include "core/kernel/recipe/merging.h"
#include "core/kernel/recipe/programs.h"
#include "core/kernel/recipe/rewrites.h"
#include "core/kernel/recipe/schedule.h"

namespace kw::kernel::lowering {

namespace {

base::Result<Lowered> lower_in(const RowRoom& room, const Program& original, Decisions& decisions, const Limits& limits) {
  const bool gpu = limits.target == "cuda";
  Program changed = rewrite(original, decisions, limits, room);
  changed = align_axes(inline_edges(std::move(changed), decisions, room));
  const std::vector<KernelGroup> groups = group(changed, decisions, limits);
  base::Result<Bound> bound = bind_buffers(original, changed, groups, decisions, limits, room);
  if (!bound) return bound.error();
  Lowered lowered;
  lowered.buffers = std::move(bound->buffers);
  for (KernelSpace& whole : bound->kernels) {
    merge_axes(whole);
    for (KernelSpace& kernel : gpu ? split_grid(std::move(whole), lowered.buffers, decisions, limits) : std::vector<KernelSpace>{std::move(whole)}) {
      const base::Status scheduled = gpu ? schedule_gpu(kernel, decisions, limits) : schedule(kernel, decisions, limits);
      if (!scheduled) return scheduled.error();
      scalars_to_registers(kernel);
      lowered.nests.push_back(write_loops(kernel, limits.threads));
    }
  }
  if (const base::Status status = decisions.status(); !status) return status.error();
  return lowered;
}

}  // namespace

// Whether tiles fit is known late, after the schedule. Where they do not, nothing is kept.
base::Result<Lowered> lower_with(const Program& program, Decisions& decisions, const Limits& limits) {
  if (limits.target != "cpu" && limits.target != "cuda")
    return base::Error{base::ErrorCode::unsupported, "this generator writes kernels for cpu and cuda, not for " + limits.target, "limits"};
  for (const Definition& d : program.definitions)
    if (points(d) == 0) return base::Error{base::ErrorCode::unsupported, "an empty tensor needs no kernel", d.name};
  Program original = program;
  copy_passed_inputs(original);
  drop_dead(original);
  base::Result<Lowered> lowered = lower_in(row_room(limits), original, decisions, limits);
  if (lowered || limits.target == "cpu") return lowered;
  decisions.forget();
  base::Result<Lowered> without = lower_in(no_room, original, decisions, limits);
  return without ? without : lowered;
}

}  // namespace kw::kernel::lowering

namespace kw::kernel {

base::Result<Lowered> lower(const Program& program, const Recipe& recipe, const Limits& limits) {
  lowering::Decisions decisions(recipe);
  return lowering::lower_with(program, decisions, limits);
}

}  // namespace kw::kernel
