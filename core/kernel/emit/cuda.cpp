#include "core/kernel/emit/cuda.h"

#include "core/kernel/emit/prelude.h"
#include "core/kernel/emit/shared_memory.h"
#include "core/kernel/emit/statement_writer.h"

namespace kw::kernel {

std::string emit_cuda(const std::vector<LoopNest>& nests) {
  std::string code;
  for (const LoopNest& nest : nests) code += "\n" + StatementWriter(nest, Dialect::cuda).function();
  return "namespace {\n" + prelude_for(code, Dialect::cuda) + "}  // namespace\n" + code;
}

plan::Launch launch_of(const LoopNest& nest) {
  const GridShape shape = grid_shape(nest);
  plan::Launch launch;
  launch.grid[0] = iterations(shape.grid);
  for (std::size_t k = 0; k < shape.threads.size(); ++k)
    launch.block[shape.threads.size() - 1 - k] = static_cast<int>(trip_count(*shape.threads[k]));
  if (const SharedMemory memory = shared_memory(nest); memory.dynamic()) launch.shared_bytes = static_cast<int>(memory.tile_bytes);
  return launch;
}

}  // namespace kw::kernel
