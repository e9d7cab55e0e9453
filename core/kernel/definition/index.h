#pragma once
// Index maps: a sum of coefficient * term + constant, a term being a variable, floor(affine / d) or affine mod d.
// Pure functions on values; results are canonical and simplified with the extents of the variables.

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
// extents[v] is the extent of variable v. All results are canonical and simplified with the extents.
Index variable(int v);
Index constant(std::int64_t c);
Index add(const Index& a, const Index& b);
Index scale(const Index& a, std::int64_t factor);
Index floor_div(const Index& a, std::int64_t divisor, const std::vector<std::int64_t>& extents);
Index mod(const Index& a, std::int64_t divisor, const std::vector<std::int64_t>& extents);
Index substitute(const Index& a, const std::vector<Index>& variables, const std::vector<std::int64_t>& extents);
Range range(const Index& a, const std::vector<std::int64_t>& extents);
std::int64_t evaluate(const Index& a, const std::vector<std::int64_t>& variables);
bool depends_on(const Index& a, int v);
std::string text(const Index& a, const std::vector<std::string>& names = {});
bool operator==(const Index& a, const Index& b);

}  // namespace kw::kernel
