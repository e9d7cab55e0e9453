#pragma once
// Between our types and torch's. Included only by .cpp files of the worker, which get torch from the precompiled header.

#include <optional>

#include "core/base/result.h"
#include "core/graph/graph.h"

namespace kw::aten {

at::ScalarType scalar_type(graph::DType dtype);
std::optional<graph::DType> dtype(at::ScalarType type);       // nothing for types that the IR does not have (f8, quantised, …)

base::Result<graph::TensorType> tensor_type(const at::Tensor& tensor);

// A copy with the same sizes and strides, overlapping or not, of the bytes the tensor spans.
at::Tensor clone_exact(const at::Tensor& tensor);

// The same sizes, strides and bytes on the GPU or on the host; the tensor itself where it is there already.
at::Tensor placed(const at::Tensor& tensor, bool on_cuda);

// f16, bf16, f32 -> f64 and c64 -> c128; every other tensor unchanged and not copied.
at::Tensor promoted(const at::Tensor& tensor);

// First line of what torch says, without its C++ backtrace.
std::string first_line(const std::exception& error);

}  // namespace kw::aten
