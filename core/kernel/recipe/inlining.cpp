#include "core/kernel/recipe/inlining.h"

#include <algorithm>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

constexpr double store_and_fetch = 2;        // units of work to keep one value in a tile; reading it back is one more
constexpr double negligible = 0.02;          // of the readers' own work

// Does the value change along the axis that the reader writes densely, where its vector lanes will run?
bool varies_along_lanes(const Program& program, const Definition& reader, int tensor) {
  const std::vector<std::int64_t>& strides = program.tensors[static_cast<std::size_t>(reader.tensor)].type.strides;
  for (const Expression* read : distinct_reads(reader.body[0])) {
    if (read->source != tensor) continue;
    for (std::size_t v = 0; v < reader.domain.size(); ++v)
      if (strides[v] == 1 && reader.domain[v] > 1 &&
          std::any_of(read->maps.begin(), read->maps.end(), [v](const Index& m) { return depends_on(m, static_cast<int>(v)); }))
        return true;
  }
  return false;
}

// Recomputing costs the body once for every evaluation its readers ask for (every point of the reader, where no loop
// further out can do it); keeping costs it once, and a store and loads. What does not show is recomputed: factors of a row
// or a channel.
bool cheaper_inline(const Program& program, const Definition& d) {
  const double size = static_cast<double>(points(d));
  const double work = work_per_point(d);
  double evaluated = 0, readers_work = 0;
  for (const Definition& reader : program.definitions) {
    const std::int64_t count = evaluations(reader, d.tensor);
    if (count == 0) continue;
    const bool lifted = is_reduction(reader) || !varies_along_lanes(program, reader, d.tensor);
    evaluated += static_cast<double>(lifted ? count : points(reader));
    readers_work += static_cast<double>(points(reader)) * (1 + work_per_point(reader));
  }
  const bool output = !program.tensors[static_cast<std::size_t>(d.tensor)].outputs.empty();
  const double keep = (output ? 0 : size * (work + store_and_fetch)) + evaluated;
  return evaluated * work <= keep + negligible * readers_work;
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
Program inline_edges(Program program, Decisions& decisions, const RowRoom& room) {
  for (std::size_t k = program.definitions.size(); k-- > 0;) {
    if (!may_inline(program, static_cast<int>(k))) continue;
    const Definition d = program.definitions[k];
    const std::string key = "edge." + d.name;
    const bool output = !program.tensors[static_cast<std::size_t>(d.tensor)].outputs.empty();
    const bool usual = cheaper_inline(program, d) || (!output && !kept_for_readers(program, d, room));
    const auto asked = decisions.asked(key);
    if (usual) decisions.usually(key, "inline");
    if (asked ? *asked != "inline" : !usual) continue;
    decisions.settle(key, usual ? "inline" : "tile", {"inline", "tile", "memory"});
    substitute_reads(program, d);
    if (program.tensors[static_cast<std::size_t>(d.tensor)].outputs.empty())
      program.definitions.erase(program.definitions.begin() + static_cast<std::ptrdiff_t>(k));
  }
  drop_dead(program);
  return program;
}

}  // namespace kw::kernel::lowering
