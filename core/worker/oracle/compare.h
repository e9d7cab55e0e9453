#pragma once
// The verdict's formula. e(x) = |x - t| / (|t| + RMS(t)) per element of an output, its maximum and its RMS; a difference below
// the type's smallest positive number counts as none. NaN and infinities must stand where truth has them. Integers and
// booleans are exact, an index must point at an element within tolerance of the extremum. Torch-free, any thread.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/graph/type.h"
#include "core/protocol/records.h"

namespace kw::oracle {

// What an index output points into: `values` holds the float64 operand, row-major.
struct IndexTruth {
  std::vector<double> values;      // of the operand
  std::vector<double> extremum;    // one an output element: the float64 maximum or minimum it should point at
  std::vector<std::int64_t> base;  // position of the slice's first element in `values`, one an output element
  std::int64_t stride = 1;         // between the slice's elements
  std::int64_t length = 0;         // indices run from 0 to length - 1
  double rms = 0, tolerance = 0;
};

// Truth of one output on one input set.
struct OutputTruth {
  graph::TensorType type;                    // eager's own
  std::vector<double> values;                // row-major; of floating outputs
  std::vector<std::int64_t> exact;           // row-major; of the others
  std::optional<IndexTruth> index;           // where `exact` is an index
  std::vector<std::uint8_t> left_out;        // 1: eager itself disagrees with truth; empty: none
  std::int64_t left_out_count = 0;
  double rms = 0;                            // of the finite truth
  double eager_max = 0, eager_rms = 0;       // eager's own error
  double tolerance_max = 0, tolerance_rms = 0;
};

double root_mean_square(const std::vector<double>& values);   // over the finite ones, without overflow

struct Comparison {
  double max = 0, rms = 0;                   // infinity where a NaN or infinity stands wrongly
  std::int64_t wrong = 0;                    // exact outputs: elements that differ; floating: those beyond tolerance_max (when listed)
  bool within = true;
  std::vector<protocol::Evidence::Element> worst;   // at most 8, worst first; filled when not within
};

// `first`: element 0 of the output, laid out as `type` says (same dtype and sizes as the truth's). `output` labels the evidence.
Comparison compare(const OutputTruth& truth, const graph::TensorType& type, const std::byte* first, int output);

// Marks what eager gets beyond reason wrong, and sets eager's error and the tolerances. `eager`: eager's output, row-major.
void judge_eager(OutputTruth& truth, const std::byte* eager);

// Truth of a float64 task is eager itself, whose error is then unknown. It is taken from a run of the same graph in float32,
// in units of the epsilon: rounding grows alike in both. `narrow`: that run's output, float32, row-major.
void learn_error_from_f32(OutputTruth& truth, const float* narrow);

// Candidate and baseline of one timed call, whose truth nobody computed. `baseline`: row-major, of the same type; `like`: the truth of
// inputs of the same distribution. True if few elements are further apart than twice its tolerance: one in a thousand, and twice as
// many as eager had wrong there (the two may stand on either side of a discontinuity). Not for indices: near ties go either way, and
// only the truth knows them.
bool agrees(const std::byte* baseline, const OutputTruth& like, const graph::TensorType& type, const std::byte* first);

// Its two numbers, for a judge that counts elsewhere.
inline constexpr double apart_tolerances = 2;
bool few_apart(std::int64_t apart, std::int64_t elements, const OutputTruth& like);

}  // namespace kw::oracle
