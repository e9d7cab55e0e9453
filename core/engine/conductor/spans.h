#pragma once
// How much of a stretch of wall time was spent on the work itself: the union of compile, candidate, baseline, reference
// and flush intervals, whichever overlap. What is left is the engine's own overhead. Seconds of CLOCK_MONOTONIC.

#include <vector>

#include "core/protocol/records.h"

namespace kw::conductor {

// Length of the union of `spans`, each clipped to [start_s, end_s].
double covered_s(std::vector<protocol::Span> spans, double start_s, double end_s);

}  // namespace kw::conductor
