#pragma once
// Builds and timed rounds do not share the machine: a timed round suspends the compilers that run (SIGSTOP to their
// process groups) and keeps new ones from starting. Any thread.

#include <condition_variable>
#include <mutex>
#include <set>

#include <sys/types.h>

namespace kw::build {

class BuildGate {
 public:
  // While one lives, no compiler runs. Suspensions nest.
  class Suspension {
   public:
    explicit Suspension(BuildGate& gate);
    ~Suspension();
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

   private:
    BuildGate& gate_;
  };

  // A compiler's process group, from just after its start until just after its end.
  class Registration {
   public:
    Registration(BuildGate& gate, pid_t group);
    ~Registration();
    Registration(const Registration&) = delete;
    Registration& operator=(const Registration&) = delete;

   private:
    BuildGate& gate_;
    pid_t group_;
  };

  void wait_until_open();   // before a compiler is started
  double suspended_s() const;   // so far, to be taken off a compiler's time limit

 private:
  mutable std::mutex mutex_;
  std::condition_variable opened_;
  std::set<pid_t> groups_;
  int suspensions_ = 0;
  double suspended_s_ = 0, suspended_since_s_ = 0;
};

}  // namespace kw::build
