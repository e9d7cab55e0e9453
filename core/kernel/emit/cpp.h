#pragma once
// Layer 4 for the cpu target: self-contained C++ with GCC vector extensions and OpenMP, no headers included (a kernel
// compiles in about 0.1 s). Vector maths is ours: see vector_math.h for each function's error against float64.

#include <string>
#include <vector>

#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel {

std::string emit_cpp(const std::vector<LoopNest>& nests);   // prelude + one extern "C" void NAME(void* const* buffers) each

inline constexpr const char* emitter_version = "cpp-1";

}  // namespace kw::kernel
