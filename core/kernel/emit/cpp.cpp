#include "core/kernel/emit/cpp.h"

#include "core/kernel/emit/prelude.h"
#include "core/kernel/emit/statement_writer.h"

namespace kw::kernel {

std::string emit_cpp(const std::vector<LoopNest>& nests) {
  std::string code;
  for (const LoopNest& nest : nests) code += "\n" + StatementWriter(nest, Dialect::cpp).function();
  return "namespace {\n" + prelude_for(code, Dialect::cpp) + "}  // namespace\n" + code;
}

}  // namespace kw::kernel
