#include "app/cli/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>

#include "core/base/clock.h"
#include "core/engine/report/text.h"

namespace kw::cli {
namespace {

constexpr double refresh_terminal_s = 0.2, refresh_plain_s = 10;

std::size_t columns() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col - 1 : 79;
}

std::string clock_text(double seconds) {
  const int whole = static_cast<int>(seconds);
  char text[40];
  if (whole >= 3600)
    std::snprintf(text, sizeof(text), "%d:%02d:%02d", whole / 3600, whole / 60 % 60, whole % 60);
  else
    std::snprintf(text, sizeof(text), "%d:%02d", whole / 60, whole % 60);
  return text;
}

}  // namespace

std::string search_line(const search::Snapshot& s, int budget) {
  std::string out = std::to_string(s.completed) + (budget > 0 ? "/" + std::to_string(budget) : "") + " evaluations";
  const search::TaskSnapshot* best = nullptr;
  double best_ratio = 1;
  for (const auto& task : s.tasks) {
    if (task.best_us <= 0 || task.baseline_us / task.best_us <= best_ratio) continue;
    best_ratio = task.baseline_us / task.best_us;
    best = &task;
  }
  if (best != nullptr) out += "  best " + report::ratio(best_ratio) + " " + best->id;
  if (s.measured > 0 && s.seconds > 0) {
    char rate[40];
    std::snprintf(rate, sizeof(rate), "  %.0f measured/min", 60 * s.measured / s.seconds);
    out += rate;
  }
  if (budget > 0 && s.completed >= 3 && s.seconds > 0) out += "  " + clock_text(s.seconds / s.completed * (budget - s.completed)) + " left";
  return out;
}

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}
ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::clear() {
  const std::lock_guard lock(mutex_);
  if (dirty_) std::fputs("\r\033[K", stderr);
  dirty_ = false;
}

void ProgressLine::say(const std::string& line) {
  const std::lock_guard lock(mutex_);
  std::fprintf(stderr, "%s%s\n", dirty_ ? "\r\033[K" : "", line.c_str());
  dirty_ = false;
}

void ProgressLine::show(const std::string& line) {
  const double now = base::now_s();
  if (now - shown_s_ < (terminal_ ? refresh_terminal_s : refresh_plain_s)) return;
  shown_s_ = now;
  if (terminal_)
    std::fprintf(stderr, "\r\033[K%s", report::shortened(line, columns()).c_str());
  else
    std::fprintf(stderr, "%s\n", line.c_str());
  std::fflush(stderr);
  dirty_ = terminal_;
}

void ProgressLine::step(double fraction, const std::string& what) {
  const std::lock_guard lock(mutex_);
  if (what != last_step_) shown_s_ = 0;   // a new step is always shown
  last_step_ = what;
  show(fraction >= 0 ? what + " " + report::percent(fraction) : what + " …");
}

void ProgressLine::search(const search::Snapshot& snapshot, int budget) {
  const std::lock_guard lock(mutex_);
  show(search_line(snapshot, budget));
}

conductor::Watch ProgressLine::watch() {
  return {[this](const std::string& line) { say(line); }, [this](double fraction, const std::string& what) { step(fraction, what); }};
}

}  // namespace kw::cli
