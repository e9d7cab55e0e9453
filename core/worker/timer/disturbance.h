#pragma once
// What happened to the machine during a round: involuntary context switches of the two sides and time stolen by a hypervisor.
// Measuring thread only.

#include <cstdint>

#include <sys/types.h>

namespace kw::timer {

struct Load {
  std::int64_t involuntary_switches = 0;   // all threads of this process and of the runner, since they started
  std::int64_t stolen_ticks = 0;           // of all cores, in clock ticks
};

// `runner`: the candidate's process, 0 if there is none.
Load read_load(pid_t runner);

// A round of `duration_s` is kept if nothing was stolen and at most one switch a scheduler period (20 ms) happened: a long
// call is bound to meet the system's own housekeeping, a short one is not.
bool disturbed(const Load& before, const Load& after, double duration_s);

}  // namespace kw::timer
