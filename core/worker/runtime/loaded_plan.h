#pragma once
// The plan executor: one shared object, its steps in order, on buffers the caller owns. Torch-free: the runner verifies
// with it, the worker uses it for the whole model, the package ships it. One thread at a time calls run.

#include <memory>
#include <optional>
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

  // As run, leaving one step out where `without` names it. Returns the step that rewrote its own argument array (a
  // candidate that tries to swap a buffer for another), if any.
  std::optional<int> run_checked(void* const* buffers, int without = -1) const;

  // Where the object lies in memory, to turn a fault's instruction address into an offset.
  const void* image_base() const { return base_; }

 private:
  static constexpr std::size_t max_arguments = 64;
  struct Step { void (*function)(void* const*); std::vector<int> buffers; };
  std::shared_ptr<void> handle_;
  const void* base_ = nullptr;
  std::vector<Step> steps_;
};

}  // namespace kw::runtime
