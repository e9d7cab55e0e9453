// Padding: a read at a shifted index under its bounds; reflection and replication read one of three places along each
// padded dimension.
#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

enum class Mode { constant, reflect, replicate, circular };

struct Padding {
  Operand x;
  Sizes before;      // one per dimension of x; negative crops
  Sizes sizes;       // of the result
};

// `pad` lists (before, after) pairs from the last dimension on.
Padding padding(const Lowering& l, const Sizes& pad) {
  Padding p{l.first(), {}, {}};
  if (pad.size() % 2 != 0 || pad.size() / 2 > p.x.sizes.size()) refuse("padding of more dimensions than there are");
  p.sizes = p.x.sizes;
  p.before.assign(p.x.sizes.size(), 0);
  for (std::size_t k = 0; k < pad.size() / 2; ++k) {
    const std::size_t d = p.x.sizes.size() - 1 - k;
    p.before[d] = pad[2 * k];
    p.sizes[d] += pad[2 * k] + pad[2 * k + 1];
    if (p.sizes[d] < 1) refuse("padding that leaves no element");
  }
  return p;
}

void constant_pad(Lowering& l, const Padding& p, const Expr& value) {
  std::vector<Index> index = point(p.sizes);
  for (std::size_t d = 0; d < index.size(); ++d) index[d] = add(index[d], constant(-p.before[d]));
  const Expr inside = in_bounds(index, p.x.sizes, p.sizes);
  const Expr read = l.at(p.x, index, p.sizes);
  l.give(l.pointwise("", p.sizes, p.x.dtype, select(inside, read, cast(value, read->type))));
}

struct Place {
  Index index;
  Expr condition;   // where this place is read; null: everywhere
};

// Where dimension d may be read: inside, before the first and after the last element. The index of a replicated element
// is in bounds at every position, so its condition need not prove it.
std::vector<Place> places(const Padding& p, std::size_t d, Mode mode) {
  const std::int64_t n = p.x.sizes[d], after = p.sizes[d] - n - p.before[d];
  const Index inside = add(point(p.sizes)[d], constant(-p.before[d]));
  if (mode == Mode::circular) return {{mod(inside, n, p.sizes), nullptr}};
  if (p.before[d] == 0 && after == 0) return {{inside, nullptr}};
  std::vector<Place> out = {{inside, in_bounds({inside}, {n}, p.sizes)}};
  if (mode == Mode::replicate) {
    if (p.before[d] > 0) out.push_back({constant(0), binary(Op::lt, index_value(inside), constant_i(0))});
    if (after > 0) out.push_back({constant(n - 1), binary(Op::ge, index_value(inside), constant_i(n))});
    return out;
  }
  const Index left = scale(inside, -1), right = add(constant(2 * (n - 1)), left);
  if (p.before[d] > 0) out.push_back({left, in_bounds({left}, {n}, p.sizes)});
  if (after > 0) out.push_back({right, in_bounds({right}, {n}, p.sizes)});
  return out;
}

// One read for each combination of places.
Expr gathered(const Lowering& l, const Padding& p, Mode mode, std::size_t d, std::vector<Index>& index) {
  if (d == p.sizes.size()) return l.at(p.x, index, p.sizes);
  const std::vector<Place> all = places(p, d, mode);
  Expr value;
  for (std::size_t k = all.size(); k-- > 0;) {
    index[d] = all[k].index;
    const Expr here = gathered(l, p, mode, d + 1, index);
    if (!all[k].condition) return here;
    value = select(all[k].condition, here, value ? value : zero_of(here->type));
  }
  return value;
}

void gathered_pad(Lowering& l, const Padding& p, Mode mode) {
  for (std::size_t d = 0; d < p.sizes.size(); ++d) {
    const std::int64_t n = p.x.sizes[d], after = p.sizes[d] - n - p.before[d];
    const std::int64_t most = mode == Mode::reflect ? n - 1 : mode == Mode::circular ? n : p.sizes[d];
    if (p.before[d] < 0 || after < 0 || p.before[d] > most || after > most) refuse("padding wider than the tensor, or negative");
  }
  std::vector<Index> index = point(p.sizes);
  l.give(l.pointwise("", p.sizes, p.x.dtype, gathered(l, p, mode, 0, index)));
}

Expr fill_value(const Lowering& l) { return l.scalar("value", 0); }

void pad(Lowering& l) {
  const Padding p = padding(l, l.integers("pad"));
  const std::string mode = l.word("mode", "constant");
  if (mode == "constant") return constant_pad(l, p, fill_value(l));
  if (mode == "reflect") return gathered_pad(l, p, Mode::reflect);
  if (mode == "replicate") return gathered_pad(l, p, Mode::replicate);
  if (mode == "circular") return gathered_pad(l, p, Mode::circular);
  refuse("unknown padding mode");
}

void constant_pad_nd(Lowering& l) { constant_pad(l, padding(l, l.integers("pad")), fill_value(l)); }

template <Mode mode>
void padded(Lowering& l) {
  gathered_pad(l, padding(l, l.integers("padding")), mode);
}

constexpr Row rows[] = {
    {"aten.pad.default", pad},
    {"aten.constant_pad_nd.default", constant_pad_nd},
    {"aten.reflection_pad1d.default", padded<Mode::reflect>},
    {"aten.reflection_pad2d.default", padded<Mode::reflect>},
    {"aten.reflection_pad3d.default", padded<Mode::reflect>},
    {"aten.replication_pad1d.default", padded<Mode::replicate>},
    {"aten.replication_pad2d.default", padded<Mode::replicate>},
    {"aten.replication_pad3d.default", padded<Mode::replicate>},
};

}  // namespace

std::span<const Row> pad_rows() { return rows; }

}  // namespace kw::kernel::table
