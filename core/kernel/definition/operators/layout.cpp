// Operators that copy, convert, join or rearrange. A copy of the same type is an alias in the program: whether data moves
// is the recipe's decision, and an output is always stored in the layout that the graph states.
#include <algorithm>

#include "core/kernel/definition/operators/table.h"

namespace kw::kernel::table {
namespace {

std::size_t at(int d) { return static_cast<std::size_t>(d); }

void copy(Lowering& l) { l.give(l.first()); }

Expr converted(const Expr& value, DType from, DType to) {
  const Expr computed = cast(value, compute_type(to));
  return from == to ? computed : wrapped(computed, to);
}

void convert(Lowering& l) {
  const Operand x = l.first();
  const DType to = l.result().dtype;
  if (x.dtype == to) return l.give(x);
  l.give(l.pointwise("", x.sizes, to, converted(l.read(x, x.sizes), x.dtype, to)));
}

// copy(self, src): src in the shape and type of self.
void copy_into(Lowering& l) {
  const Operand source = l.tensor("src");
  const graph::TensorType& to = l.result();
  l.give(l.pointwise("", to.sizes, to.dtype, converted(l.read(source, to.sizes), source.dtype, to.dtype)));
}

// Joins along `dim`: the first part whose range holds the position. Every read stands under its own bounds.
void join(Lowering& l, const std::vector<Operand>& parts, int dim) {
  const Sizes& sizes = l.result().sizes;
  const DType type = compute_type(l.result().dtype);
  if (parts.size() > 128) refuse("more than 128 tensors to join");
  std::int64_t start = 0;
  for (const Operand& x : parts) {
    if (x.sizes.size() != sizes.size()) refuse("tensors of different rank to join");
    start += x.sizes[at(dim)];
  }
  if (start != sizes[at(dim)]) refuse("the joined tensors do not fill the result");
  Expr value = zero_of(type);
  for (std::size_t k = parts.size(); k-- > 0;) {
    const Operand& x = parts[k];
    start -= x.sizes[at(dim)];
    std::vector<Index> index = point(sizes);
    index[at(dim)] = add(index[at(dim)], constant(-start));
    for (std::size_t d = 0; d < sizes.size(); ++d)
      if (static_cast<int>(d) != dim && x.sizes[d] != sizes[d]) refuse("tensors of different sizes to join");
    const Expr here = in_bounds({index[at(dim)]}, {x.sizes[at(dim)]}, sizes);
    value = select(here, cast(l.at(x, index, sizes), type), value);
  }
  l.give(l.pointwise("", sizes, l.result().dtype, value));
}

void cat(Lowering& l) {
  const std::vector<Operand> parts = l.tensors("tensors");
  if (parts[0].rank() == 0) refuse("0-dim tensors to join");
  join(l, parts, l.dim("dim", parts[0].rank(), 0));
}

void stack(Lowering& l) {
  std::vector<Operand> parts = l.tensors("tensors");
  const int dim = l.dim("dim", parts[0].rank() + 1, 0);
  for (Operand& x : parts) {
    Sizes sizes = x.sizes;
    if (sizes.size() < at(dim)) refuse("tensors of different rank to stack");
    sizes.insert(sizes.begin() + dim, 1);
    x = reshaped(x, sizes);
  }
  join(l, parts, dim);
}

// A definition that reads x at `index`, over `sizes`.
void gather(Lowering& l, const Operand& x, const Sizes& sizes, const std::vector<Index>& index) {
  l.give(l.pointwise("", sizes, x.dtype, l.at(x, index, sizes)));
}

void flip(Lowering& l) {
  const Operand x = l.first();
  std::vector<Index> index = point(x.sizes);
  if (!l.integers("dims").empty())
    for (const int d : l.dims("dims", x.rank())) index[at(d)] = add(constant(x.sizes[at(d)] - 1), scale(index[at(d)], -1));
  gather(l, x, x.sizes, index);
}

// Without dims the flattened tensor rolls.
void roll(Lowering& l) {
  Operand x = l.first();
  const Sizes shifts = l.integers("shifts"), dims = l.integers("dims", Sizes{});
  const Sizes original = x.sizes;
  if (dims.empty()) x = reshaped(x, {product(original)});
  if (shifts.size() != std::max<std::size_t>(dims.size(), 1)) refuse("as many shifts as dimensions are needed");
  std::vector<Index> index = point(x.sizes);
  for (std::size_t k = 0; k < shifts.size(); ++k) {
    const std::int64_t d = dims.empty() ? 0 : dims[k] < 0 ? dims[k] + x.rank() : dims[k];
    if (d < 0 || d >= x.rank()) refuse("not a dimension of the tensor");
    Index& i = index[static_cast<std::size_t>(d)];
    i = mod(add(i, constant(-shifts[k])), x.sizes[static_cast<std::size_t>(d)], x.sizes);
  }
  if (!dims.empty()) return gather(l, x, x.sizes, index);
  gather(l, reshaped(view(x, x.sizes, index), original), original, point(original));
}

void repeat(Lowering& l) {
  Operand x = l.first();
  Sizes repeats = l.integers(l.given("repeats") ? "repeats" : "dims");
  Sizes from = x.sizes;
  if (from.size() > repeats.size()) repeats.insert(repeats.begin(), from.size() - repeats.size(), 1);
  from.insert(from.begin(), repeats.size() - from.size(), 1);
  Sizes sizes = from;
  for (std::size_t k = 0; k < sizes.size(); ++k) {
    if (repeats[k] < 1) refuse("repeating fewer than once");
    sizes[k] *= repeats[k];
  }
  std::vector<Index> index = point(sizes);
  for (std::size_t k = 0; k < sizes.size(); ++k) index[k] = mod(index[k], from[k], sizes);
  gather(l, reshaped(x, from), sizes, index);
}

void repeat_interleave(Lowering& l) {
  Operand x = l.first();
  const std::int64_t times = l.integer("repeats");
  if (times < 1) refuse("repeating fewer than once");
  if (!l.given("dim")) x = reshaped(x, {product(x.sizes)});
  const int dim = l.given("dim") ? l.dim("dim", x.rank()) : 0;
  if (x.rank() == 0) refuse("a 0-dim tensor along a dimension");
  Sizes sizes = x.sizes;
  sizes[at(dim)] *= times;
  std::vector<Index> index = point(sizes);
  index[at(dim)] = floor_div(index[at(dim)], times, sizes);
  gather(l, x, sizes, index);
}

// x [*, C, H, W] through a finer shape, its dimensions permuted, to the sizes of the result.
void shuffle(Lowering& l, const Sizes& fine, const std::vector<int>& order) {
  const Operand x = reshaped(l.first(), fine);
  Sizes sizes;
  for (const int d : order) sizes.push_back(fine[at(d)]);
  std::vector<Index> maps(fine.size());
  for (std::size_t k = 0; k < order.size(); ++k) maps[at(order[k])] = point(sizes)[k];
  const Sizes& out = l.result().sizes;
  gather(l, reshaped(view(x, sizes, maps), out), out, point(out));
}

struct Image {
  std::int64_t batch, channels, height, width;
};
Image image(const Operand& x, const char* what) {
  if (x.rank() < 3) refuse(std::string(what) + " of fewer than three dimensions");
  const std::size_t r = x.sizes.size();
  const Image i{0, x.sizes[r - 3], x.sizes[r - 2], x.sizes[r - 1]};
  return {product(x.sizes) / (i.channels * i.height * i.width), i.channels, i.height, i.width};
}

void pixel_shuffle(Lowering& l) {
  const Image i = image(l.first(), "a pixel shuffle");
  const std::int64_t f = l.integer("upscale_factor");
  if (f < 1 || i.channels % (f * f) != 0) refuse("the channels do not divide by the factor");
  shuffle(l, {i.batch, i.channels / (f * f), f, f, i.height, i.width}, {0, 1, 4, 2, 5, 3});
}

void pixel_unshuffle(Lowering& l) {
  const Image i = image(l.first(), "a pixel unshuffle");
  const std::int64_t f = l.integer("downscale_factor");
  if (f < 1 || i.height % f != 0 || i.width % f != 0) refuse("the image does not divide by the factor");
  shuffle(l, {i.batch, i.channels, i.height / f, f, i.width / f, f}, {0, 1, 3, 5, 2, 4});
}

void channel_shuffle(Lowering& l) {
  const Operand x = l.first();
  const std::int64_t groups = l.integer("groups");
  if (x.rank() < 2 || groups < 1 || x.sizes[1] % groups != 0) refuse("the channels do not divide into groups");
  const std::int64_t rest = product(x.sizes) / (x.sizes[0] * x.sizes[1]);
  shuffle(l, {x.sizes[0], groups, x.sizes[1] / groups, rest}, {0, 2, 1, 3});
}

constexpr Row rows[] = {
    {"aten.clone.default", copy},
    {"aten.lift_fresh_copy.default", copy},
    {"aten.contiguous.default", copy, "", Kind::alias_or_copy},
    {"aten.copy.default", copy_into},
    {"aten.to.dtype", convert, "", Kind::alias_or_copy},
    {"aten.to.dtype_layout", convert, "", Kind::alias_or_copy},
    {"aten.to.device", convert, "", Kind::alias_or_copy},
    {"aten.to.other", convert, "", Kind::alias_or_copy},
    {"aten.type_as.default", convert, "", Kind::alias_or_copy},
    {"aten._to_copy.default", convert},
    {"aten.cat.default", cat},
    {"aten.concat.default", cat},
    {"aten.stack.default", stack},
    {"aten.flip.default", flip},
    {"aten.roll.default", roll},
    {"aten.repeat.default", repeat},
    {"aten.tile.default", repeat},
    {"aten.repeat_interleave.self_int", repeat_interleave},
    {"aten.pixel_shuffle.default", pixel_shuffle},
    {"aten.pixel_unshuffle.default", pixel_unshuffle},
    {"aten.channel_shuffle.default", channel_shuffle},
};

}  // namespace

std::span<const Row> layout_rows() { return rows; }

}  // namespace kw::kernel::table
