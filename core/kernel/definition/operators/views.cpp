// Views: index maps only. Where the graph states the sizes (reshape, expand, squeeze ...), they are taken from there, and
// checked against the number of elements or the broadcasting rule.
#include <algorithm>
#include <numeric>

#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

void identity(Lowering& l) { l.give(l.first()); }

void reshape(Lowering& l) { l.give(reshaped(l.first(), l.result().sizes)); }

Operand broadcast(const Operand& x, const Sizes& sizes) {
  if (x.sizes.size() > sizes.size()) refuse("an expansion to fewer dimensions");
  const std::size_t shift = sizes.size() - x.sizes.size();
  std::vector<Index> maps;
  const std::vector<Index> p = point(sizes);
  for (std::size_t k = 0; k < x.sizes.size(); ++k) {
    if (x.sizes[k] != 1 && x.sizes[k] != sizes[k + shift]) refuse("an expansion of a dimension that is not 1");
    maps.push_back(x.sizes[k] == 1 ? constant(0) : p[k + shift]);
  }
  return view(x, sizes, maps);
}

void expand(Lowering& l) { l.give(broadcast(l.first(), l.result().sizes)); }

void broadcast_tensors(Lowering& l) {
  std::vector<Operand> members = l.tensors("tensors");
  Sizes sizes;
  for (const Operand& x : members) {
    if (x.sizes.size() > sizes.size()) sizes.insert(sizes.begin(), x.sizes.size() - sizes.size(), 1);
    const std::size_t shift = sizes.size() - x.sizes.size();
    for (std::size_t k = 0; k < x.sizes.size(); ++k)
      if (x.sizes[k] != 1) sizes[k + shift] = x.sizes[k];
  }
  for (Operand& x : members) x = broadcast(x, sizes);
  l.give_list(members);
}

// order[k]: the dimension of x that becomes dimension k.
Operand permuted(const Operand& x, const std::vector<int>& order) {
  Sizes sizes;
  for (const int d : order) sizes.push_back(x.sizes[at(d)]);
  std::vector<Index> maps(x.sizes.size());
  const std::vector<Index> p = point(sizes);
  for (std::size_t k = 0; k < order.size(); ++k) maps[at(order[k])] = p[k];
  return view(x, sizes, maps);
}

std::vector<int> natural_order(int rank) {
  std::vector<int> order(at(rank));
  std::iota(order.begin(), order.end(), 0);
  return order;
}

void permute(Lowering& l) {
  const Operand x = l.first();
  std::vector<int> order;
  for (const std::int64_t d : l.integers("dims")) order.push_back(static_cast<int>(d < 0 ? d + x.rank() : d));
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  if (sorted != natural_order(x.rank())) refuse("not a permutation of the dimensions");
  l.give(permuted(x, order));
}

void swap_dims(Lowering& l, int a, int b) {
  const Operand x = l.first();
  std::vector<int> order = natural_order(x.rank());
  if (x.rank() > 0) std::swap(order[at(a)], order[at(b)]);
  l.give(permuted(x, order));
}

void transpose(Lowering& l) {
  const int rank = l.first().rank();
  swap_dims(l, l.dim("dim0", rank), l.dim("dim1", rank));
}

void swapaxes(Lowering& l) {
  const int rank = l.first().rank();
  swap_dims(l, l.dim("axis0", rank), l.dim("axis1", rank));
}

void transpose_matrix(Lowering& l) {
  const int rank = l.first().rank();
  if (rank < 2) return identity(l);
  swap_dims(l, rank - 2, rank - 1);
}

void reverse_dims(Lowering& l) {
  std::vector<int> order = natural_order(l.first().rank());
  std::reverse(order.begin(), order.end());
  l.give(permuted(l.first(), order));
}

void movedim(Lowering& l) {
  const Operand x = l.first();
  const Sizes from = l.integers("source"), to = l.integers("destination");
  if (from.size() != to.size()) refuse("as many sources as destinations are needed");
  std::vector<int> order(at(x.rank()), -1);
  std::vector<bool> moved(at(x.rank()), false);
  for (std::size_t k = 0; k < from.size(); ++k) {
    const std::int64_t s = from[k] < 0 ? from[k] + x.rank() : from[k], d = to[k] < 0 ? to[k] + x.rank() : to[k];
    if (s < 0 || s >= x.rank() || d < 0 || d >= x.rank()) refuse("not a dimension of the tensor");
    order[static_cast<std::size_t>(d)] = static_cast<int>(s);
    moved[static_cast<std::size_t>(s)] = true;
  }
  int next = 0;
  for (int& d : order) {
    if (d >= 0) continue;
    while (next < x.rank() && moved[at(next)]) ++next;
    if (next == x.rank()) refuse("a dimension is moved twice");
    d = next++;
  }
  l.give(permuted(x, order));
}

