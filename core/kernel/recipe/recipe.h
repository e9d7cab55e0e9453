#pragma once
// Layer 2: a recipe is a canonical keyed set of decisions. Replaying it on the same program gives the same plan text.
// Keys are sorted; values are short words or numbers. A decision that equals its default is not written.

#include <map>
#include <string>
#include <vector>

#include "core/kernel/definition/definition.h"

namespace kw::kernel {

inline constexpr const char* generator_version = "3";

struct Recipe {
  std::map<std::string, std::string> decisions;
  bool operator==(const Recipe&) const = default;
};
std::string text(const Recipe& recipe);            // "generator=3 edge.softmax.exp=tile vector.k0=8 ..."
base::Result<Recipe> recipe_from_text(const std::string& text);

// What the machine offers; prunes before anything is built.
struct Limits {
  std::string target = "cpu";                      // "cpu" or "cuda"
  int threads = 1;                                 // that run at once; cuda: multiprocessors
  int vector_bytes = 32;                           // widest SIMD register
  std::int64_t l1_bytes = 32 << 10;
  std::int64_t l2_bytes = 512 << 10;
  std::int64_t max_workspace_bytes = std::int64_t{1} << 31;
  std::int64_t shared_bytes = 48 << 10;            // cuda: the most that a block can ask for
};

struct Mutation {
  std::string key;                                 // the decision it changes
  std::string from, to;
  std::string kind;                                // "vector width", "edge", "parallel axis", ... the row of the mutation table
  std::string description;                         // one sentence for people
  Recipe result;
};

// The root of the search: what an engineer would write first.
Recipe default_recipe(const Program& program, const Limits& limits);

// Every legal one-decision change, in a stable order. Never contains `recipe` itself.
std::vector<Mutation> mutations(const Program& program, const Recipe& recipe, const Limits& limits);

}  // namespace kw::kernel
