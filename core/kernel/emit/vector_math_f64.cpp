#include "core/kernel/emit/prelude.h"

namespace kw::kernel {

const std::vector<Snippet>& vector_math_f64_snippets() {
  static const std::vector<Snippet> table = {};
  return table;
}

}  // namespace kw::kernel
