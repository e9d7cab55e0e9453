#pragma once
// Literals of the IR as IValues of the type that a schema wants. Included only by .cpp files, which get torch from the
// precompiled header. Functions throw c10::Error where a literal does not fit.

#include "core/graph/graph.h"
#include "core/worker/aten/bound_node.h"

namespace kw::aten {

// A Python number where a tensor is wanted: a tensor without dimensions that does not take part in type promotion as one.
at::Tensor wrapped_number(const at::Scalar& number);

// The prebuilt value of argument `position`, or a Patch in `patches` (and a placeholder) where values flow in.
// `device` stands for whatever device the exporting machine had.
c10::IValue build_argument(const graph::Literal& literal, const c10::Argument& schema, std::size_t position, c10::Device device,
                           std::vector<Patch>& patches);

// As above for operators without a schema (_operator.*): numbers as they are.
c10::IValue build_number(const graph::Literal& literal, std::size_t position, std::vector<Patch>& patches);

}  // namespace kw::aten
