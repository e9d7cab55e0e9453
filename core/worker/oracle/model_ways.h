#pragma once
// How a model on a GPU is run otherwise than by plain calls: with TF32 allowed, as one CUDA graph. Executor thread.

#include <optional>

#include "core/worker/aten/executable.h"
#include "core/worker/oracle/gpu.h"

namespace kw::oracle {

struct Way { const char* name; bool tf32, graph; };
inline constexpr Way ways[] = {{"TF32", true, false}, {"CUDA graph", false, true}, {"TF32 in a CUDA graph", true, true}};

// Matmuls may use TF32 while this lives; it never forbids what the user allowed.
class AllowTf32 {
 public:
  explicit AllowTf32(bool allowed);
  ~AllowTf32();
  AllowTf32(const AllowTf32&) = delete;
  AllowTf32& operator=(const AllowTf32&) = delete;

 private:
  bool before_;
};

// One run of the model as a graph, and the outputs that each launch of it writes.
struct ModelGraph { std::optional<Gpu::Graph> graph; aten::Tensors outputs; };

// Captured, launched once and held against a plain run. `unsupported` where they differ; what cannot be captured is an Error that says why.
base::Status capture_model(Gpu& gpu, aten::Executable& model, const aten::Tensors& inputs, ModelGraph& made);

}  // namespace kw::oracle
