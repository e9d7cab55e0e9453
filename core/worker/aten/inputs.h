#pragma once
// Where a model's inputs come from: a file, the archive, or numbers drawn to fit. Included only by .cpp files, which get
// torch from the precompiled header.

#include <string>

#include "core/graph/graph.h"
#include "core/graph/pt2/tensors.h"
#include "core/worker/aten/executable.h"

namespace kw::aten {

// One tensor for each of graph.inputs, copied out of the file; number, element types and shapes checked. `where` names the source.
base::Result<Tensors> match_inputs(const graph::Graph& graph, const graph::pt2::Leaves& leaves, const std::string& where);

// Floating inputs standard normal, booleans even, integers from 0 below the smallest table that they index.
base::Result<Tensors> draw_inputs(const graph::Graph& graph, std::uint64_t seed);

// For tests and messages: below which bound an integer input is drawn.
std::int64_t integer_bound(const graph::Graph& graph, graph::ValueId input);

}  // namespace kw::aten
