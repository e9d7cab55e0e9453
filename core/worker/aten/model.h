#pragma once
// The model that a worker has open: archive mapped, weights by reference, inputs drawn or read. Worker thread only.
//
// Inputs come from the first of these that there is: `inputs`, the archive's example inputs, numbers drawn with `seed`.
// A file of inputs is what torch.save makes of a tuple (or list, dict, nested) of tensors, taken in order; or safetensors,
// taken by name when it has a tensor for the name of every input, else in the file's order. Their number, element types
// and shapes must be those of the graph.

#include <map>
#include <memory>
#include <string>

#include "core/base/result.h"
#include "core/worker/aten/executable.h"

namespace kw::aten {

struct OpenOptions {
  std::string path;              // .pt2 or .py
  std::string python;            // interpreter for .py; "" = the default rule
  std::string inputs;            // file with inputs (.pt tuple or .safetensors); "" = the archive's, else drawn
  std::string input_set;         // of a .py: one that its module names; "" = get_inputs()
  int threads = 0;               // 0 = all
  bool on_cuda = false;          // weights and inputs go to the GPU, where torch's CUDA half is loaded and a stream chosen
  std::uint64_t seed = 0;
  std::string cache;             // folder for exported archives
};

struct OpenModel {
  graph::Graph graph;            // functionalised where that is safe; types as observed
  std::map<graph::ValueId, at::Tensor> constants;
  Tensors inputs;                // in the order of graph.inputs
  std::unique_ptr<Executable> eager;
  std::string sha256;            // of the file at `path`
  std::string kind;              // "pt2" or "py"
  bool on_cuda = false;
};

base::Result<std::unique_ptr<OpenModel>> open_model(const OpenOptions& options);
base::Status save_outputs(const std::string& path, const Tensors& outputs);   // a tuple that torch.load reads by default

}  // namespace kw::aten
