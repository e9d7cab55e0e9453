#pragma once
// What a person asks of a search that runs: pause it, prefer or leave out a subtree, look below a node, evaluate a candidate of their own.
// Set from any thread; the search thread reads it before each evaluation it issues.

#include <deque>
#include <functional>
#include <set>
#include <string>

#include "core/base/mutex.h"
#include "core/base/result.h"
#include "core/engine/search/evaluator.h"

namespace kw::search {

// An evaluation that is not the search's own: an edit, or a candidate measured again. `done` runs on the search thread.
struct Errand {
  Job job;                             // its id is given by the search
  std::function<void(base::Result<Completion>)> done;
};

class Steering {
 public:
  struct Marks {                       // candidates
    std::set<std::string> pinned, banned;
    bool operator==(const Marks&) const = default;
  };

  void pause(bool paused);
  void stop();                         // what is in flight is waited for, winners are confirmed
  void mark(const std::string& action, const std::string& candidate);   // "pin", "unpin", "ban", "unban", "expand"
  // False: the search takes no more errands.
  bool send(Errand errand);

  // --- the search thread's side ---
  bool paused() const;
  bool stopping() const;
  Marks marks() const;
  std::deque<std::string> take_expansions();
  std::deque<Errand> take_errands();
  void close();                        // no more errands

 private:
  mutable base::Mutex mutex_;
  bool paused_ KW_GUARDED_BY(mutex_) = false, stopping_ KW_GUARDED_BY(mutex_) = false, closed_ KW_GUARDED_BY(mutex_) = false;
  Marks marks_ KW_GUARDED_BY(mutex_);
  std::deque<std::string> expansions_ KW_GUARDED_BY(mutex_);
  std::deque<Errand> errands_ KW_GUARDED_BY(mutex_);
};

}  // namespace kw::search
