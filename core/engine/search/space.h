#pragma once
// What can be tried on one task: the root recipe, its legal one-decision changes, and the plan each recipe stands for.
// KernelSpace asks the generator; tests give a small made-up one. Immutable, called from the search thread.

#include "core/base/result.h"
#include "core/kernel/generator.h"

namespace kw::search {

struct Built {
  plan::Plan plan;
  std::string structural_hash;
  std::int64_t traffic_bytes = 0;
};

class Space {
 public:
  virtual ~Space() = default;
  virtual kernel::Recipe root() const = 0;
  virtual std::vector<kernel::Mutation> mutations(const kernel::Recipe& recipe) const = 0;
  virtual base::Result<Built> build(const kernel::Recipe& recipe) const = 0;   // an error is the reason it is illegal
};

class KernelSpace final : public Space {
 public:
  KernelSpace(kernel::Program program, kernel::Limits limits) : program_(std::move(program)), limits_(std::move(limits)) {}
  kernel::Recipe root() const override { return kernel::default_recipe(program_, limits_); }
  std::vector<kernel::Mutation> mutations(const kernel::Recipe& recipe) const override {
    return kernel::mutations(program_, recipe, limits_);
  }
  base::Result<Built> build(const kernel::Recipe& recipe) const override;

 private:
  kernel::Program program_;
  kernel::Limits limits_;
};

}  // namespace kw::search
