// Rewrites that only a schedule wants: they change how a reduction is carried out, not what an operator means. The rows
// of definition/rewrites.h come first.
#include "core/kernel/recipe/rewrites.h"

#include <algorithm>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

const Definition& at(const Program& program, int d) { return program.definitions[static_cast<std::size_t>(d)]; }

Expr read_here(const Program& program, int tensor, std::size_t rank) {
  std::vector<Index> maps;
  for (std::size_t v = 0; v < rank; ++v) maps.push_back(variable(static_cast<int>(v)));
  return read(tensor, std::move(maps), program.tensors[static_cast<std::size_t>(tensor)].type.dtype);
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

bool is_window(const Program& program, int position) {
  const Definition& d = at(program, position);
  Window window;
  return (d.combiner == Combiner::max || d.combiner == Combiner::min) && window_of(d, window);
}

Program separable(const Program& given, const RewriteSite& site) {
  Program program = given;
  const int position = site.definitions[0];
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

constexpr std::int64_t long_reduction = 1 << 16, shortest_split = 1024;
constexpr std::int64_t most_in_one_chain = 1 << 17;      // of f32, over 32 accumulators: beyond it, rounding errors show
constexpr std::int64_t fewest_parts = 32;

// The largest divisor of the first reduced axis that is not above the wanted number of parts.
std::int64_t parts(const Definition& d) {
  const std::int64_t wanted = std::max(fewest_parts, product(d.reduce) / most_in_one_chain);
  for (std::int64_t p = std::min(wanted, d.reduce[0]); p > 1; --p)
    if (d.reduce[0] % p == 0) return p;
  return 1;
}

bool is_splittable(const Program& program, int position) {
  const Definition& d = at(program, position);
  static constexpr Combiner plain[] = {Combiner::sum, Combiner::product, Combiner::max, Combiner::min, Combiner::any, Combiner::all};
  return std::find(std::begin(plain), std::end(plain), d.combiner) != std::end(plain) && product(d.reduce) >= shortest_split && parts(d) > 1;
}

Program split(const Program& given, const RewriteSite& site) {
  Program program = given;
  const int position = site.definitions[0];
  const Definition whole = at(program, position);
  const std::int64_t count = parts(whole), length = whole.reduce[0] / count;
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

std::vector<RewriteSite> sites_where(const Program& program, const char* rewrite, bool (*applies)(const Program&, int)) {
  std::vector<RewriteSite> sites;
  for (int d = 0; d < static_cast<int>(program.definitions.size()); ++d)
    if (applies(program, d)) sites.push_back({rewrite, std::string(rewrite) + "." + at(program, d).name, {d}});
  return sites;
}

std::vector<RewriteSite> separable_sites(const Program& program) { return sites_where(program, "separable", is_window); }
std::vector<RewriteSite> split_sites(const Program& program) { return sites_where(program, "split", is_splittable); }

// What an engineer applies without measuring.
bool usual(const Program& program, const RewriteSite& site, const Limits& limits, const RowRoom& room) {
  const Definition& d = at(program, site.definitions[0]);
  if (site.rewrite == "reciprocal") return true;
  // One pass less over a row that would be fetched again.
  if (site.rewrite == "online_softmax" || site.rewrite == "welford") return !keeps_row(program, d, room);
  // On a GPU every output of the window has a thread, which reads it from the cache.
  if (site.rewrite == "separable") return limits.target == "cpu" && d.reduce[0] > 2 && d.reduce[1] > 2;
  if (site.rewrite != "split") return false;
  const bool idle_threads = product(d.reduce) >= long_reduction && product(d.domain) < 2 * limits.threads;
  return idle_threads || product(d.reduce) >= most_in_one_chain;
}

std::optional<RewriteSite> site_named(const std::vector<RewriteSite>& sites, const std::string& name) {
  for (const RewriteSite& site : sites)
    if (site.name == name) return site;
  return std::nullopt;
}

Program apply_where_chosen(Program program, const Rewrite& row, Decisions& decisions, const Limits& limits, const RowRoom& room) {
  std::vector<std::string> names;
  for (const RewriteSite& site : row.sites(program)) names.push_back(site.name);
  for (const std::string& name : names) {
    const auto site = site_named(row.sites(program), name);
    if (!site) continue;
    const std::string ordinary = usual(program, *site, limits, room) ? "on" : "off";
    if (decisions.settle("rewrite." + name, ordinary, {"on", "off"}) == "on") program = row.apply(program, *site);
  }
  return program;
}

}  // namespace

const std::vector<Rewrite>& schedule_rewrites() {
  static const std::vector<Rewrite> rows = {
      {"separable", "a maximum over a rectangle is the maximum over its columns of the maxima over its rows", separable_sites, separable},
      {"split", "the combiner is associative: parts of the first reduced axis are united afterwards", split_sites, split},
  };
  return rows;
}

Program rewrite(Program program, Decisions& decisions, const Limits& limits, const RowRoom& room) {
  for (const Rewrite& row : rewrites()) program = apply_where_chosen(std::move(program), row, decisions, limits, room);
  for (const Rewrite& row : schedule_rewrites()) {
    if (row.name == "split" && limits.target == "cuda") continue;      // grid_split.cpp has a better one
    program = apply_where_chosen(std::move(program), row, decisions, limits, room);
  }
  return program;
}

}  // namespace kw::kernel::lowering
