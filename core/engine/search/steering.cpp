#include "core/engine/search/steering.h"

#include <utility>

namespace kw::search {

void Steering::pause(bool paused) {
  const base::Lock lock(mutex_);
  paused_ = paused;
}

void Steering::stop() {
  const base::Lock lock(mutex_);
  stopping_ = true;
}

void Steering::mark(const std::string& action, const std::string& candidate) {
  const base::Lock lock(mutex_);
  if (action == "pin") marks_.pinned.insert(candidate);
  if (action == "unpin") marks_.pinned.erase(candidate);
  if (action == "ban") marks_.banned.insert(candidate);
  if (action == "unban") marks_.banned.erase(candidate);
  if (action == "expand") expansions_.push_back(candidate);
}

bool Steering::send(Errand errand) {
  const base::Lock lock(mutex_);
  if (closed_) return false;
  errands_.push_back(std::move(errand));
  return true;
}

bool Steering::paused() const {
  const base::Lock lock(mutex_);
  return paused_;
}

bool Steering::stopping() const {
  const base::Lock lock(mutex_);
  return stopping_;
}

Steering::Marks Steering::marks() const {
  const base::Lock lock(mutex_);
  return marks_;
}

std::deque<std::string> Steering::take_expansions() {
  const base::Lock lock(mutex_);
  return std::exchange(expansions_, {});
}

std::deque<Errand> Steering::take_errands() {
  const base::Lock lock(mutex_);
  return std::exchange(errands_, {});
}

void Steering::close() {
  const base::Lock lock(mutex_);
  closed_ = true;
}

}  // namespace kw::search
