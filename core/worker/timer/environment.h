#pragma once
// The OpenMP settings that both sides of a timed round share. libgomp reads them when it is loaded, so they must stand in the
// environment before a program starts: the worker hands them to its runners, and restarts itself once if they are missing.
//
// Default libgomp spins for a millisecond and more after each region, into the other side's call. With a short spin the
// regions of one call follow each other without a wake-up, as in a model that runs, and the pool sleeps before the next call.

#include <string>
#include <vector>

namespace kw::timer {

struct Setting { const char* name; const char* value; };
const std::vector<Setting>& openmp_settings();

// First thing in main. Returns if the settings stand; else sets them and starts this program again in place.
// If that fails it returns as well: openmp_settings_stand() then says no and a note belongs into the measurement.
void ensure_openmp_settings(char** argv);
bool openmp_settings_stand();

// The C library keeps freed memory instead of returning it to the system. Otherwise the baseline would pay page faults for
// outputs it allocates in each call, and the candidate, whose outputs the harness owns, would look faster than it is.
void keep_freed_memory();

}  // namespace kw::timer
