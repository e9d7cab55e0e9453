#pragma once
// Tensors in files: torch.save archives (through an unpickler that knows tensors and plain containers and nothing else)
// and safetensors. Results point into the mapped file; every size, stride and offset is checked against its storage.

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/graph/pt2/archive.h"
#include "core/graph/type.h"

namespace kw::graph::pt2 {

struct StoredTensor {
  TensorType type;
  Bytes bytes;                     // from the first element to one past the last, in the file's (little-endian) order
};
// A leaf of the pickled tree. Scalars other than tensors: int, float, bool, None (monostate), string.
using Leaf = std::variant<std::monostate, StoredTensor, std::int64_t, double, bool, std::string>;

struct Leaves {
  std::vector<Leaf> leaves;        // flattened as torch.utils._pytree does; dicts in insertion order
  std::vector<std::string> names;  // safetensors: the tensors' names; empty for pickles
  std::shared_ptr<const void> keep_alive;
};

base::Result<Leaves> unpickle(std::shared_ptr<const Archive> archive);        // a torch.save archive
base::Result<Leaves> read_safetensors(const std::string& path);
base::Result<Leaves> read_inputs_file(const std::string& path);               // .safetensors, else a torch.save archive

// torch's names and numbers of element types.
std::optional<DType> dtype_from_serde(std::int64_t number);                   // torch/_export/serde/schema.py ScalarType
std::optional<DType> dtype_from_storage(std::string_view storage);            // "FloatStorage"

}  // namespace kw::graph::pt2
