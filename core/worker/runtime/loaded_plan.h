#pragma once
// The plan executor: one shared object, its steps in order, on buffers the caller owns. Torch-free: the runner verifies
// with it, the worker uses it for the whole model, the package ships it.

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/plan/plan.h"

namespace kw::runtime {

class LoadedPlan {
 public:
  // Opens `object` (a .so) and resolves every kernel step's symbol.
  static base::Result<LoadedPlan> load(const std::string& object, const plan::Plan& plan);
  // buffers[i] is the address of the first element of plan.buffers[i]; not checked here.
  void run(void* const* buffers) const;

 private:
  struct Step { void (*function)(void* const*); std::vector<int> buffers; };
  std::shared_ptr<void> handle_;
  std::vector<Step> steps_;
};

}  // namespace kw::runtime
