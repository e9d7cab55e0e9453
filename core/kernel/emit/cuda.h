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

// How emitted source must be compiled, beside the architecture. Why each:
inline constexpr const char* cuda_compile_flags[] = {
    "--std=c++20",
    "--device-as-default-execution-space",   // every function of the prelude belongs to the device
    "--fmad=true",                           // a*b + c in one rounding: faster, never less accurate
};                                           // and not --use_fast_math: NaN, infinities, subnormals and exact division count

}  // namespace kw::kernel
