// Index and type helpers of the rows.
#include <algorithm>

#include "core/kernel/definition/operators/lowering.h"

namespace kw::kernel::table {
namespace {

// Types of the lower category matter only where they are of a higher kind (boolean < integer < floating).
DType combine(std::optional<DType> higher, std::optional<DType> lower) {
  if (!higher) return lower.value_or(DType::f32);
  if (!lower || graph::is_floating(*higher)) return *higher;
  if (*higher == DType::boolean || graph::is_floating(*lower)) return promote(*higher, *lower);
  return *higher;
}

int bits(DType storage) { return static_cast<int>(graph::byte_size(storage)) * 8; }

}  // namespace

std::int64_t product(const Sizes& sizes) {
  std::int64_t p = 1;
  for (const std::int64_t s : sizes) p *= s;
  return p;
}

std::vector<Index> point(const Sizes& sizes, int first_variable) {
  std::vector<Index> maps;
  for (std::size_t k = 0; k < sizes.size(); ++k)
    maps.push_back(sizes[k] == 1 ? constant(0) : variable(first_variable + static_cast<int>(k)));
  return maps;
}

Operand view(const Operand& x, Sizes sizes, const std::vector<Index>& maps) {
  Operand result = x;
  result.number = false;
  for (Index& map : result.maps) map = substitute(map, maps, sizes);
  result.sizes = std::move(sizes);
  return result;
}

Operand reshaped(const Operand& x, const Sizes& sizes) {
  if (product(sizes) != product(x.sizes)) refuse("a reshape changes the number of elements");
  Index offset;
  for (std::size_t k = 0; k < sizes.size(); ++k) offset = add(scale(offset, sizes[k]), point(sizes)[k]);
  std::vector<Index> maps(x.sizes.size());
  std::int64_t stride = 1;
  for (std::size_t k = x.sizes.size(); k-- > 0; stride *= x.sizes[k])
    maps[k] = mod(floor_div(offset, stride, sizes), x.sizes[k], sizes);
  return view(x, sizes, maps);
}

DType promote(DType a, DType b) {
  if (a == b || b == DType::boolean) return a;
  if (a == DType::boolean) return b;
  const bool fa = graph::is_floating(a), fb = graph::is_floating(b);
  if (fa != fb) return fa ? a : b;
  if (graph::byte_size(a) == graph::byte_size(b)) return fa ? DType::f32 : DType::i16;   // f16 with bf16; i8 with u8
  return graph::byte_size(a) > graph::byte_size(b) ? a : b;
}

DType result_type(const std::vector<Operand>& operands) {
  std::optional<DType> with_dimensions, without, numbers;
  for (const Operand& x : operands) {
    std::optional<DType>& category = x.number ? numbers : x.sizes.empty() ? without : with_dimensions;
    category = category ? promote(*category, x.dtype) : x.dtype;
  }
  std::optional<DType> weaker;
  if (without || numbers) weaker = combine(without, numbers);
  return combine(with_dimensions, weaker);
}

Expr wrapped(const Expr& value, DType storage) {
  if (!graph::is_integral(storage) || storage == DType::i64) return value;
  if (value->op == Op::constant) {
    const std::int64_t span = std::int64_t{1} << bits(storage), half = storage == DType::u8 ? 0 : span / 2;
    return constant_i(((value->integer + half) & (span - 1)) - half);
  }
  const Expr whole = cast(value, DType::i64);
  const std::int64_t span = std::int64_t{1} << bits(storage), half = storage == DType::u8 ? 0 : span / 2;
  const Expr shifted = binary(Op::add, whole, constant_i(half));
  return binary(Op::sub, binary(Op::bitwise_and, shifted, constant_i(span - 1)), constant_i(half));
}

Expr literal_of(double value, DType type) {
  if (graph::is_floating(type)) return constant_f(value, compute_type(type));
  return constant_i(static_cast<std::int64_t>(value), compute_type(type));
}

Expr zero_of(DType type) { return literal_of(0, type); }

}  // namespace kw::kernel::table
