// default_recipe() and mutations(): the decisions that lowering asked for, each changed to its other legal values.
#include <optional>
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
    {"edge", "edge", "Hold %o as %t instead of %f (inline: computed again where it is read; tile: private to an iteration; memory: a buffer)."},
    {"fuse", "fuse", "Let %o share %t instead of %f (own: nothing, a kernel of its own; outer: the outer loops of its producer; loop: the inner loops too)."},
    {"rewrite", "rewrite", "Turn the rewrite %o %t (it was %f)."},
    {"lanes", "lane axis", "Run the vector lanes of %o along %t instead of %f."},
    {"vector", "vector width", "Use vectors of %t lanes in %o instead of %f."},
    {"threads", "block size", "Let %t threads share the lane axis of %o instead of %f."},
    {"height", "block height", "Let %t rows of threads share the columns of %o instead of %f; they unite what they reduce in shared memory."},
    {"rows", "rows a block", "Give a block of %o %t rows instead of %f."},
    {"split", "grid split", "Let %t blocks share each reduction of %o instead of %f; where they are several, a second kernel unites their parts."},
    {"cache", "row cache", "Keep the rows that %o reads more than once in %t instead of %f (registers and shared memory: of a block)."},
    {"unroll", "unroll", "Copies of the vector body in %o: %t instead of %f; each copy has accumulators of its own."},
    {"reduce", "reduction strategy", "Keep the accumulators of %o in %t instead of in %f."},
    {"tile", "tile", "Cut axis %o into blocks of %t instead of %f (0: no blocks)."},
    {"parallel", "parallel axis", "Share the iterations of axis %t of %o among the threads, instead of axis %f."},
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

struct Neighbour {
  Recipe recipe;
  std::string hash;
};

// The recipe with one decision changed, without those that equal the default or that nothing asks for any more; nothing
// where the change is illegal.
std::optional<Neighbour> neighbour(const Program& program, Recipe recipe, const Limits& limits) {
  for (int attempt = 0; attempt < 2; ++attempt) {
    Decisions decisions(recipe);
    const auto lowered = lowering::lower_with(program, decisions, limits);
    Recipe kept;
    for (const Choice& choice : decisions.choices())
      if (const auto said = recipe.decisions.find(choice.key); said != recipe.decisions.end() && said->second != choice.usual)
        kept.decisions.insert(*said);
    if (lowered) return Neighbour{std::move(kept), hash_of(*lowered)};
    if (kept == recipe) return std::nullopt;
    recipe = std::move(kept);
  }
  return std::nullopt;
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
        auto next = neighbour(program, std::move(changed), limits);
        if (!next || !seen.insert(next->hash).second) continue;
        out.push_back({choice.key, choice.value, option, row.kind, sentence(row, choice, option), std::move(next->recipe)});
      }
    }
  return out;
}

}  // namespace kw::kernel
