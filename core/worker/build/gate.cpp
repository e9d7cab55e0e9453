#include "core/worker/build/gate.h"

#include <csignal>

#include "core/base/clock.h"

namespace kw::build {

BuildGate::Suspension::Suspension(BuildGate& gate) : gate_(gate) {
  std::lock_guard lock(gate_.mutex_);
  if (gate_.suspensions_++ > 0) return;
  gate_.suspended_since_s_ = base::now_s();
  for (pid_t group : gate_.groups_) kill(-group, SIGSTOP);
}

BuildGate::Suspension::~Suspension() {
  std::lock_guard lock(gate_.mutex_);
  if (--gate_.suspensions_ > 0) return;
  gate_.suspended_s_ += base::now_s() - gate_.suspended_since_s_;
  for (pid_t group : gate_.groups_) kill(-group, SIGCONT);
  gate_.opened_.notify_all();
}

BuildGate::Registration::Registration(BuildGate& gate, pid_t group) : gate_(gate), group_(group) {
  std::lock_guard lock(gate_.mutex_);
  gate_.groups_.insert(group_);
  if (gate_.suspensions_ > 0) kill(-group_, SIGSTOP);   // the gate closed between the start and here
}

BuildGate::Registration::~Registration() {
  std::lock_guard lock(gate_.mutex_);
  gate_.groups_.erase(group_);
}

void BuildGate::wait_until_open() {
  std::unique_lock lock(mutex_);
  opened_.wait(lock, [this] { return suspensions_ == 0; });
}

double BuildGate::suspended_s() const {
  std::lock_guard lock(mutex_);
  return suspended_s_ + (suspensions_ > 0 ? base::now_s() - suspended_since_s_ : 0);
}

}  // namespace kw::build
