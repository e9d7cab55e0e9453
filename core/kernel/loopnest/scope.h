#pragma once
// What is known about loop variables at one place of a nest, and what follows for an index map there: its interval, its
// congruence, and how it moves across the lanes of the enclosing vector loop. Shared by the verifier and the emitters.
// Plain values; a Scope is owned by the walk that opens and closes loops.

#include <cstdint>
#include <optional>
#include <vector>

#include "core/kernel/loopnest/loopnest.h"

namespace kw::kernel {

// An open loop variable takes begin, begin + step … last; the variable of a vector loop every value of [begin, last].
struct LoopRange {
  bool open = false;
  std::int64_t begin = 0, last = 0, step = 1;
};

struct Scope {
  std::vector<LoopRange> ranges;             // one per LoopNest::variables
  int vector_variable = -1;                  // of the open vector loop
  int lanes = 1;                             // its step

  explicit Scope(const LoopNest& nest) : ranges(nest.variables.size()) {}
  void enter(const Statement& loop);
  void leave(const Statement& loop);
  LoopRange narrow(const Statement& only);   // what the variable was before, to be put back
};

std::int64_t trip_count(const Statement& loop);          // iterations; a vector loop's in steps

// Interval of the map over every open variable, lanes included. Never too narrow; exact where no variable occurs twice.
Range interval(const Index& map, const Scope& scope);

// The map is residue + modulus * (some integer) at lane 0; modulus 0 means a constant.
struct Congruence {
  std::int64_t modulus = 0, residue = 0;
};
Congruence congruence(const Index& map, const Scope& scope);

// map(lane l) - map(lane 0) == stride * l in every iteration; nothing where that cannot be shown. 0: the same in all lanes.
std::optional<std::int64_t> lane_stride(const Index& map, const Scope& scope);

// Lanes of an expression: 1, the open vector loop's or a register's. 0 where two different widths meet.
int lanes_of(const Expression& expression, const LoopNest& nest, const Scope& scope);

}  // namespace kw::kernel
