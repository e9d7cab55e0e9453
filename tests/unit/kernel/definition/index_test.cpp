// Index maps against the naive formula at every point of small random domains, and the simplifications that lowering
// counts on.
#include "core/kernel/definition/index.h"

#include <functional>
#include <random>

#include <gtest/gtest.h>

namespace kw::kernel {
namespace {

using Point = std::vector<std::int64_t>;
using Formula = std::function<std::int64_t(const Point&)>;

std::int64_t naive_div(std::int64_t a, std::int64_t d) { return a >= 0 ? a / d : -((-a + d - 1) / d); }

struct Both {
  Index index;
  Formula naive;
};

struct RandomIndex {
  std::mt19937 random;
  Extents extents;
  int uniform(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random); }

  Both leaf() {
    if (uniform(0, 4) == 0) {
      const std::int64_t c = uniform(-9, 9);
      return {constant(c), [c](const Point&) { return c; }};
    }
    const int v = uniform(0, static_cast<int>(extents.size()) - 1);
    return {variable(v), [v](const Point& p) { return p[static_cast<std::size_t>(v)]; }};
  }

  Both make(int depth) {
    if (depth == 0) return leaf();
    const Both a = make(depth - 1);
    switch (uniform(0, 3)) {
      case 0: {
        const Both b = make(depth - 1);
        return {add(a.index, b.index), [=](const Point& p) { return a.naive(p) + b.naive(p); }};
      }
      case 1: {
        const std::int64_t c = uniform(-6, 6);
        return {scale(a.index, c), [=](const Point& p) { return c * a.naive(p); }};
      }
      case 2: {
        const std::int64_t d = uniform(1, 8);
        return {floor_div(a.index, d, extents), [=](const Point& p) { return naive_div(a.naive(p), d); }};
      }
      default: {
        const std::int64_t d = uniform(1, 8);
        return {mod(a.index, d, extents), [=](const Point& p) { return a.naive(p) - d * naive_div(a.naive(p), d); }};
      }
    }
  }
};

void for_every_point(const Extents& extents, const std::function<void(const Point&)>& visit) {
  Point p(extents.size(), 0);
  for (;;) {
    visit(p);
    std::size_t k = extents.size();
    while (k > 0 && ++p[k - 1] == extents[k - 1]) p[--k] = 0;
    if (k == 0) return;
  }
}

Extents random_extents(RandomIndex& source) {
  Extents extents;
  for (int k = source.uniform(1, 3); k > 0; --k) extents.push_back(source.uniform(1, 7));
  return extents;
}

TEST(IndexProperties, EvaluatesAsTheNaiveFormulaAndStaysInItsRange) {
  RandomIndex source{std::mt19937(7), {}};
  for (int round = 0; round < 6000; ++round) {
    source.extents = random_extents(source);
    const Both both = source.make(source.uniform(1, 5));
    const Range r = range(both.index, source.extents);
    for_every_point(source.extents, [&](const Point& p) {
      const std::int64_t value = evaluate(both.index, p);
      ASSERT_EQ(value, both.naive(p)) << text(both.index) << " round " << round;
      ASSERT_LE(r.low, value) << text(both.index);
      ASSERT_GE(r.high, value) << text(both.index);
    });
    if (HasFatalFailure()) return;
  }
}

TEST(IndexProperties, SubstitutionIsComposition) {
  RandomIndex outer{std::mt19937(11), {}}, inner{std::mt19937(13), {}};
  for (int round = 0; round < 2000; ++round) {
    inner.extents = random_extents(inner);
    std::vector<Both> variables;
    outer.extents.clear();
    for (int k = outer.uniform(1, 3); k > 0; --k) {   // an outer variable is some non-negative inner formula
      const std::int64_t extent = outer.uniform(1, 7);
      const Both any = inner.make(2);
      variables.push_back({mod(any.index, extent, inner.extents), [=](const Point& p) {
                             return any.naive(p) - extent * naive_div(any.naive(p), extent);
                           }});
      outer.extents.push_back(extent);
    }
    const Both both = outer.make(3);
    std::vector<Index> replacements;
    for (const Both& v : variables) replacements.push_back(v.index);
    const Index composed = substitute(both.index, replacements, inner.extents);
    for_every_point(inner.extents, [&](const Point& p) {
      Point middle;
      for (const Both& v : variables) middle.push_back(v.naive(p));
      ASSERT_EQ(evaluate(composed, p), both.naive(middle)) << text(both.index) << " -> " << text(composed);
    });
    if (HasFatalFailure()) return;
  }
}

// A reshape to any factorisation and back is the identity, and prints as nothing but variables.
TEST(IndexProperties, ReshapeThereAndBackIsTheIdentity) {
  RandomIndex source{std::mt19937(17), {}};
  const std::vector<std::int64_t> factors = {2, 3, 2, 5, 7, 2};
  const auto grouping = [&] {
    std::vector<std::int64_t> sizes = {1};
    for (const std::int64_t f : factors) {
      if (source.uniform(0, 1) == 0) sizes.push_back(1);
      sizes.back() *= f;
    }
    return sizes;
  };
  const auto linear = [](const std::vector<Index>& maps, const std::vector<std::int64_t>& sizes) {
    Index sum;
    for (std::size_t k = 0; k < sizes.size(); ++k) sum = add(scale(sum, sizes[k]), maps[k]);
    return sum;
  };
  const auto split = [](const Index& offset, const std::vector<std::int64_t>& sizes, const Extents& extents) {
    std::vector<Index> maps(sizes.size());
    std::int64_t stride = 1;
    for (std::size_t k = sizes.size(); k-- > 0; stride *= sizes[k])
      maps[k] = mod(floor_div(offset, stride, extents), sizes[k], extents);
    return maps;
  };
  for (int round = 0; round < 500; ++round) {
    const auto from = grouping(), to = grouping();
    std::vector<Index> identity;
    for (std::size_t k = 0; k < from.size(); ++k) identity.push_back(variable(static_cast<int>(k)));
    const auto there = split(linear(identity, from), to, from);
    const auto back = split(linear(there, to), from, from);
    for (std::size_t k = 0; k < from.size(); ++k) {
      EXPECT_EQ(text(back[k]), from[k] > 1 ? text(variable(static_cast<int>(k))) : "0");
    }
  }
}

TEST(Index, SimplifiesWithTheExtents) {
  const Extents e = {4, 6, 3};   // i, j, k
  const std::vector<std::string> names = {"i", "j", "k"};
  const Index i = variable(0), j = variable(1), k = variable(2);
  const Index ij = add(scale(i, 6), j);
  const Index ijk = add(scale(ij, 3), k);
  EXPECT_EQ(text(floor_div(ij, 6, e), names), "i");
  EXPECT_EQ(text(mod(ij, 6, e), names), "j");
  EXPECT_EQ(text(floor_div(ijk, 18, e), names), "i");
  EXPECT_EQ(text(mod(floor_div(ijk, 3, e), 6, e), names), "j");
  EXPECT_EQ(text(floor_div(ijk, 9, e), names), "2*i + (j/3)");
  EXPECT_EQ(text(floor_div(floor_div(j, 2, e), 2, e), names), "(j/4)");
  EXPECT_EQ(text(mod(mod(ij, 12, e), 6, e), names), "j");
  EXPECT_EQ(text(floor_div(j, 1, e), names), "j");
  EXPECT_EQ(text(mod(j, 1, e), names), "0");
  EXPECT_EQ(text(mod(j, 6, e), names), "j");
  EXPECT_EQ(text(floor_div(scale(i, 8), 2, e), names), "4*i");
  EXPECT_EQ(text(add(scale(floor_div(j, 4, e), 4), mod(j, 4, e)), names), "j");
  EXPECT_EQ(text(floor_div(add(scale(i, 2), constant(-1)), 2, e), names), "i - 1");
  EXPECT_EQ(text(add(constant(2), scale(k, -1)), names), "-k + 2");
  EXPECT_EQ(text(mod(add(constant(7), scale(k, -1)), 8, e), names), "-k + 7");
}

TEST(Index, EqualityAndDependence) {
  const Extents e = {40, 60};
  const Index a = add(mod(variable(0), 7, e), variable(1)), b = add(variable(1), mod(variable(0), 7, e));
  EXPECT_TRUE(a == b);
  EXPECT_FALSE(a == add(a, constant(1)));
  EXPECT_TRUE(depends_on(a, 0));
  EXPECT_TRUE(depends_on(a, 1));
  EXPECT_FALSE(depends_on(add(a, scale(variable(1), -1)), 1));
}

}  // namespace
}  // namespace kw::kernel
