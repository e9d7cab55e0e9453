#pragma once
// When a search ends: a chain of small objects, asked in order before each new evaluation. The first that has a reason
// stops it. Evaluations in flight are still waited for.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"

namespace kw::search {

struct Progress {
  int issued = 0, completed = 0;       // evaluations of this search, attempts that were lost not counted
  int since_gain = 0;                  // completed since any task got faster by 1 %
  double seconds = 0;
  bool all_at_roofline = false;        // every task that can be searched is as fast as memory or arithmetic allow
};

class Stopper {
 public:
  virtual ~Stopper() = default;
  virtual std::optional<std::string> reason(const Progress& progress) const = 0;
};
using Stoppers = std::vector<std::unique_ptr<Stopper>>;

std::unique_ptr<Stopper> stop_after_evaluations(int evaluations);
std::unique_ptr<Stopper> stop_after_minutes(double minutes);
std::unique_ptr<Stopper> stop_at_plateau(int evaluations_without_gain);
std::unique_ptr<Stopper> stop_at_roofline();
std::unique_ptr<Stopper> stop_when_cancelled(base::CancelToken token);
std::unique_ptr<Stopper> stop_when(std::string reason, std::function<bool()> condition);

std::optional<std::string> first_reason(const Stoppers& chain, const Progress& progress);

}  // namespace kw::search
