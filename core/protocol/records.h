#pragma once
// The wire records between engine and worker: plain data with to_json / from_json. No graph or plan types here, those
// travel as their own JSON. Numbers carry their unit in the name. What was not measured is absent, never a number.

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace kw::protocol {

using nlohmann::json;
inline constexpr int protocol_version = 1;

enum class Verdict : std::uint8_t {
  accepted, build_error, launch_error, crash, timeout, wrong_result, imprecise, nondeterministic, out_of_bounds,
  input_mutated, cheat, impossible_speed, out_of_memory, not_evaluated,
};
struct VerdictRow {
  Verdict verdict;
  const char* name;           // "wrong_result"
  const char* meaning;        // one sentence for people
  bool learn;                 // false: nothing is learned from it (not_evaluated)
};
const std::vector<VerdictRow>& verdicts();
const char* name(Verdict verdict);

enum class Outcome : std::uint8_t { faster, equal, slower, undecided };
const char* name(Outcome outcome);

struct Interval { double low = 0, high = 0; };

// Error of one output: e(x) = |x - t| / (|t| + RMS(t)).
struct OutputError {
  double max = 0, rms = 0;             // the candidate's
  double eager_max = 0, eager_rms = 0; // eager's own on the same inputs
  double tolerance_max = 0, tolerance_rms = 0;
  std::int64_t left_out = 0;           // elements where eager itself disagrees with truth
};

struct Evidence {
  std::string summary;                 // one sentence: what was seen
  std::string detail;                  // compiler output, backtrace, …
  std::string input_set;               // "captured", "hidden:heavy-tailed", …
  struct Element { int output = 0; std::vector<std::int64_t> index; double value = 0, truth = 0, error = 0; };
  std::vector<Element> worst;          // at most 8
  std::vector<OutputError> errors;     // per output, worst over the input sets
};

// A baseline that was timed in the same rounds and is not the strongest.
struct WeakerBaseline {
  std::string name;
  double median_us = 0, ratio = 0;     // ratio: baseline / candidate
  Interval ratio_ci95;
};

struct Measurement {
  std::string clock;                   // "call_us" (cpu) or "device_us"
  std::string baseline;                // the strongest: "eager", "eager in a CUDA graph", …
  std::vector<double> candidate_us, baseline_us;   // paired samples, round by round
  double candidate_median_us = 0, baseline_median_us = 0;
  double ratio = 0;                    // baseline / candidate: the speedup
  Interval ratio_ci95;
  int rounds = 0, discarded = 0;       // discarded: rounds disturbed by steal time or other load
  int threads = 0;
  std::string device;
  double floor_us = 0;                 // roofline floor at this footprint, from measured ceilings
  std::vector<WeakerBaseline> weaker;
};

// The outcome of an interval against 1: the one place where it is decided.
Outcome outcome(const Measurement& measurement);

// Where the wall time of an evaluation went; the engine adds up the union of these intervals.
struct Span { std::string what; double start_s = 0, end_s = 0; };   // CLOCK_MONOTONIC; what: compile, candidate, baseline, reference, flush

// One thing that ran: on the host (an operator) or on a GPU (a kernel, a copy, a fill). A kernel's launch: absent elsewhere.
struct TimelineEvent {
  std::string name, track;
  double start_us = 0, duration_us = 0;
  int node = -1;                       // of the graph; -1: not known
  std::array<int, 3> grid{}, block{};
  int registers = 0;                   // a thread
  std::int64_t shared_bytes = 0;       // a block
};

struct Evaluation {
  Verdict verdict = Verdict::not_evaluated;
  std::string kind;                    // "<kind>" of cheat:<kind> and not_evaluated:<kind>, else ""
  Evidence evidence;
  std::optional<Measurement> measurement;
  std::vector<Span> spans;
  std::vector<TimelineEvent> timeline; // afresh on cuda: one call, tracks "candidate" and "eager"
  std::string verdict_text() const;    // "cheat:input_alias"
};

// One line of a profile, grouped by signature.
struct OperatorCard {
  std::string op, signature, module_path, source;   // source: "file:line"
  int calls = 0;
  double time_us = 0;                  // all calls of one run of the model, median over runs
  double share = 0;                    // of the sum over nodes
  std::int64_t bytes = 0, flops = 0;   // all calls of one run
  std::string bound;                   // "memory" or "compute"
  double roofline_share = 0;           // floor / time, against measured ceilings
  std::vector<int> nodes;
};

struct Ceilings {                      // measured on this machine with this number of threads
  double read_gb_s = 0, write_gb_s = 0, copy_gb_s = 0;          // far beyond the last cache
  double cache_copy_gb_s = 0;                                   // footprint that stays in the last cache
  double f32_gflop_s = 0, f64_gflop_s = 0;                      // matmul
};

struct Profile {
  std::vector<double> node_us;         // per node, median over runs; on cuda the device's own times, but for what `note` says
  double model_us = 0;                 // the whole model, median, timed without the per-node clock
  double interpreter_us_per_node = 0;
  int runs = 0;
  std::vector<OperatorCard> cards;
  std::vector<TimelineEvent> timeline; // of one run: tracks "operators" (the host) and, on cuda, "kernels"
  Ceilings ceilings;
  std::string note;                    // why times are not what they should be
};

struct Environment {
  std::string cpu, torch, compiler, flags, os, kernel, device;
  int threads = 0, cores = 0;
  std::int64_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;
  int vector_bytes = 0;
  std::string target = "cpu";
  int multiprocessors = 0, driver_version = 0;      // of the GPU where the target is cuda; 13000 is CUDA 13.0
  std::int64_t shared_bytes = 0;                    // of the GPU: the most that a block can ask for
  std::string gpu_uuid;
};

// The whole model without and with its winners, both run in the same way.
struct EndToEndWay {
  std::string name;                                 // "CUDA graph", "TF32", "TF32 in a CUDA graph"
  double before_us = 0, after_us = 0, speedup = 0;
  Interval speedup_ci95;
  int rounds = 0;
};

struct EndToEnd {
  double before_us = 0, after_us = 0, speedup = 0;  // plain calls
  Interval speedup_ci95;
  int rounds = 0, discarded = 0;
  std::vector<EndToEndWay> ways;                    // others than plain calls; cuda
  double error_max = 0, error_rms = 0;              // with the winners, against float64
  double error_eager_max = 0, error_eager_rms = 0;
  bool within_tolerance = false;
  std::vector<std::string> left_out;                // task ids whose winner does not help the whole model
  std::string note;
};

void to_json(json&, const Evaluation&);      void from_json(const json&, Evaluation&);
void to_json(json&, const Evidence&);        void from_json(const json&, Evidence&);
void to_json(json&, const Measurement&);     void from_json(const json&, Measurement&);
void to_json(json&, const OperatorCard&);    void from_json(const json&, OperatorCard&);
void to_json(json&, const TimelineEvent&);   void from_json(const json&, TimelineEvent&);
void to_json(json&, const Profile&);         void from_json(const json&, Profile&);
void to_json(json&, const Ceilings&);        void from_json(const json&, Ceilings&);
void to_json(json&, const Environment&);     void from_json(const json&, Environment&);
void to_json(json&, const EndToEnd&);        void from_json(const json&, EndToEnd&);

}  // namespace kw::protocol
