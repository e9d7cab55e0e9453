#include "core/kernel/recipe/rewrites.h"

#include <algorithm>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

const Definition& at(const Program& program, int d) { return program.definitions[static_cast<std::size_t>(d)]; }
bool always(const Program&, int, const Limits&) { return true; }
bool never(const Program&, int, const Limits&) { return false; }

Expr read_here(const Program& program, int tensor, std::size_t rank, int component = 0) {
  std::vector<Index> maps;
  for (std::size_t v = 0; v < rank; ++v) maps.push_back(variable(static_cast<int>(v)));
  return read(tensor, std::move(maps), program.tensors[static_cast<std::size_t>(tensor)].type.dtype, component);
}

// Renames reads of one component to another tensor.
void redirect(Program& program, int tensor, int component, int to) {
  for (Definition& d : program.definitions) {
    Rewriter moved([&](const Expr& node) -> Expr {
      if (node->op != Op::read || node->source != tensor || node->component != component) return node;
      return read(to, node->maps, program.tensors[static_cast<std::size_t>(to)].type.dtype);
    });
    for (Expr& body : d.body) body = moved(body);
  }
}

// -- two_pass: the mean first, then the sum of squared deviations from it ------------------------------------------------

bool is_moments(const Program& program, int d, const Limits&) { return at(program, d).combiner == Combiner::moments; }

Program two_pass(Program program, int position, const Limits&) {
  const Definition moments = at(program, position);
  const std::size_t rank = moments.domain.size();
  const DType type = moments.body[0]->type;
  Definition sum = moments, mean = moments, squares = moments;
  sum.name += ".sum";
  sum.combiner = Combiner::sum;
  sum.tensor = add_tensor(program, sum.name, type, sum.domain);
  mean.name += ".mean";
  mean.combiner = Combiner::none;
  mean.reduce.clear();
  mean.body = {binary(Op::div, read_here(program, sum.tensor, rank), constant_f(static_cast<double>(product(moments.reduce)), type))};
  squares.name += ".m2";
  squares.combiner = Combiner::sum;
  squares.tensor = add_tensor(program, squares.name, type, squares.domain);
  const Expr deviation = binary(Op::sub, moments.body[0], read_here(program, mean.tensor, rank));
  squares.body = {binary(Op::mul, deviation, deviation)};
  redirect(program, moments.tensor, 1, squares.tensor);
  program.definitions[static_cast<std::size_t>(position)] = std::move(squares);
  insert(program, static_cast<std::size_t>(position), std::move(mean));
  insert(program, static_cast<std::size_t>(position), std::move(sum));
  return program;
}

// -- online: one pass for a maximum and the sum of exponentials below it -------------------------------------------------

// exp(value - read(max)) with the read at the row's own point.
bool shifted_exponential(const Expr& body, int max_tensor, Expr* value) {
  if (body->op != Op::exp || body->operands[0]->op != Op::sub) return false;
  const Expr& shift = body->operands[0]->operands[1];
  if (shift->op != Op::read || shift->source != max_tensor) return false;
  if (value != nullptr) *value = body->operands[0]->operands[0];
  return true;
}

// The maximum that a sum of exponentials refers to, or -1.
int maximum_below(const Program& program, int position) {
  const Definition& sum = at(program, position);
  if (sum.combiner != Combiner::sum || sum.body[0]->op != Op::read) return -1;
  const int exponentials = program.tensors[static_cast<std::size_t>(sum.body[0]->source)].definition;
  if (exponentials < 0 || is_reduction(at(program, exponentials))) return -1;
  for (int m = 0; m < position; ++m) {
    const Definition& max = at(program, m);
    Expr value;
    if (max.combiner != Combiner::max || !shifted_exponential(at(program, exponentials).body[0], max.tensor, &value)) continue;
    if (max.domain != sum.domain || max.reduce != sum.reduce || !program.tensors[static_cast<std::size_t>(max.tensor)].outputs.empty()) continue;
    const Expr inlined = substitute(value, sum.body[0]->maps, extents(sum));
    if (equal(inlined, max.body[0])) return m;
  }
  return -1;
}

bool is_softmax_sum(const Program& program, int d, const Limits&) {
  return maximum_below(program, d) >= 0 && program.tensors[static_cast<std::size_t>(at(program, d).tensor)].outputs.empty();
}

