#pragma once
// What this machine is: read once from /proc and /sys, no measurement. No torch.

#include "core/protocol/records.h"

namespace kw::device {

int usable_cores();   // that this process may run on

// Everything of the record but torch, compiler and flags, which their own parts know.
protocol::Environment cpu_environment(int threads);

}  // namespace kw::device
