#include "core/kernel/recipe/axes.h"

#include <algorithm>
#include <optional>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

constexpr int most_splits = 32;              // a guard: real programs need a handful

struct Split {
  std::size_t definition = 0;
  int variable = 0;
  std::int64_t inner = 1;                    // v = outer * inner + rest
};

// v / k or v % k of a bare variable whose extent k divides.
std::optional<Split> taken_apart(const Index& map, std::size_t d, const std::vector<std::int64_t>& sizes) {
  for (const IndexTerm& term : map.terms) {
    if (term.kind == IndexTerm::Kind::variable) continue;
    int v = -1;
    if (!is_variable(*term.inner, &v)) {
      if (auto deeper = taken_apart(*term.inner, d, sizes)) return deeper;
      continue;
    }
    const std::int64_t size = sizes[static_cast<std::size_t>(v)];
    if (term.divisor > 1 && term.divisor < size && size % term.divisor == 0) return Split{d, v, term.divisor};
  }
  return std::nullopt;
}

// a*T + b with b in [0, T): the dimension that it indexes falls into (size / T, T).
std::optional<std::int64_t> put_together(const Index& map, std::int64_t size, const std::vector<std::int64_t>& sizes) {
  if (map.terms.size() < 2 || map.constant != 0) return std::nullopt;
  std::int64_t largest = 0;
  for (const IndexTerm& term : map.terms) largest = std::max(largest, term.coefficient);
  Index rest;
  for (const IndexTerm& term : map.terms) {
    if (term.kind != IndexTerm::Kind::variable || term.coefficient < 1) return std::nullopt;
    if (term.coefficient != largest) rest.terms.push_back(term);
  }
  const Range r = range(rest, sizes);
  if (largest <= 1 || size % largest != 0 || r.high >= largest || rest.terms.size() + 1 != map.terms.size()) return std::nullopt;
  return largest;
}

bool only_bare_divisions(const Index& map, const std::vector<std::int64_t>& sizes) {
  return std::all_of(map.terms.begin(), map.terms.end(), [&](const IndexTerm& term) {
    if (term.kind == IndexTerm::Kind::variable) return true;
    int v = -1;
    return is_variable(*term.inner, &v) && sizes[static_cast<std::size_t>(v)] % term.divisor == 0;
  });
}

// Would every reader of the tensor still see sums of variables (or divisions that a further split removes)?
bool readers_agree(const Program& program, const Split& split) {
  const Definition& d = program.definitions[split.definition];
  if (split.variable >= static_cast<int>(d.domain.size())) return true;
  for (const Definition& reader : program.definitions) {
    const std::vector<std::int64_t> sizes = extents(reader);
    for (const Expr& body : reader.body)
      for (const Expression* read : distinct_reads(body)) {
        if (read->source != d.tensor) continue;
        const Index& map = read->maps[static_cast<std::size_t>(split.variable)];
        if (!only_bare_divisions(floor_div(map, split.inner, sizes), sizes) || !only_bare_divisions(mod(map, split.inner, sizes), sizes))
          return false;
      }
  }
  return true;
}

std::optional<Split> next_split(const Program& program) {
  for (std::size_t k = 0; k < program.definitions.size(); ++k) {
    const Definition& d = program.definitions[k];
    const std::vector<std::int64_t> sizes = extents(d);
    std::optional<Split> found;
    const auto consider = [&](const Split& split) {
      if (!found && readers_agree(program, split)) found = split;
    };
    for (const Expr& body : d.body)
      visit(body, [&](const Expression& node) {
        for (std::size_t m = 0; m < node.maps.size() && !found; ++m) {
          if (const auto split = taken_apart(node.maps[m], k, sizes)) consider(*split);
          if (node.op != Op::read) continue;
          const Tensor& source = program.tensors[static_cast<std::size_t>(node.source)];
          if (source.definition < 0) continue;
          if (const auto inner = put_together(node.maps[m], source.type.sizes[m], sizes))
            consider({static_cast<std::size_t>(source.definition), static_cast<int>(m), *inner});
        }
      });
    if (found) return found;
  }
  return std::nullopt;
}

