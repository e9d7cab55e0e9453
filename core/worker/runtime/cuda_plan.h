#pragma once
// The plan executor of a GPU: one cubin, its kernel steps in order on one stream, on buffers the caller owns. Torch-free: the judge
// verifies and times with it, the worker uses it for the whole model, the package ships it. One thread at a time, which has made
// the context current.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/plan/plan.h"
#include "core/worker/cuda/module.h"

namespace kw::runtime {

// What one step asks of the GPU.
struct StepResources {
  std::string name;
  int registers = 0;            // a thread
  int local_bytes = 0;          // a thread: spills and arrays that do not fit into registers
  int shared_bytes = 0;         // a block, static and dynamic
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<int, 3> block = {1, 1, 1};
};

class CudaPlan {
 public:
  // Loads `cubin` (a file) and resolves every kernel step. `unsupported`: the plan asks for what its cubin or this GPU does not give,
  // the candidate's launch_error; `busy`: no memory; `lost`: the context is; anything else is not the candidate's fault.
  static base::Result<CudaPlan> load(const cuda::Context& context, const std::string& cubin, const plan::Plan& plan);

  // Queues all steps but step `without`. buffers[i] is the address of the first element of plan.buffers[i]. Codes as for load; a
  // kernel that fails while it runs shows at the stream's next wait.
  base::Status launch(const cuda::Stream& stream, const std::vector<cuda::CUdeviceptr>& buffers, int without = -1) const;

  std::vector<StepResources> resources() const;

 private:
  static base::Result<cuda::Function> resolve(const cuda::Module& module, const plan::Step& step, std::size_t buffers);
  struct Step {
    cuda::Function function;
    plan::Launch launch;
    std::vector<int> buffers;
    std::string name;
  };
  std::size_t buffer_count_ = 0;
  std::vector<Step> steps_;
};

}  // namespace kw::runtime
