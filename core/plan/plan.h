#pragma once
// How a task is computed, as data: buffers, workspace and steps. Plans are what is verified, timed, stored and shipped.
// Text form: JSON, keys sorted, so equal plans have equal text and one hash.

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/result.h"
#include "core/graph/type.h"

namespace kw::plan {

enum class BufferRole : std::uint8_t { input, output, workspace };

// Inputs and outputs keep the order of the task's graph. A buffer's pointer is the address of its first element
// (index 0 in every dimension), whatever the strides.
struct Buffer {
  std::string name;
  BufferRole role = BufferRole::workspace;
  graph::TensorType type;
};

enum class StepKind : std::uint8_t { kernel, gemm, conv, aten };

// How many threads run a cuda kernel. Shared memory is the dynamic part, in bytes.
struct Launch {
  std::array<std::int64_t, 3> grid = {1, 1, 1};
  std::array<int, 3> block = {1, 1, 1};
  int shared_bytes = 0;
};

struct Step {
  StepKind kind = StepKind::kernel;
  // kernel: the function's symbol. cpu: extern "C" void NAME(void* const* buffers).
  // cuda: extern "C" __global__ void NAME(T0* b0, T1* b1, …), one pointer a buffer of the step.
  std::string name;
  std::vector<int> buffers;             // kernel arguments: positions in Plan::buffers, in the function's order
  bool generated = false;               // emitted by our generator (an edited source is not)
  Launch launch;                        // cuda kernels
};

struct Plan {
  std::string target;                   // "cpu" or "cuda"
  std::vector<Buffer> buffers;
  std::vector<Step> steps;
  std::string source;                   // one translation unit that defines every kernel step
  std::string generator;                // generator version, "" for edited
  int threads = 1;                      // cpu: the number of OpenMP threads the kernels ask for
};

nlohmann::json to_json(const Plan& plan);
base::Result<Plan> plan_from_json(const nlohmann::json& json);
base::Status validate(const Plan& plan);
std::string text(const Plan& plan);
std::string hash(const Plan& plan);     // SHA-256 of text and source, hex

}  // namespace kw::plan
