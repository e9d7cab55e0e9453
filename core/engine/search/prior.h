#pragma once
// How promising each legal mutation of a recipe looks before anything is measured. Weights are positive and need not sum
// to one. Learned priors implement the same interface. Immutable, called from the search thread.

#include <map>
#include <string>
#include <vector>

#include "core/kernel/recipe/recipe.h"

namespace kw::search {

// What this task's own measurements say of each kind of mutation so far: the sum of log-speedup over the parent.
struct KindRecord { int count = 0; double gain = 0; };
using KindRecords = std::map<std::string, KindRecord>;

class Prior {
 public:
  virtual ~Prior() = default;
  virtual std::vector<double> weights(const kernel::Recipe& recipe, const std::vector<kernel::Mutation>& mutations,
                                      const KindRecords& seen) const = 0;
};

class UniformPrior final : public Prior {
 public:
  std::vector<double> weights(const kernel::Recipe&, const std::vector<kernel::Mutation>& mutations, const KindRecords&) const override {
    return std::vector<double>(mutations.size(), 1.0);
  }
};

// A table of kinds in the order an engineer would try them, spread over the members of a kind (sixteen tile sizes weigh
// no more than two edges), corrected by what this task has shown.
class HandmadePrior final : public Prior {
 public:
  std::vector<double> weights(const kernel::Recipe& recipe, const std::vector<kernel::Mutation>& mutations,
                              const KindRecords& seen) const override;
};

}  // namespace kw::search
