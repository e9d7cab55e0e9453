#pragma once
// The files of an export that depend on the candidate, as text. Pure functions.

#include <string>
#include <vector>

#include "core/graph/graph.h"
#include "core/plan/plan.h"

namespace kw::report {

// The task's graph as a Python module: `class Task(torch.nn.Module)` whose forward calls torch.ops.aten in order, and
// INPUTS = [(name, dtype, sizes, strides, domain)]. `device`: "cpu" or "cuda", where the tensors are that it makes itself.
std::string python_task(const graph::Graph& task, const std::string& device);

// C++ tables of both plans for main.cpp. `allowed`: one an output, how far kernel and reference may be apart (of an integer output: the
// share of its elements that may differ).
std::string plan_tables(const graph::Graph& task, const plan::Plan& candidate, const plan::Plan& reference, const std::vector<double>& allowed);

// `source` with every kernel of the plan renamed, so that two plans link into one program.
std::string renamed(const plan::Plan& plan, const std::string& prefix);

// What values an input may take when it is drawn at random: "any", "positive", or "index N" (0 … N-1).
std::string domain(const graph::Graph& task, graph::ValueId input);

}  // namespace kw::report