// `count` elements along `dim`, from `start` in steps.
Operand strided(const Operand& x, int dim, std::int64_t start, std::int64_t count, std::int64_t step = 1) {
  if (count < 1 || start < 0 || step < 1 || start + (count - 1) * step >= x.sizes[at(dim)])
    refuse("a slice that is empty or leaves the tensor");
  Sizes sizes = x.sizes;
  sizes[at(dim)] = count;
  std::vector<Index> maps = point(sizes);
  maps[at(dim)] = add(scale(maps[at(dim)], step), constant(start));
  return view(x, sizes, maps);
}

Operand without_dim(const Operand& x, int dim) {
  Sizes sizes = x.sizes;
  sizes.erase(sizes.begin() + dim);
  return reshaped(x, sizes);
}

int checked_dim(const Lowering& l, const char* name, const Operand& x, std::optional<std::int64_t> otherwise = {}) {
  if (x.rank() == 0) refuse("a slice of a 0-dim tensor");
  return l.dim(name, x.rank(), otherwise);
}

void slice(Lowering& l) {
  const Operand x = l.first();
  const int dim = checked_dim(l, "dim", x, 0);
  const std::int64_t n = x.sizes[at(dim)], step = l.integer("step", 1);
  const auto bound = [n](std::int64_t i) { return std::clamp<std::int64_t>(i < 0 ? i + n : i, 0, n); };
  const std::int64_t start = bound(l.integer("start", 0)), end = bound(l.integer("end", n));
  if (step < 1) refuse("a step below 1");
  l.give(strided(x, dim, start, (end - start + step - 1) / step, step));
}

void select_row(Lowering& l) {
  const Operand x = l.first();
  const int dim = checked_dim(l, "dim", x);
  const std::int64_t index = l.integer("index");
  l.give(without_dim(strided(x, dim, index < 0 ? index + x.sizes[at(dim)] : index, 1), dim));
}

void narrow(Lowering& l) {
  const Operand x = l.first();
  const int dim = checked_dim(l, "dim", x);
  const std::int64_t start = l.integer("start");
  l.give(strided(x, dim, start < 0 ? start + x.sizes[at(dim)] : start, l.integer("length")));
}

void give_sections(Lowering& l, const Operand& x, int dim, const Sizes& lengths) {
  std::vector<Operand> members;
  std::int64_t start = 0;
  for (const std::int64_t length : lengths) {
    members.push_back(strided(x, dim, start, length));
    start += length;
  }
  if (start != x.sizes[at(dim)]) refuse("the sections do not cover the dimension");
  l.give_list(members);
}

Sizes sections_of(std::int64_t n, std::int64_t length) {
  if (length < 1) refuse("sections of no elements");
  Sizes lengths;
  for (std::int64_t start = 0; start < n; start += length) lengths.push_back(std::min(length, n - start));
  return lengths;
}

void split(Lowering& l) {
  const Operand x = l.first();
  const int dim = checked_dim(l, "dim", x, 0);
  give_sections(l, x, dim, sections_of(x.sizes[at(dim)], l.integer("split_size")));
}

void split_with_sizes(Lowering& l) {
  const Operand x = l.first();
  give_sections(l, x, checked_dim(l, "dim", x, 0), l.integers(l.given("split_sizes") ? "split_sizes" : "split_size"));
}

void chunk(Lowering& l) {
  const Operand x = l.first();
  const int dim = checked_dim(l, "dim", x, 0);
  const std::int64_t chunks = l.integer("chunks"), n = x.sizes[at(dim)];
  if (chunks < 1) refuse("fewer than one chunk");
  give_sections(l, x, dim, sections_of(n, (n + chunks - 1) / chunks));
}

void unbind(Lowering& l) {
  const Operand x = l.first();
  const int dim = checked_dim(l, "dim", x, 0);
  std::vector<Operand> members;
  for (std::int64_t k = 0; k < x.sizes[at(dim)]; ++k) members.push_back(without_dim(strided(x, dim, k, 1), dim));
  l.give_list(members);
}

// Member `index` of a tensor list.
void getitem(Lowering& l) {
  if (l.node().arguments.size() != 2) refuse("getitem takes a list and a position");
  const std::vector<Operand> members = l.tensors("");
  const auto* index = std::get_if<std::int64_t>(&l.node().arguments[1].value);
  if (!index || *index < 0 || *index >= static_cast<std::int64_t>(members.size())) refuse("no such member of the list");
  l.give(members[static_cast<std::size_t>(*index)]);
}

