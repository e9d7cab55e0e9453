#pragma once
// Layer 2, third question: what becomes of each axis of a kernel. Which one the vector lanes run along, which ones are
// blocked, which is parallel, in what order the outer loops stand, how wide and how often unrolled the vector body is.

#include "core/kernel/recipe/decisions.h"
#include "core/kernel/recipe/space.h"

namespace kw::kernel::lowering {

// Settles lanes, vector, tile, parallel, order and unroll of the kernel and carries them out on its axes.
base::Status schedule(KernelSpace& kernel, Decisions& decisions, const Limits& limits);
// The same for a GPU: lanes, vector, threads, height, rows, unroll and cache; axes become blocks and threads.
base::Status schedule_gpu(KernelSpace& kernel, Decisions& decisions, const Limits& limits);

// Threads of a GPU's block: what most kernels have, and as many as share a row of this length in accesses of this width.
inline constexpr int usual_threads = 256;
std::int64_t row_threads(std::int64_t length, std::int64_t width);

// How well vector lanes along `axis` suit the stage: 1 where every access is dense or the same for all lanes.
double lane_score(const KernelSpace& kernel, const Stage& stage, int axis);
// The choices of the kernel: "inner" (each stage's best inner axis) where there are inner axes, then the outer axes, innermost first.
struct LaneOption { std::string name; double score = 0; };
std::vector<LaneOption> lane_options(const KernelSpace& kernel);
std::string best_lanes(const std::vector<LaneOption>& options);   // of equal ones the first; there is at least one
// The best inner axis of a stage to vectorise, or -1.
int best_inner_axis(const KernelSpace& kernel, const Stage& stage);

}  // namespace kw::kernel::lowering
