#pragma once
// Where a node came from, out of the text that torch.export keeps.

#include <string>

#include "core/graph/graph.h"

namespace kw::graph::pt2 {

// The innermost frame of a Python stack trace that is not inside an installed package; the innermost at all when every one is.
SourceLine innermost_line(const std::string& stack_trace);

// "L__self__,,Model;L__self__layers_0,layers.0,Block" -> "layers.0"
std::string module_path(const std::string& nn_module_stack);

}  // namespace kw::graph::pt2