// Windows along a dimension: the position in the window is a new last dimension.
void unfold(Lowering& l) {
  const Operand x = l.first();
  const int dim = checked_dim(l, "dimension", x);
  const std::int64_t size = l.integer("size"), step = l.integer("step"), n = x.sizes[at(dim)];
  if (size < 1 || size > n || step < 1) refuse("windows that do not fit");
  Sizes sizes = x.sizes;
  sizes[at(dim)] = (n - size) / step + 1;
  sizes.push_back(size);
  std::vector<Index> maps = point(sizes);
  maps[at(dim)] = add(scale(maps[at(dim)], step), maps.back());
  maps.pop_back();
  l.give(view(x, sizes, maps));
}

void diagonal(Lowering& l) {
  const Operand x = l.first();
  if (x.rank() < 2) refuse("a diagonal of fewer than two dimensions");
  const int a = l.dim("dim1", x.rank(), 0), b = l.dim("dim2", x.rank(), 1);
  const std::int64_t offset = l.integer("offset", 0);
  const std::int64_t row = std::max<std::int64_t>(-offset, 0), column = std::max<std::int64_t>(offset, 0);
  const std::int64_t length = std::min(x.sizes[at(a)] - row, x.sizes[at(b)] - column);
  if (a == b || length < 1) refuse("an empty diagonal");
  Sizes sizes;
  for (int d = 0; d < x.rank(); ++d)
    if (d != a && d != b) sizes.push_back(x.sizes[at(d)]);
  sizes.push_back(length);
  const std::vector<Index> p = point(sizes);
  std::vector<Index> maps;
  std::size_t next = 0;
  for (int d = 0; d < x.rank(); ++d)
    maps.push_back(d == a ? add(p.back(), constant(row)) : d == b ? add(p.back(), constant(column)) : p[next++]);
  l.give(view(x, sizes, maps));
}

void dropout(Lowering& l) {
  if (l.flag("train", false) && l.number("p", 0.5) != 0) refuse("draws random numbers");
  identity(l);
}

constexpr Row rows[] = {
    {"aten.view.default", reshape, "", Kind::view},
    {"aten.reshape.default", reshape, "", Kind::alias_or_copy},
    {"aten._unsafe_view.default", reshape, "", Kind::alias_or_copy},
    {"aten.view_as.default", reshape, "", Kind::view},
    {"aten.reshape_as.default", reshape, "", Kind::alias_or_copy},
    {"aten.flatten.using_ints", reshape, "", Kind::alias_or_copy},
    {"aten.ravel.default", reshape, "", Kind::alias_or_copy},
    {"aten.unflatten.int", reshape, "", Kind::view},
    {"aten.squeeze.default", reshape, "", Kind::view},
    {"aten.squeeze.dim", reshape, "", Kind::view},
    {"aten.squeeze.dims", reshape, "", Kind::view},
    {"aten.unsqueeze.default", reshape, "", Kind::view},
    {"aten.expand.default", expand, "", Kind::view},
    {"aten.expand_as.default", expand, "", Kind::view},
    {"aten.broadcast_to.default", expand, "", Kind::view},
    {"aten.broadcast_tensors.default", broadcast_tensors, "", Kind::view},
    {"aten.permute.default", permute, "", Kind::view},
    {"aten.transpose.int", transpose, "", Kind::view},
    {"aten.swapaxes.default", swapaxes, "", Kind::view},
    {"aten.t.default", transpose_matrix, "", Kind::view},
    {"aten.numpy_T.default", reverse_dims, "", Kind::view},
    {"aten.mT.default", transpose_matrix, "", Kind::view},
    {"aten.movedim.int", movedim, "", Kind::view},
    {"aten.movedim.intlist", movedim, "", Kind::view},
    {"aten.slice.Tensor", slice, "", Kind::view},
    {"aten.select.int", select_row, "", Kind::view},
    {"aten.narrow.default", narrow, "", Kind::view},
    {"aten.split.Tensor", split, "", Kind::view},
    {"aten.split_with_sizes.default", split_with_sizes, "", Kind::view},
    {"aten.split.sizes", split_with_sizes, "", Kind::view},
    {"aten.chunk.default", chunk, "", Kind::view},
    {"aten.unbind.int", unbind, "", Kind::view},
    {"_operator.getitem", getitem, "", Kind::view},
    {"aten.unfold.default", unfold, "", Kind::view},
    {"aten.diagonal.default", diagonal, "", Kind::view},
    {"aten.alias.default", identity, "", Kind::view},
    {"aten.detach.default", identity, "", Kind::view},
    {"aten.dropout.default", dropout, "inference only", Kind::view},
};

}  // namespace

std::span<const Row> view_rows() { return rows; }

}  // namespace kw::kernel::table
