#pragma once
// Tensors over memory of ours. Included only by .cpp files of this part, which get torch from the precompiled header.

#include "core/graph/type.h"
#include "core/worker/aten/convert.h"

namespace kw::oracle {

// Borrows `memory`, on the host or on the GPU: storage laid out as `type` says.
inline at::Tensor view_of(const graph::TensorType& type, void* memory, bool on_cuda = false) {
  const at::TensorOptions options(aten::scalar_type(type.dtype));
  return at::from_blob(memory, type.sizes, type.strides, on_cuda ? options.device(at::Device(at::kCUDA, 0)) : options);
}

// The same values and strides in another floating dtype; integers and booleans stay as they are. Storage is converted as
// a whole, so that overlapping strides survive.
inline at::Tensor converted(const graph::TensorType& type, const at::Tensor& tensor, at::ScalarType to) {
  if (!graph::is_floating(type.dtype)) return tensor;
  return tensor.as_strided({type.span()}, {1}, 0).to(to).as_strided(type.sizes, type.strides, 0);
}

}  // namespace kw::oracle
