#pragma once
// Cases for every row of the lowering table, without torch: the operator, its arguments, the types of its inputs and the
// domain their values are drawn from. Whoever lowers, interprets or emits can run them; tests/models compares with ATen.

#include <string>
#include <vector>

#include "core/graph/graph.h"

namespace kw::fakes {

enum class Domain {
  normal,      // about N(0, 2)
  positive,    // (0.1, 4)
  unit,        // (0.02, 0.98)
  inside,      // (-0.95, 0.95)
  quarters,    // multiples of 0.25 in [-3, 3]: many ties, no rounding
  nonzero,     // integers 1..5 with either sign
  small,       // integers -4..4
  naturals,    // integers 0..4
  wide,        // integers that overflow 8 bits when added
  boolean,     // 0 or 1
  special,     // normal, with NaN, both infinities, both zeros, large and tiny
  infinite,    // normal, with infinities but no NaN
};

struct CaseInput {
  graph::TensorType type;
  Domain domain = Domain::normal;
};

struct OperatorCase {
  std::string op;                             // "aten.softmax.int"
  std::vector<CaseInput> inputs;
  std::vector<graph::Argument> arguments;     // ValueRef{k}: input k
  double slack = 1;                           // tolerance relative to the usual one for the type

  std::string text() const;
};

std::vector<OperatorCase> operator_cases();

// Elements of an input in row-major order; equal calls give equal values, already representable in the type.
std::vector<double> draw(const CaseInput& input, unsigned seed);

}  // namespace kw::fakes
