#pragma once
// The float64 truth of a task on a set of inputs, beside what eager makes of them. Executor thread only.

#include <memory>
#include <vector>

#include "core/base/result.h"
#include "core/graph/graph.h"
#include "core/worker/oracle/compare.h"
#include "core/worker/oracle/input_sets.h"

namespace kw::oracle {

class TruthMaker {
 public:
  // On the cpu or, float64 too, on the GPU.
  static base::Result<std::shared_ptr<TruthMaker>> make(const graph::Graph& task, bool on_cuda);
  ~TruthMaker();
  // Truth, left-out elements and tolerances of every output.
  base::Result<std::vector<OutputTruth>> judge(const InputFacts& facts, const InputSet& set);

 private:
  struct Impl;
  explicit TruthMaker(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kw::oracle
