#pragma once
// Index maps: a sum of coefficient * term + constant, a term being a variable, floor(affine / d) or affine mod d.
// Pure functions on values, callable from any thread; results are canonical and simplified with the extents of the
// variables. Divisors are at least 1; extents[v] >= 1 is the extent of variable v, which runs over [0, extents[v]).
//
//   (i*W + j) / W  ->  i          (i*W + j) % W  ->  j          W*(k/W) + k%W  ->  k

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace kw::kernel {

struct Index;
struct IndexTerm {
  enum class Kind : std::uint8_t { variable, floor_div, mod };
  Kind kind = Kind::variable;
  std::int64_t coefficient = 1;
  int variable = 0;                          // Kind::variable
  std::shared_ptr<const Index> inner;        // floor_div and mod
  std::int64_t divisor = 1;
};
struct Index {
  std::int64_t constant = 0;
  std::vector<IndexTerm> terms;              // canonical: sorted, no zero coefficient, no duplicate
};

struct Range { std::int64_t low = 0, high = 0; };           // inclusive
using Extents = std::vector<std::int64_t>;

Index variable(int v);
Index constant(std::int64_t c);
Index add(const Index& a, const Index& b);
Index scale(const Index& a, std::int64_t factor);
Index floor_div(const Index& a, std::int64_t divisor, const Extents& extents);   // rounds towards minus infinity
Index mod(const Index& a, std::int64_t divisor, const Extents& extents);         // in [0, divisor)
// Replaces variable v by variables[v]; a variable past the end of the list stays. `extents` are those of the new variables.
Index substitute(const Index& a, const std::vector<Index>& variables, const Extents& extents);
Range range(const Index& a, const Extents& extents);         // never too narrow; exact where no variable occurs twice
std::int64_t evaluate(const Index& a, const std::vector<std::int64_t>& variables);
bool depends_on(const Index& a, int v);
std::string text(const Index& a, const std::vector<std::string>& names = {});    // "4*i0 + i1/3 - 1"; "i<v>" without a name
bool operator==(const Index& a, const Index& b);

}  // namespace kw::kernel
