#include "core/kernel/recipe/inlining.h"

#include <algorithm>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

constexpr double store_and_fetch = 2;        // units of work to keep one value in a tile, and to read it back: one more

// Recomputing costs the body once for every evaluation its readers ask for; keeping costs it once, and a store and loads.
bool cheaper_inline(const Program& program, const Definition& d) {
  const double size = static_cast<double>(points(d));
  const double work = work_per_point(d);
  double evaluated = 0;
  for (const Definition& reader : program.definitions) evaluated += static_cast<double>(evaluations(reader, d.tensor));
  const bool output = !program.tensors[static_cast<std::size_t>(d.tensor)].outputs.empty();
  const double keep = (output ? 0 : size * (work + store_and_fetch)) + evaluated;
  return evaluated * work <= keep;
}

void substitute_reads(Program& program, const Definition& d) {
  for (Definition& reader : program.definitions) {
    if (evaluations(reader, d.tensor) == 0) continue;
    const Extents sizes = extents(reader);
    Rewriter inlined([&](const Expr& node) -> Expr {
      if (node->op != Op::read || node->source != d.tensor) return node;
      Rewriter moved([&](const Expr& inner) { return inner->maps.empty() ? inner : substitute(inner, node->maps, sizes); });
      return moved(d.body[0]);
    });
    for (Expr& body : reader.body) body = inlined(body);
  }
}

}  // namespace

bool may_inline(const Program& program, int definition) {
  const Definition& d = program.definitions[static_cast<std::size_t>(definition)];
  if (is_reduction(d)) return false;
  return std::any_of(program.definitions.begin(), program.definitions.end(),
                     [&d](const Definition& reader) { return evaluations(reader, d.tensor) > 0; });
}

// From the last definition to the first: when its turn comes, everything that reads it is kept.
Program inline_edges(Program program, Decisions& decisions) {
  for (std::size_t k = program.definitions.size(); k-- > 0;) {
    if (!may_inline(program, static_cast<int>(k))) continue;
    const Definition d = program.definitions[k];
    const std::string key = "edge." + d.name;
    const bool usual = cheaper_inline(program, d);
    const auto asked = decisions.asked(key);
    if (asked ? *asked != "inline" : !usual) continue;
    decisions.settle(key, usual ? "inline" : "tile", {"inline", "tile", "memory"});
    substitute_reads(program, d);
  }
  drop_dead(program);
  return program;
}

}  // namespace kw::kernel::lowering
