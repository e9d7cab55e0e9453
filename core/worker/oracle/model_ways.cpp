#include "core/worker/oracle/model_ways.h"

#include "core/worker/aten/convert.h"
#include "core/worker/device/torch_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>

namespace kw::oracle {
namespace {

// The same kernels on the same values: only the order of atomic additions may differ.
constexpr double same_rtol = 1e-2, same_atol = 1e-2;

base::Status replays(Gpu& gpu, const aten::Tensors& expected, ModelGraph& made) {
  for (at::Tensor& output : made.outputs)
    if (output.defined() && output.is_cuda()) output.zero_();
  if (auto status = made.graph->launches.launch(gpu.stream()); !status) return status;
  device::synchronize();
  for (std::size_t k = 0; k < expected.size(); ++k)
    if (expected[k].defined() && !at::allclose(expected[k].to(at::kDouble), made.outputs[k].to(at::kDouble), same_rtol, same_atol, true))
      return base::Error{base::ErrorCode::unsupported, "As one graph the model computes something else in output " + std::to_string(k) + ".", "graph"};
  return base::done();
}

}  // namespace

AllowTf32::AllowTf32(bool allowed) : before_(device::tf32()) { device::allow_tf32(before_ || allowed); }
AllowTf32::~AllowTf32() { device::allow_tf32(before_); }

base::Status capture_model(Gpu& gpu, aten::Executable& model, const aten::Tensors& inputs, ModelGraph& made) {
  try {
    const c10::InferenceMode inference;
    auto expected = model.run(inputs);
    if (!expected) return expected.error();
    auto graph = gpu.graph([&]() -> base::Status {
      auto run = model.run(inputs);
      if (!run) return run.error();
      made.outputs = std::move(run).value();
      return base::done();
    });
    if (!graph) return graph.error();
    made.graph = std::move(graph).value();
    return replays(gpu, *expected, made);
  } catch (const std::exception& error) {
    return base::Error{base::ErrorCode::internal, aten::first_line(error), "graph"};
  }
}

}  // namespace kw::oracle
