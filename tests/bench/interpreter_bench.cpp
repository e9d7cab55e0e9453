// What the interpreter adds to a node: a graph of small operators through Executable::run against the same calls written
// in C++. Prints µs per node; the goal is below 3.
#include <algorithm>
#include <cstdio>
#include <vector>

#include <ATen/Parallel.h>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/worker/aten/executable.h"
#include "tests/unit/aten/graphs.h"

namespace {

using kw::lit;
using kw::ref;
using kw::graph::ValueId;
constexpr int groups = 100, nodes_a_group = 5, rounds = 201;

// x -> t() -> t() -> add(., b, alpha) -> mul by a number -> cat with itself -> slice back
kw::Graphs build(ValueId& b) {
  kw::Graphs g;
  ValueId x = g.input("x", {4, 4});
  b = g.buffer("b", {4, 4});
  for (int i = 0; i < groups; ++i) {
    x = g.node("aten.t.default", {ref(x)});
    x = g.node("aten.add.Tensor", {ref(x), ref(b), {"alpha", true, 0.5}});
    x = g.node("aten.mul.Tensor", {ref(x), lit(0.5)});
    x = g.node("aten.cat.default", {lit(kw::graph::ValueList{{x, b}}), lit(std::int64_t{0})});
    x = g.node("aten.slice.Tensor", {ref(x), lit(std::int64_t{0}), lit(std::int64_t{2}), lit(std::int64_t{6})});
  }
  g.output(x);
  return g;
}

at::Tensor direct(at::Tensor x, const at::Tensor& b) {
  for (int i = 0; i < groups; ++i) {
    x = at::t(x);
    x = at::add(x, b, 0.5);
    x = at::mul(x, 0.5);
    x = at::cat({x, b}, 0);
    x = at::slice(x, 0, 2, 6);
  }
  return x;
}

}  // namespace

int main() {
  at::set_num_threads(1);
  ValueId b_id = 0;
  const kw::Graphs g = build(b_id);
  const at::Tensor x = at::randn({4, 4}), b = at::randn({4, 4});
  auto executable = kw::aten::Executable::bind(g.graph, {{b_id, b}});
  if (!executable) return std::fprintf(stderr, "%s\n", executable.error().text().c_str()), 1;
  std::vector<double> through, without;
  for (int round = 0; round < rounds; ++round) {
    double start = kw::base::now_s();
    auto outputs = (*executable)->run({x});
    through.push_back(kw::base::now_s() - start);
    if (!outputs) return std::fprintf(stderr, "%s\n", outputs.error().text().c_str()), 1;
    const c10::InferenceMode inference;
    start = kw::base::now_s();
    const at::Tensor expected = direct(x, b);
    without.push_back(kw::base::now_s() - start);
    if (!expected.equal((*outputs)[0])) return std::fprintf(stderr, "the interpreter's result differs\n"), 1;
  }
  constexpr int nodes = groups * nodes_a_group;
  const double a = 1e6 * kw::base::median(through) / nodes, c = 1e6 * kw::base::median(without) / nodes;
  std::printf("interpreter: %.2f us a node, called directly: %.2f us, added: %.2f us (%d nodes, median of %d runs)\n", a, c, a - c, nodes, rounds);
  return 0;
}
