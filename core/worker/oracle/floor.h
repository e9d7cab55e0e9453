#pragma once
// The time no candidate can beat: the bytes it cannot avoid over the machine's measured bandwidth at that footprint. Any thread.

#include <cstdint>

#include "core/graph/graph.h"
#include "core/protocol/records.h"

namespace kw::oracle {

// Every output byte, and every input byte unless an operator of the task may read only a part (slices, gathers, pools).
std::int64_t compulsory_bytes(const graph::Graph& task, std::int64_t input_bytes, std::int64_t output_bytes);

// µs; 0 without measured ceilings.
double floor_us(std::int64_t bytes, std::int64_t footprint, const protocol::Ceilings& ceilings);

}  // namespace kw::oracle
