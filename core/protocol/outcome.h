#pragma once
// Fast or not, where the interval of the ratio is known and the samples are not: the same rule as for a Measurement.

#include "core/protocol/records.h"

namespace kw::protocol {

Outcome outcome(const Interval& ratio_ci95);

}  // namespace kw::protocol
