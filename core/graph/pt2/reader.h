#pragma once
// A torch.export archive (.pt2) as a Graph, read without torch. Weights and constants stay in the mapped archive and are
// referred to by StorageRef, checked against their entry.

#include <memory>
#include <string>

#include "core/graph/graph.h"
#include "core/graph/pt2/archive.h"
#include "core/graph/pt2/tensors.h"

namespace kw::graph::pt2 {

struct Model {
  Graph graph;
  std::shared_ptr<const Archive> archive;
  std::string torch_version;       // that wrote it
};

base::Result<Model> read_model(const std::string& path);

// The bytes of a parameter, buffer or constant, from its first element on.
base::Result<StoredTensor> stored_tensor(const Archive& archive, const Value& value);

// The archive's example inputs, flattened; Error{not_found} when it holds none.
base::Result<Leaves> example_inputs(const std::shared_ptr<const Archive>& archive);

}  // namespace kw::graph::pt2