Program online(Program program, int position, const Limits&) {
  const int m = maximum_below(program, position);
  Definition& max = program.definitions[static_cast<std::size_t>(m)];
  const int sum_tensor = at(program, position).tensor;
  max.combiner = Combiner::max_sum_exp;
  const int max_tensor = max.tensor;
  for (Definition& d : program.definitions) {
    Rewriter moved([&](const Expr& node) -> Expr {
      if (node->op != Op::read || node->source != sum_tensor) return node;
      return read(max_tensor, node->maps, node->type, 1);
    });
    for (Expr& body : d.body) body = moved(body);
  }
  drop_dead(program);
  return program;
}

// -- separable: a window over two axes is one over the rows of windows over columns --------------------------------------

struct Window { const Expression* read = nullptr; const Expression* bounds = nullptr; Expr outside; };

// select(in_bounds(...), read, literal) or a bare read; every map uses one of the two reduced axes at most.
bool window_of(const Definition& d, Window& window) {
  const Expr& body = d.body[0];
  if (d.reduce.size() != 2 || d.domain.empty()) return false;
  Expr inside = body;
  if (body->op == Op::select) {
    if (body->operands[0]->op != Op::in_bounds || body->operands[2]->op != Op::constant) return false;
    window.bounds = body->operands[0].get();
    window.outside = body->operands[2];
    inside = body->operands[1];
  }
  if (inside->op != Op::read) return false;
  window.read = inside.get();
  const int across = static_cast<int>(d.domain.size()) + 1, down = across - 1, column = down - 1;
  int columns = 0;
  for (const Index& map : window.read->maps) {
    const bool moves = depends_on(map, across) || depends_on(map, column);
    if (moves && depends_on(map, down)) return false;
    columns += moves ? 1 : 0;
  }
  for (std::size_t k = 0; window.bounds != nullptr && k < window.bounds->maps.size(); ++k)
    if (depends_on(window.bounds->maps[k], across) && depends_on(window.bounds->maps[k], down)) return false;
  return columns == 1;
}

bool is_window(const Program& program, int position, const Limits&) {
  const Definition& d = at(program, position);
  Window window;
  return (d.combiner == Combiner::max || d.combiner == Combiner::min) && window_of(d, window);
}

Program separable(Program program, int position, const Limits&) {
  const Definition pooled = at(program, position);
  Window window;
  if (!window_of(pooled, window)) return program;
  const int rank = static_cast<int>(pooled.domain.size());
  const int column = rank - 1, down = rank, across = rank + 1;
  const Tensor& source = program.tensors[static_cast<std::size_t>(window.read->source)];
  Definition rows = pooled, result = pooled;
  rows.name += ".rows";
  rows.reduce = {pooled.reduce[0]};
  std::vector<Index> maps = window.read->maps;
  Index column_map;
  for (std::size_t k = 0; k < maps.size(); ++k) {
    if (!depends_on(maps[k], across) && !depends_on(maps[k], column)) continue;
    column_map = maps[k];
    rows.domain[static_cast<std::size_t>(column)] = source.type.sizes[k];
    maps[k] = variable(column);
  }
  const auto guarded = [&](const Definition& d, Expr value, bool wants_down, std::vector<Index> moved) {
    if (window.bounds == nullptr) return value;
    std::vector<Index> bounds;
    std::vector<std::int64_t> limits;
    for (std::size_t k = 0; k < window.bounds->maps.size(); ++k) {
      const Index& map = window.bounds->maps[k];
      if ((depends_on(map, across) || depends_on(map, column)) == wants_down) continue;
      bounds.push_back(substitute(map, moved, extents(d)));
      limits.push_back(window.bounds->limits[k]);
    }
    return select(in_bounds(std::move(bounds), std::move(limits), extents(d)), value, window.outside);
  };
  rows.tensor = add_tensor(program, rows.name, source.type.dtype, rows.domain);
  rows.body = {guarded(rows, read(window.read->source, maps, source.type.dtype), true, {})};
  result.reduce = {pooled.reduce[1]};
  std::vector<Index> moved;
  for (int v = 0; v < rank; ++v) moved.push_back(variable(v));
  moved.push_back(constant(0));
  moved.push_back(variable(down));
  std::vector<Index> at_row(moved.begin(), moved.begin() + column);
  at_row.push_back(substitute(column_map, moved, extents(result)));
  result.body = {guarded(result, read(rows.tensor, std::move(at_row), program.tensors[static_cast<std::size_t>(rows.tensor)].type.dtype), false, moved)};
  program.definitions[static_cast<std::size_t>(position)] = std::move(result);
  insert(program, static_cast<std::size_t>(position), std::move(rows));
  return program;
}

