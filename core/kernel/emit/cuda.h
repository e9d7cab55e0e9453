#pragma once
// Layer 4 for the cuda target: self-contained CUDA C++ for NVRTC, no headers included. Nests must have passed verify(). Pure.

#include <string>
#include <vector>

#include "core/kernel/loopnest/loopnest.h"
#include "core/plan/plan.h"

namespace kw::kernel {

std::string emit_cuda(const std::vector<LoopNest>& nests);   // prelude + one extern "C" __global__ void NAME(pointers…) each
plan::Launch launch_of(const LoopNest& nest);

inline constexpr const char* cuda_emitter_version = "cuda-1";

}  // namespace kw::kernel
