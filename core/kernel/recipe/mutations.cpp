// default_recipe() and mutations(): the decisions that lowering asked for, each changed to its other legal values.
#include <algorithm>
#include <set>

#include "core/kernel/recipe/lower.h"

namespace kw::kernel {
namespace {

using lowering::Choice;
using lowering::Decisions;

// The table of mutations: one row a kind of decision. `%o` is the object of the key, `%f` and `%t` the values.
struct MutationRow {
  const char* prefix;                  // of the key
  const char* kind;
  const char* sentence;
};
constexpr MutationRow rows[] = {
    {"edge", "edge", "Keep %o as %t instead of %f: recompute it where it is read (inline), hold it in a private tile, or write it to memory."},
    {"fuse", "fuse", "Compute %o with %t loops instead of %f: a kernel of its own, own loops in a shared kernel, or shared loops."},
    {"rewrite", "rewrite", "Turn the rewrite %o %t (it was %f)."},
    {"lanes", "lane axis", "Run the vector lanes of %o along %t instead of %f."},
    {"vector", "vector width", "Use %t vector lanes in %o instead of %f."},
    {"unroll", "unroll", "Write the vector body of %o %t times instead of %f, with an accumulator for each copy."},
    {"reduce", "reduction strategy", "Keep the accumulators of %o in %t instead of in %f."},
    {"tile", "tile", "Block %o by %t instead of %f (0: not blocked)."},
    {"parallel", "parallel axis", "Share the iterations of %t among the threads in %o instead of those of %f."},
    {"order", "loop order", "Nest the outer loops of %o as %t instead of %f."},
};

const MutationRow* row_of(const std::string& key) {
  for (const MutationRow& row : rows)
    if (key.rfind(std::string(row.prefix) + ".", 0) == 0) return &row;
  return nullptr;
}

std::string sentence(const MutationRow& row, const Choice& choice, const std::string& to) {
  std::string out;
  const std::string object = choice.key.substr(std::string(row.prefix).size() + 1);
  for (const char* c = row.sentence; *c != 0; ++c) {
    if (*c != '%') out += *c;
    else if (*++c == 'o') out += object;
    else out += *c == 'f' ? choice.value : to;
  }
  return out;
}

std::string hash_of(const Lowered& lowered) {
  std::string all;
  for (const LoopNest& nest : lowered.nests) all += structural_hash(nest);
  return all;
}

// The recipe without decisions that equal the default or that nothing asks for any more. Those that are refused stay.
Recipe canonical(const Program& program, Recipe recipe, const Limits& limits) {
  Decisions decisions(recipe);
  (void)lowering::lower_with(program, decisions, limits);
  Recipe out;
  for (const Choice& choice : decisions.choices())
    if (const auto said = recipe.decisions.find(choice.key); said != recipe.decisions.end() && said->second != choice.usual)
      out.decisions.insert(*said);
  return out;
}

}  // namespace

// Passes know what an engineer writes first; a recipe states only where it differs.
Recipe default_recipe(const Program&, const Limits&) { return {}; }

std::vector<Mutation> mutations(const Program& program, const Recipe& recipe, const Limits& limits) {
  Decisions decisions(recipe);
  const auto base = lowering::lower_with(program, decisions, limits);
  if (!base) return {};
  std::vector<Mutation> out;
  std::set<std::string> seen = {hash_of(*base)};
  for (const MutationRow& row : rows)
    for (const Choice& choice : decisions.choices()) {
      if (row_of(choice.key) != &row) continue;
      for (const std::string& option : choice.options) {
        if (option == choice.value) continue;
        Recipe changed = recipe;
        changed.decisions[choice.key] = option;
        changed = canonical(program, std::move(changed), limits);
        const auto lowered = lower(program, changed, limits);
        if (!lowered || !seen.insert(hash_of(*lowered)).second) continue;
        out.push_back({choice.key, choice.value, option, row.kind, sentence(row, choice, option), std::move(changed)});
      }
    }
  return out;
}

}  // namespace kw::kernel
