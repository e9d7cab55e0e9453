#pragma once
// One operator case run by ATen itself: the task graph with the types that ATen gave its results, and all elements.

#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "tests/fakes/operator_cases.h"

namespace kw::models {

struct AtenCall {
  graph::Graph graph;        // inputs, the node, every tensor result an output (cloned where its elements overlap)
  std::vector<std::vector<double>> inputs;         // row-major elements
  std::vector<std::vector<double>> outputs;
};

base::Result<AtenCall> call_aten(const fakes::OperatorCase& c, unsigned seed);

}  // namespace kw::models