template <typename T>
void replace_at(std::vector<T>& values, std::size_t position, std::vector<T> by) {
  values.erase(values.begin() + static_cast<std::ptrdiff_t>(position));
  values.insert(values.begin() + static_cast<std::ptrdiff_t>(position), by.begin(), by.end());
}

void reshape_dimension(graph::TensorType& type, std::size_t dim, const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t stride = type.strides[dim];
  for (std::size_t k = sizes.size(); k-- > 0; stride *= sizes[k]) strides[k] = stride;
  replace_at(type.sizes, dim, sizes);
  replace_at(type.strides, dim, strides);
}

// The definition's variable v becomes `sizes.size()` variables (two: a split; none: an axis of extent 1 that vanishes).
void replace_variable(Definition& d, int v, const std::vector<std::int64_t>& sizes) {
  const auto at = static_cast<std::size_t>(v);
  const int grown = static_cast<int>(sizes.size()) - 1;
  std::vector<Index> moved;
  for (int old = 0; old < static_cast<int>(extents(d).size()); ++old) moved.push_back(variable(old < v ? old : old + grown));
  moved[at] = sizes.empty() ? constant(0) : add(scale(variable(v), sizes[1]), variable(v + 1));
  if (at < d.domain.size()) replace_at(d.domain, at, sizes);
  else replace_at(d.reduce, at - d.domain.size(), sizes);
  const Extents now = extents(d);
  Rewriter substituted([&](const Expr& node) { return node->maps.empty() ? node : substitute(node, moved, now); });
  for (Expr& body : d.body) body = substituted(body);
}

void reindex_readers(Program& program, int tensor, std::size_t dim, const std::vector<std::int64_t>& sizes) {
  for (Definition& reader : program.definitions) {
    const Extents now = extents(reader);
    Rewriter reindexed([&](const Expr& node) {
      if (node->op != Op::read || node->source != tensor) return node;
      std::vector<Index> maps = node->maps;
      const Index old = maps[dim];
      replace_at(maps, dim, sizes.empty() ? std::vector<Index>{} : std::vector<Index>{floor_div(old, sizes[1], now), mod(old, sizes[1], now)});
      return with_maps(node, std::move(maps));
    });
    for (Expr& body : reader.body) body = reindexed(body);
  }
}

void replace_axis(Program& program, std::size_t k, int v, const std::vector<std::int64_t>& sizes) {
  const auto dim = static_cast<std::size_t>(v);
  const bool written = dim < program.definitions[k].domain.size();
  const int tensor = program.definitions[k].tensor;
  replace_variable(program.definitions[k], v, sizes);
  if (!written) return;
  reshape_dimension(program.tensors[static_cast<std::size_t>(tensor)].type, dim, sizes);
  reindex_readers(program, tensor, dim, sizes);
}

void drop_unit_axes(Program& program) {
  for (std::size_t k = 0; k < program.definitions.size(); ++k) {
    const Definition& d = program.definitions[k];
    for (int v = static_cast<int>(extents(d).size()) - 1; v >= 0; --v) {
      const bool last_reduced = d.reduce.size() == 1 && v >= static_cast<int>(d.domain.size());
      if (extents(d)[static_cast<std::size_t>(v)] == 1 && !last_reduced) replace_axis(program, k, v, {});
    }
  }
}

}  // namespace

Program align_axes(Program program) {
  // From here on output_types are the addresses of the stored tensors; an output that is a view has other dimensions.
  for (std::size_t k = 0; k < program.outputs.size(); ++k)
    program.output_types[k] = program.tensors[static_cast<std::size_t>(program.outputs[k])].type;
  drop_unit_axes(program);
  for (int n = 0; n < most_splits; ++n) {
    const auto split = next_split(program);
    if (!split) break;
    const std::int64_t size = extents(program.definitions[split->definition])[static_cast<std::size_t>(split->variable)];
    replace_axis(program, split->definition, split->variable, {size / split->inner, split->inner});
  }
  drop_unit_axes(program);
  return program;
}

}  // namespace kw::kernel::lowering
