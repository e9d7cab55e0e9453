#pragma once
// lower() with its decisions in sight, for what lists mutations.

#include "core/kernel/generator.h"
#include "core/kernel/recipe/decisions.h"

namespace kw::kernel::lowering {

base::Result<Lowered> lower_with(const Program& program, Decisions& decisions, const Limits& limits);

}  // namespace kw::kernel::lowering
