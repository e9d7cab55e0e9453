#pragma once
// Inside a kernel: which definitions share their inner loops. See grouping.h for the picture.

#include <map>

#include "core/kernel/recipe/grouping.h"

namespace kw::kernel::lowering {

struct FuseChoice {
  bool usual_joined = true;            // joins a kernel when the recipe says nothing
  std::optional<std::string> asked;
};

// Settles fuse.<definition> for every member that could join a kernel: own, outer (loops of its own inside the common
// outer loops) or loop (shares the inner loops too).
KernelGroup arrange_stages(const Program& program, const std::string& name, const std::vector<int>& members,
                           const std::map<int, FuseChoice>& fuse, Decisions& decisions);

}  // namespace kw::kernel::lowering
