#pragma once
// The support code that emitted kernels stand on: short pieces of C++ text. A translation unit gets the pieces whose names
// it uses, and theirs, in the order of the tables; so a simple kernel carries a simple prelude and compiles fast.

#include <cstdint>
#include <string>
#include <vector>

namespace kw::kernel {

struct Snippet {
  const char* names;                // the identifiers that call for it, separated by spaces
  const char* beside;               // only where this one is used as well (an overload for wide vectors, for bf16 …); or null
  const char* text;
};

enum class Dialect : std::uint8_t { cpp, cuda };

// The tables, one file each; those of vector_math.h follow the cpu's.
const std::vector<Snippet>& basic_snippets();            // types, vectors, conversions, indices
const std::vector<Snippet>& memory_snippets();           // halves, loads and stores
const std::vector<Snippet>& arithmetic_snippets();       // integers, extrema, sqrt, floor, remainder …

const std::vector<Snippet>& cuda_snippets();             // all of it, for the other dialect

std::string prelude_for(const std::string& code, Dialect dialect);   // everything that `code` names
std::vector<std::string> prelude_names();                // identifiers a kernel of either dialect must not use for its own things

}  // namespace kw::kernel
