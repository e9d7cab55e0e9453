#pragma once
// What a CUDA candidate may hold: its source, before anything compiles it, and its cubin, before anything loads it. Any thread.

#include <optional>
#include <string_view>

#include "core/plan/plan.h"
#include "core/worker/build/cubin.h"
#include "core/worker/build/refusal.h"

namespace kw::build {

// No file of this machine: `reads_files`.
std::optional<Refusal> refuse_source(std::string_view source);

// No memory that outlives a launch (`writable_state`), no function of the driver (`forbidden_symbol`), every kernel step there with
// one pointer a buffer. `source` is what the cubin was made of.
std::optional<Refusal> refuse_cubin(const Cubin& cubin, std::string_view source, const plan::Plan& plan);

// sin, cos, lgamma and their kin read tables that NVIDIA's library keeps in writable memory. Refuses a source that could name one of
// them, or give its own memory a table's name. Part of refuse_cubin, for cubins that hold such a table.
std::optional<Refusal> refuse_reach_for_tables(std::string_view source);

}  // namespace kw::build