// -- split: partial results first, so that a long reduction has something to do for every thread ---------------------------

constexpr std::int64_t long_reduction = 1 << 16;

// The largest divisor of the first reduced axis that is not above the wanted number of parts.
std::int64_t parts(const Definition& d, const Limits& limits) {
  const std::int64_t wanted = std::max<std::int64_t>(16, 8 * limits.threads);
  for (std::int64_t p = std::min(wanted, d.reduce[0]); p > 1; --p)
    if (d.reduce[0] % p == 0) return p;
  return 1;
}

bool is_splittable(const Program& program, int position, const Limits& limits) {
  const Definition& d = at(program, position);
  static constexpr Combiner plain[] = {Combiner::sum, Combiner::product, Combiner::max, Combiner::min, Combiner::any, Combiner::all};
  return std::find(std::begin(plain), std::end(plain), d.combiner) != std::end(plain) && product(d.reduce) >= 1024 && parts(d, limits) > 1;
}

bool split_by_itself(const Program& program, int position, const Limits& limits) {
  const Definition& d = at(program, position);
  return product(d.reduce) >= long_reduction && product(d.domain) < 2 * limits.threads;
}

Program split(Program program, int position, const Limits& limits) {
  const Definition whole = at(program, position);
  const std::int64_t count = parts(whole, limits), length = whole.reduce[0] / count;
  const int rank = static_cast<int>(whole.domain.size());
  Definition partial = whole, united = whole;
  partial.name += ".part";
  partial.domain.push_back(count);
  partial.reduce[0] = length;
  partial.tensor = add_tensor(program, partial.name, whole.body[0]->type, partial.domain);
  std::vector<Index> moved;
  for (int v = 0; v < rank; ++v) moved.push_back(variable(v));
  moved.push_back(add(scale(variable(rank), length), variable(rank + 1)));
  for (std::size_t r = 1; r < whole.reduce.size(); ++r) moved.push_back(variable(rank + 1 + static_cast<int>(r)));
  partial.body = {substitute(whole.body[0], moved, extents(partial))};
  united.reduce = {count};
  united.body = {read_here(program, partial.tensor, static_cast<std::size_t>(rank) + 1)};
  program.definitions[static_cast<std::size_t>(position)] = std::move(united);
  insert(program, static_cast<std::size_t>(position), std::move(partial));
  return program;
}

}  // namespace

const std::vector<RewriteRow>& rewrite_table() {
  static const std::vector<RewriteRow> rows = {
      {"two_pass", "sum of (x - mean)^2 is M2 by definition; more exact than one pass", is_moments, always, two_pass},
      {"online", "the maximum and the sum of exp(x - maximum) of the same values are max_sum_exp", is_softmax_sum, never, online},
      {"separable", "a maximum over a rectangle is the maximum over its columns of the maxima over its rows", is_window, never, separable},
      {"split", "the combiner is associative: parts of the reduced axis are united afterwards", is_splittable, split_by_itself, split},
  };
  return rows;
}

// Every definition is asked once, in the order of the program as it was given.
Program rewrite(Program program, Decisions& decisions, const Limits& limits) {
  std::vector<std::string> names;
  for (const Definition& d : program.definitions) names.push_back(d.name);
  for (const std::string& name : names) {
    const auto found = std::find_if(program.definitions.begin(), program.definitions.end(), [&](const Definition& d) { return d.name == name; });
    if (found == program.definitions.end()) continue;
    const int position = static_cast<int>(found - program.definitions.begin());
    std::vector<std::string> options = {"none"};
    std::string usual = "none";
    for (const RewriteRow& row : rewrite_table()) {
      if (!row.applies(program, position, limits)) continue;
      options.push_back(row.word);
      if (row.usual(program, position, limits)) usual = row.word;
    }
    if (options.size() < 2) continue;
    const std::string chosen = decisions.settle("rewrite." + name, usual, options);
    for (const RewriteRow& row : rewrite_table())
      if (chosen == row.word) program = row.apply(std::move(program), position, limits);
  }
  return program;
}

}  // namespace kw::kernel::lowering
