#include "core/kernel/definition/index.h"

#include <algorithm>
#include <compare>
#include <numeric>
#include <optional>

namespace kw::kernel {
namespace {

using Kind = IndexTerm::Kind;

std::int64_t floor_quotient(std::int64_t a, std::int64_t d) {
  const std::int64_t q = a / d;
  return q * d > a ? q - 1 : q;
}

std::strong_ordering compare(const Index& a, const Index& b);

// Order of what a term stands for, its coefficient aside.
std::strong_ordering compare(const IndexTerm& a, const IndexTerm& b) {
  if (a.kind != b.kind) return a.kind <=> b.kind;
  if (a.kind == Kind::variable) return a.variable <=> b.variable;
  if (a.divisor != b.divisor) return a.divisor <=> b.divisor;
  return a.inner == b.inner ? std::strong_ordering::equal : compare(*a.inner, *b.inner);
}

std::strong_ordering compare(const Index& a, const Index& b) {
  if (a.terms.size() != b.terms.size()) return a.terms.size() <=> b.terms.size();
  for (std::size_t k = 0; k < a.terms.size(); ++k) {
    if (const auto order = compare(a.terms[k], b.terms[k]); order != 0) return order;
    if (a.terms[k].coefficient != b.terms[k].coefficient) return a.terms[k].coefficient <=> b.terms[k].coefficient;
  }
  return a.constant <=> b.constant;
}

void merge(Index& a) {
  std::sort(a.terms.begin(), a.terms.end(), [](const IndexTerm& x, const IndexTerm& y) { return compare(x, y) < 0; });
  std::vector<IndexTerm> merged;
  for (IndexTerm& term : a.terms) {
    if (!merged.empty() && compare(merged.back(), term) == 0) {
      merged.back().coefficient += term.coefficient;
    } else {
      merged.push_back(std::move(term));
    }
  }
  std::erase_if(merged, [](const IndexTerm& t) { return t.coefficient == 0; });
  a.terms = std::move(merged);
}

IndexTerm term_of(Kind kind, Index inner, std::int64_t divisor, std::int64_t coefficient = 1) {
  IndexTerm term;
  term.kind = kind;
  term.coefficient = coefficient;
  term.inner = std::make_shared<const Index>(std::move(inner));
  term.divisor = divisor;
  return term;
}

Index plus(const Index& a, const Index& b) {
  Index sum = a;
  sum.constant += b.constant;
  sum.terms.insert(sum.terms.end(), b.terms.begin(), b.terms.end());
  merge(sum);
  return sum;
}

// floor(x / d) in the form that floor_div gives it: floor(floor(z / e) / d) is written floor(z / (e*d)).
IndexTerm quotient_term(const Index& x, std::int64_t d) {
  if (x.terms.size() == 1 && x.terms[0].kind == Kind::floor_div && x.terms[0].coefficient == 1) {
    const IndexTerm& nested = x.terms[0];
    return term_of(Kind::floor_div, plus(*nested.inner, constant(x.constant * nested.divisor)), nested.divisor * d);
  }
  return term_of(Kind::floor_div, x, d);
}

// c*d*floor(x/d) + c*(x mod d) -> c*x,  and  c*d*((y + floor(x/d)) mod e) + c*(x mod d) -> c*((d*y + x) mod (d*e)).
std::optional<Index> recombine(const IndexTerm& low, const IndexTerm& high) {
  if (low.kind != Kind::mod || high.coefficient != low.coefficient * low.divisor) return std::nullopt;
  const IndexTerm quotient = quotient_term(*low.inner, low.divisor);
  if (compare(high, quotient) == 0) return scale(*low.inner, low.coefficient);
  if (high.kind != Kind::mod) return std::nullopt;
  Index rest = *high.inner;
  const auto part = std::find_if(rest.terms.begin(), rest.terms.end(), [&](const IndexTerm& t) {
    return t.coefficient == 1 && compare(t, quotient) == 0;
  });
  if (part == rest.terms.end()) return std::nullopt;
  rest.terms.erase(part);
  Index whole = plus(scale(rest, low.divisor), *low.inner);
  Index result;
  result.terms.push_back(term_of(Kind::mod, std::move(whole), low.divisor * high.divisor, low.coefficient));
  return result;
}

bool recombine_once(Index& a) {
  for (std::size_t i = 0; i < a.terms.size(); ++i) {
    for (std::size_t j = 0; j < a.terms.size(); ++j) {
      if (i == j) continue;
      const std::optional<Index> joined = recombine(a.terms[i], a.terms[j]);
      if (!joined) continue;
      a.terms.erase(a.terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
      a.terms.erase(a.terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
      a = plus(a, *joined);
      return true;
    }
  }
  return false;
}

// a = d*quotient + rest, every coefficient of rest inside (-d, d) and its constant inside [0, d).
struct Split {
  Index quotient, rest;
};
Split split_multiples(const Index& a, std::int64_t d) {
  Split split;
  split.quotient.constant = floor_quotient(a.constant, d);
  split.rest.constant = a.constant - d * split.quotient.constant;
  for (const IndexTerm& term : a.terms) {
    IndexTerm whole = term, part = term;
    whole.coefficient = term.coefficient / d;
    part.coefficient = term.coefficient % d;
    if (whole.coefficient != 0) split.quotient.terms.push_back(std::move(whole));
    if (part.coefficient != 0) split.rest.terms.push_back(std::move(part));
  }
  return split;
}

// a = g*quotient + rest with rest provably inside [0, g), for the largest divisor g > 1 of d for which that holds.
struct Digit {
  std::int64_t base = 1;
  Index quotient, rest;
};
std::optional<Digit> low_digit(const Index& a, std::int64_t d, const Extents& extents) {
  std::vector<std::int64_t> bases;
  for (const IndexTerm& term : a.terms) bases.push_back(std::gcd(term.coefficient, d));
  std::sort(bases.rbegin(), bases.rend());
  for (const std::int64_t g : bases) {
    if (g <= 1) break;
    Digit digit{g, {}, {}};
    digit.rest.constant = a.constant;
    for (const IndexTerm& term : a.terms) {
      const bool multiple = term.coefficient % g == 0;
      IndexTerm moved = term;
      if (multiple) moved.coefficient /= g;
      (multiple ? digit.quotient : digit.rest).terms.push_back(std::move(moved));
    }
    const Range r = range(digit.rest, extents);
    const std::int64_t low = floor_quotient(r.low, g);
    if (low != floor_quotient(r.high, g)) continue;
    digit.quotient.constant += low;
    digit.rest.constant -= low * g;
    return digit;
  }
  return std::nullopt;
}

// The quotient of something with no multiples of d left in it.
Index divide_rest(const Index& rest, std::int64_t d, const Extents& extents) {
  const Range r = range(rest, extents);
  if (floor_quotient(r.low, d) == floor_quotient(r.high, d)) return constant(floor_quotient(r.low, d));
  if (const auto digit = low_digit(rest, d, extents)) return floor_div(digit->quotient, d / digit->base, extents);
  if (rest.terms.size() == 1 && rest.terms[0].coefficient == 1) {
    const IndexTerm& only = rest.terms[0];
    if (only.kind == Kind::floor_div)
      return floor_div(plus(*only.inner, constant(rest.constant * only.divisor)), only.divisor * d, extents);
    if (only.kind == Kind::mod && rest.constant == 0 && only.divisor % d == 0)
      return mod(floor_div(*only.inner, d, extents), only.divisor / d, extents);
  }
  Index result;
  result.terms.push_back(term_of(Kind::floor_div, rest, d));
  return result;
}

// Opens c*(x mod m) where c*m is a multiple of d: modulo d it equals c*x.
std::optional<Index> open_mods(const Index& a, std::int64_t d) {
  for (std::size_t k = 0; k < a.terms.size(); ++k) {
    const IndexTerm& term = a.terms[k];
    if (term.kind != Kind::mod || (term.coefficient * term.divisor) % d != 0) continue;
    Index rest = a;
    rest.terms.erase(rest.terms.begin() + static_cast<std::ptrdiff_t>(k));
    return add(rest, scale(*term.inner, term.coefficient));
  }
  return std::nullopt;
}

// A variable of extent 1 is always 0.
Index without_unit_variables(const Index& a, const Extents& extents) {
  Index result = a;
  std::erase_if(result.terms, [&](const IndexTerm& t) {
    return t.kind == Kind::variable && extents[static_cast<std::size_t>(t.variable)] <= 1;
  });
  return result;
}

std::int64_t floor_mod(std::int64_t a, std::int64_t d) { return a - d * floor_quotient(a, d); }

}  // namespace

Index variable(int v) {
  Index result;
  IndexTerm term;
  term.variable = v;
  result.terms.push_back(term);
  return result;
}

Index constant(std::int64_t c) {
  Index result;
  result.constant = c;
  return result;
}

Index add(const Index& a, const Index& b) {
  Index sum = plus(a, b);
  while (recombine_once(sum)) {
  }
  return sum;
}

Index scale(const Index& a, std::int64_t factor) {
  if (factor == 0) return {};
  Index result = a;
  result.constant *= factor;
  for (IndexTerm& term : result.terms) term.coefficient *= factor;
  return result;
}

Index floor_div(const Index& numerator, std::int64_t divisor, const Extents& extents) {
  const Index a = without_unit_variables(numerator, extents);
  if (divisor <= 1) return a;
  const Range r = range(a, extents);
  if (floor_quotient(r.low, divisor) == floor_quotient(r.high, divisor)) return constant(floor_quotient(r.low, divisor));
  const Split split = split_multiples(a, divisor);
  return add(split.quotient, divide_rest(split.rest, divisor, extents));
}

Index mod(const Index& value, std::int64_t divisor, const Extents& extents) {
  const Index a = without_unit_variables(value, extents);
  if (divisor <= 1) return {};
  for (const Index& form : {a, split_multiples(a, divisor).rest}) {
    const Range r = range(form, extents);
    const std::int64_t period = floor_quotient(r.low, divisor);
    if (period == floor_quotient(r.high, divisor)) return add(form, constant(-period * divisor));
  }
  const Index rest = split_multiples(a, divisor).rest;
  if (const auto opened = open_mods(rest, divisor)) return mod(*opened, divisor, extents);
  if (const auto digit = low_digit(rest, divisor, extents))
    return add(scale(mod(digit->quotient, divisor / digit->base, extents), digit->base), digit->rest);
  Index result;
  result.terms.push_back(term_of(Kind::mod, rest, divisor));
  return result;
}

Index substitute(const Index& a, const std::vector<Index>& variables, const Extents& extents) {
  Index result = constant(a.constant);
  for (const IndexTerm& term : a.terms) {
    Index value;
    if (term.kind == Kind::variable) {
      const auto v = static_cast<std::size_t>(term.variable);
      value = v < variables.size() ? variables[v] : variable(term.variable);
    } else {
      const Index inner = substitute(*term.inner, variables, extents);
      value = term.kind == Kind::floor_div ? floor_div(inner, term.divisor, extents) : mod(inner, term.divisor, extents);
    }
    result = add(result, scale(value, term.coefficient));
  }
  return result;
}

Range range(const Index& a, const Extents& extents) {
  Range total{a.constant, a.constant};
  for (const IndexTerm& term : a.terms) {
    Range r;
    if (term.kind == Kind::variable) {
      r.high = std::max<std::int64_t>(extents[static_cast<std::size_t>(term.variable)] - 1, 0);
    } else {
      r = range(*term.inner, extents);
      const std::int64_t low = floor_quotient(r.low, term.divisor), high = floor_quotient(r.high, term.divisor);
      if (term.kind == Kind::floor_div) r = {low, high};
      else r = low == high ? Range{r.low - low * term.divisor, r.high - low * term.divisor} : Range{0, term.divisor - 1};
    }
    total.low += term.coefficient * (term.coefficient > 0 ? r.low : r.high);
    total.high += term.coefficient * (term.coefficient > 0 ? r.high : r.low);
  }
  return total;
}

std::int64_t evaluate(const Index& a, const std::vector<std::int64_t>& variables) {
  std::int64_t sum = a.constant;
  for (const IndexTerm& term : a.terms) {
    std::int64_t value = 0;
    if (term.kind == Kind::variable) {
      value = variables[static_cast<std::size_t>(term.variable)];
    } else {
      const std::int64_t inner = evaluate(*term.inner, variables);
      value = term.kind == Kind::floor_div ? floor_quotient(inner, term.divisor) : floor_mod(inner, term.divisor);
    }
    sum += term.coefficient * value;
  }
  return sum;
}

bool depends_on(const Index& a, int v) {
  return std::any_of(a.terms.begin(), a.terms.end(), [v](const IndexTerm& t) {
    return t.kind == Kind::variable ? t.variable == v : depends_on(*t.inner, v);
  });
}

std::string text(const Index& a, const std::vector<std::string>& names) {
  std::string out;
  const auto append = [&out](std::int64_t coefficient, const std::string& what) {
    const std::int64_t size = coefficient < 0 ? -coefficient : coefficient;
    if (!out.empty()) out += coefficient < 0 ? " - " : " + ";
    else if (coefficient < 0) out += "-";
    if (what.empty()) out += std::to_string(size);
    else out += size == 1 ? what : std::to_string(size) + "*" + what;
  };
  for (const IndexTerm& term : a.terms) {
    const auto v = static_cast<std::size_t>(term.variable);
    std::string what;
    if (term.kind == Kind::variable) {
      what = v < names.size() ? names[v] : "i" + std::to_string(v);
    } else {
      const bool simple = term.inner->constant == 0 && term.inner->terms.size() == 1 &&
                          term.inner->terms[0].kind == Kind::variable && term.inner->terms[0].coefficient == 1;
      const std::string inner = simple ? text(*term.inner, names) : "(" + text(*term.inner, names) + ")";
      what = "(" + inner + (term.kind == Kind::floor_div ? "/" : "%") + std::to_string(term.divisor) + ")";
    }
    append(term.coefficient, what);
  }
  if (a.constant != 0 || out.empty()) append(a.constant, "");
  return out;
}

bool operator==(const Index& a, const Index& b) { return compare(a, b) == 0; }

}  // namespace kw::kernel
