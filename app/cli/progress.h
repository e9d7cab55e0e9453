#pragma once
// What the user sees while a command runs: one line that is rewritten on a terminal, a plain line now and then elsewhere.
// Everything goes to stderr; results go to stdout. Any thread may call.

#include <mutex>
#include <string>

#include "core/engine/conductor/optimize.h"

namespace kw::cli {

class ProgressLine {
 public:
  ProgressLine();
  ~ProgressLine();                                     // leaves a clean line

  void say(const std::string& line);                   // a lasting line
  void step(double fraction, const std::string& what);
  void search(const search::Snapshot& snapshot, int budget);
  void clear();

  conductor::Watch watch();                            // bound to this object

 private:
  void show(const std::string& line);
  std::mutex mutex_;
  bool terminal_;
  bool dirty_ = false;
  double shown_s_ = 0;
  std::string last_step_;
};

// "57/200 evaluations  best 1.53x t00-softmax  63 measured/min  2:15 left"
std::string search_line(const search::Snapshot& snapshot, int budget);

}  // namespace kw::cli
