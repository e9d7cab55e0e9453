#pragma once
// A graph bound to its operators through the c10 dispatcher, ready to run many times. Results are bit-identical to the
// exported module run in Python (same torch, inference mode, same number of threads). Worker thread only.
// torch is named by forward declaration: its headers stay in .cpp files.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/graph/task.h"

namespace at {
class Tensor;
}

namespace kw::aten {

using Tensors = std::vector<at::Tensor>;

struct BindOptions {
  bool on_cuda = false;          // tensors that the graph makes are made on the GPU
  bool promote_to_f64 = false;   // truth: every floating dtype, cast and factory promoted to float64, metadata assertions dropped
};

// Runs in place of an instance's nodes, at the position of its last node. `outputs` arrives empty.
struct Substitution {
  graph::Instance instance;
  std::function<base::Status(const Tensors& inputs, Tensors& outputs)> run;
};

class Executable {
 public:
  // `constants`: tensors of the parameters, buffers and constants by value id; copied only when a graph mutates them.
  static base::Result<std::unique_ptr<Executable>> bind(const graph::Graph& graph, std::map<graph::ValueId, at::Tensor> constants,
                                                        BindOptions options = {});
  ~Executable();

  // One run. Inputs and buffers that the graph mutates are restored afterwards. Thrown torch errors become Errors
  // that name the node and its source line.
  base::Result<Tensors> run(const Tensors& inputs);

  // As run; `before(node)` and `after(node)` are called round each node (profiling).
  base::Result<Tensors> run_observed(const Tensors& inputs, const std::function<void(int)>& before, const std::function<void(int)>& after);

  // Runs and keeps the values named, cloned with their strides at the moment before node `at_node` runs (captures a task's inputs).
  base::Result<Tensors> capture(const Tensors& inputs, const std::vector<graph::ValueId>& values, int at_node);

  // The type of every tensor value and the value of every integer, as one run saw them.
  base::Result<graph::Graph> observe(const Tensors& inputs);

  base::Status substitute(std::vector<Substitution> substitutions);   // replaces all earlier ones

 private:
  struct Impl;
  explicit Executable(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kw::aten
