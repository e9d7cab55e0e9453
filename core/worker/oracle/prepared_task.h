#pragma once
// A task ready to be judged: captured and hidden inputs, the float64 truth and eager's own error on each, the live input
// buffers that runner and baseline share, and the baseline itself. Made once a task, kept while the model is open.
// Made on the executor thread; then read by one measuring thread at a time.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/cancel.h"
#include "core/base/result.h"
#include "core/graph/task.h"
#include "core/protocol/records.h"
#include "core/worker/aten/model.h"
#include "core/worker/oracle/compare.h"
#include "core/worker/oracle/input_sets.h"
#include "core/worker/oracle/live_inputs.h"
#include "core/worker/timer/executor_thread.h"
#include "core/worker/timer/paired.h"

namespace kw::oracle {

// Eager on the live inputs. Its last outputs are kept, for the check of timed calls.
class Baseline {
 public:
  static base::Result<std::unique_ptr<Baseline>> make(const graph::Graph& task, const InputFacts& facts, const LiveInputs& live);
  ~Baseline();
  base::Status run();                                   // executor thread
  void forget();                                        // frees the last outputs
  std::size_t outputs() const;                          // of the last run; 0 after forget()
  const std::byte* output(std::size_t k);               // of the last run, row-major, on the host; valid until the next run
  struct Place { graph::TensorType type; const void* address = nullptr; };
  std::optional<Place> place(std::size_t k) const;      // of the last run, where it is

 private:
  struct Impl;
  explicit Baseline(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

struct NamedSide { std::string name; std::unique_ptr<timer::Side> side; };

class TruthMaker;

struct PreparedTask {
  std::string id;
  graph::Graph graph;
  InputFacts facts;
  std::vector<JudgedSet> sets;                          // [0] captured, [1] captured:rolled, then hidden ones
  std::unique_ptr<LiveInputs> live;                     // the inputs that candidate and baseline read
  std::unique_ptr<Baseline> baseline;
  std::vector<NamedSide> baselines;                     // what a candidate is timed against; "eager" runs `baseline`
  timer::ExecutorThread* executor = nullptr;
  std::shared_ptr<TruthMaker> truth;
  double baseline_us = 0;
  bool constant_truth = false;
  std::vector<protocol::Span> spans;                    // reference

  std::int64_t input_bytes() const, output_bytes() const;
  // Of `live`, from the measuring thread.
  void write_inputs(const JudgedSet& set) const;
  void write_rolled(std::uint64_t seed) const;          // captured values, rolled
  bool inputs_hold(std::size_t input, const JudgedSet& set) const;
  base::Result<std::vector<OutputTruth>> rolled_truth(std::uint64_t seed) const;   // of what write_rolled writes; costs several calls
  std::vector<protocol::OutputError> eager_errors() const;   // per output, worst over the sets
};

// `task`: {id, graph, instance: {nodes, inputs, outputs}}. `make_inputs` puts the live inputs where the target runs.
using MakeInputs = std::function<base::Result<std::unique_ptr<LiveInputs>>(const InputFacts&, const InputSet& captured)>;
base::Result<std::shared_ptr<PreparedTask>> prepare_task(const nlohmann::json& task, aten::OpenModel& model, timer::ExecutorThread& executor,
                                                         std::uint64_t seed, const MakeInputs& make_inputs, const base::CancelToken& cancel);

// Hidden sets of another seed, with their truth; the captured set comes first again.
base::Result<std::vector<JudgedSet>> fresh_sets(const PreparedTask& task, timer::ExecutorThread& executor, std::uint64_t seed,
                                                const base::CancelToken& cancel);

base::Result<graph::Instance> instance_from_json(const nlohmann::json& json);

}  // namespace kw::oracle
