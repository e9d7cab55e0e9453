#pragma once
// Layer 4 for the cpu target: self-contained C++ with GCC vector extensions and OpenMP, no headers included (a kernel
// compiles in about 0.1 s). Vector maths is ours: see vector_math.h for each function's error against float64.
// Nests must have passed verify(): the emitter trusts registers, types and bounds. Pure; any thread.

#include <string>
#include <vector>

#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel {

std::string emit_cpp(const std::vector<LoopNest>& nests);   // prelude + one extern "C" void NAME(void* const* buffers) each

inline constexpr const char* emitter_version = "cpp-1";

// How emitted source must be compiled (add -fPIC -shared or -c). Why each:
inline constexpr const char* compile_flags[] = {
    "-x", "c++", "-std=c++20",
    "-O2",                       // -O3 unrolls and versions loops that the nest has already shaped, at twice the compile time
    "-march=native",             // vector width, FMA, F16C
    "-fopenmp",                  // the parallel loop
    "-fno-math-errno",           // square roots inline instead of a call to libm
    "-fno-trapping-math",        // selects without branches; nobody reads the floating-point exception flags
    "-ffp-contract=fast",        // a*b + c in one rounding: faster, never less accurate; the exact steps of the maths are fenced
    "-fwrapv",                   // integers wrap around, as ATen's do
    "-fno-exceptions", "-fno-rtti", "-fno-asynchronous-unwind-tables",
    "-fvisibility=hidden",       // only the kernels are exported
    "-Wno-psabi",                // vectors as arguments: every function is inline
};                               // and not -ffast-math: NaN, infinities, signed zeros and the order of sums count

// An object made with them may leave undefined only these (and symbols that begin with "GOMP_").
inline constexpr const char* allowed_undefined[] = {
    "omp_get_num_threads", "omp_get_thread_num", "memcpy", "memset", "memmove", "_GLOBAL_OFFSET_TABLE_",
};

}  // namespace kw::kernel
