#pragma once
// What this machine is: read once from /proc and /sys, no measurement. No torch.

#include <cstdint>
#include <string>

#include "core/protocol/records.h"

namespace kw::device {

// Everything of the record but torch, compiler and flags, which their own parts know.
protocol::Environment cpu_environment(int threads);

}  // namespace kw::device
