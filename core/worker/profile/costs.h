#pragma once
// Bytes and floating-point operations of one node, from its types: the compulsory ones, each tensor moved once.

#include <cstdint>

#include "core/graph/graph.h"

namespace kw::profile {

struct Cost { std::int64_t bytes = 0, flops = 0; };

// Views cost nothing. Matrix products, convolutions and attention by their formulas (a multiply-add counts two), others an
// operation an output element, or an input element for reductions.
Cost node_cost(const graph::Graph& graph, const graph::Node& node);

}  // namespace kw::profile
