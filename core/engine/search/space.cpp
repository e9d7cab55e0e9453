#include "core/engine/search/space.h"

namespace kw::search {

base::Result<Built> KernelSpace::build(const kernel::Recipe& recipe) const {
  auto generated = kernel::generate(program_, recipe, limits_);
  if (!generated) return generated.error();
  return Built{std::move(generated->plan), std::move(generated->structural_hash), generated->traffic_bytes};
}

}  // namespace kw::search
