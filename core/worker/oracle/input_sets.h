#pragma once
// Hidden inputs: what a candidate is judged on besides the captured values. Torch-free; the same seed draws the same values.
// A storage holds the elements that a tensor spans, in its own strides.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/graph/type.h"
#include "core/worker/oracle/domains.h"

namespace kw::oracle {

using Storage = std::vector<std::byte>;

struct InputSet {
  std::string name;                 // "captured", "captured:rolled", "hidden:heavy-tailed", …
  std::vector<Storage> storages;    // one an input
};

struct InputFacts {
  std::vector<graph::TensorType> types;
  std::vector<Domain> domains;
};

// Names of the distributions, in the order in which they are tried.
const std::vector<std::string>& hidden_distributions();

InputSet draw(std::size_t distribution, const InputFacts& facts, const InputSet& captured, std::uint64_t seed);

using Copy = std::function<void(std::byte* to, const std::byte* from, std::size_t bytes)>;

// The captured values, each storage rolled by its own offset: new values of the same kind. Writes into `targets` by `copy`.
void roll(const InputFacts& facts, const InputSet& from, std::uint64_t seed, const std::vector<std::byte*>& targets, const Copy& copy);
InputSet rolled(const InputFacts& facts, const InputSet& captured, std::uint64_t seed);

}  // namespace kw::oracle
