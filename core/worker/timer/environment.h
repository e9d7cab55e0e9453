#pragma once
// The OpenMP settings that both sides of a timed round share. libgomp reads them when it is loaded, so they must stand in the
// environment before a program starts: the worker hands them to its runners, and restarts itself once if they are missing.
//
// Default libgomp spins for milliseconds after each region, into the other side's call, or not at all. With a spin of known length the
// threads of one call meet at the ends of its regions without falling asleep (on a virtual machine an idle core took 300 µs and more
// to wake), and the timer waits that long before the other side's call.

#include <string>
#include <vector>

namespace kw::timer {

constexpr double pool_spin_us = 150;   // an idle pool's thread spins about so long before it sleeps

struct Setting { std::string name, value; };
const std::vector<Setting>& openmp_settings();

// First thing in main: sets them and starts this program again in place. Returns in the program so started, or if that fails.
void ensure_openmp_settings(char** argv);

// The C library keeps freed memory instead of returning it to the system. Otherwise the baseline would pay page faults for
// outputs it allocates in each call, and the candidate, whose outputs the harness owns, would look faster than it is.
void keep_freed_memory();

}  // namespace kw::timer
