#pragma once
// What happened to the machine during a round: involuntary context switches of the two sides and time stolen by a hypervisor.
// Measuring thread only.

#include <cstdint>

#include <sys/types.h>

namespace kw::timer {

// Since the threads started: all of this process and of the runner (0: there is none).
std::int64_t involuntary_switches(pid_t runner);

// Of all cores, in clock ticks since the machine started.
std::int64_t stolen_ticks();

// A call of `duration_s` may meet one switch a scheduler period (20 ms): a long one is bound to meet the system's own
// housekeeping, a short one is not.
bool too_many_switches(std::int64_t switches, double duration_s);

}  // namespace kw::timer
