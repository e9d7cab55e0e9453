#pragma once
// Which values an input of a task may hold, by the arguments it reaches: a variance is positive, an index is in range. From
// this hidden inputs are drawn. An explicit table of (operator, argument); everything else may hold anything of its type.

#include <cstdint>
#include <vector>

#include "core/graph/graph.h"

namespace kw::oracle {

enum class DomainKind : std::uint8_t {
  any,              // floating: every number
  mostly_positive,  // a square root's or logarithm's argument: positive, except in the set of special values
  positive,         // a variance: positive always
  probability,      // 0 to 1
  index,            // integers from low to high
  fixed,            // related to other inputs (sorted offsets, sizes): only the captured values make sense
};

struct Domain {
  DomainKind kind = DomainKind::any;
  std::int64_t low = 0, high = -1;   // of index; high < low: take the captured range
};

// One a graph input.
std::vector<Domain> input_domains(const graph::Graph& task);

}  // namespace kw::oracle
