#pragma once
// What happened to the machine during a round: involuntary context switches of the two sides, time that their threads were ready
// and had no core because of other load, and time stolen by a hypervisor. Measuring thread only.

#include <cstdint>
#include <string>
#include <vector>

#include <sys/types.h>

namespace kw::timer {

struct Load {
  std::int64_t switches = 0;     // involuntary ones
  double waited_s = 0;           // ready and without a core; the kernel's run delay (/proc/PID/task/TID/schedstat)
};

// The threads of this process and of the runner (0: there is none) that live when it is made; their files stay open, because a
// look at all of them twice a call must take no longer than a call.
class LoadReader {
 public:
  explicit LoadReader(pid_t runner);
  ~LoadReader();
  LoadReader(const LoadReader&) = delete;
  LoadReader& operator=(const LoadReader&) = delete;

  Load read() const;             // since the threads started

 private:
  void open_all(const std::string& process, const char* name, std::vector<int>& files);
  std::vector<int> schedstats_, statuses_;
};

// Of all cores, in clock ticks since the machine started.
std::int64_t stolen_ticks();

// A call of `duration_s` may meet one switch and one more each scheduler tick (4 ms), as a long one is bound to meet the system's
// own housekeeping, and may wait for 3 % of its length and for the 40 µs that its own wake-ups take.
bool disturbed(const Load& before, const Load& after, double duration_s);

}  // namespace kw::timer
