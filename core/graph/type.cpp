#include "core/graph/type.h"

#include <array>

namespace kw::graph {

namespace {

struct DTypeRow {
  DType dtype;
  std::string_view name;
  std::int64_t bytes;
};
constexpr std::array<DTypeRow, 12> rows{{{DType::f64, "f64", 8}, {DType::f32, "f32", 4}, {DType::f16, "f16", 2}, {DType::bf16, "bf16", 2},
                                         {DType::i64, "i64", 8}, {DType::i32, "i32", 4}, {DType::i16, "i16", 2}, {DType::i8, "i8", 1},
                                         {DType::u8, "u8", 1}, {DType::boolean, "bool", 1}, {DType::c64, "c64", 8}, {DType::c128, "c128", 16}}};

std::string list(const std::vector<std::int64_t>& numbers) {
  std::string out = "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) out += (i ? ", " : "") + std::to_string(numbers[i]);
  return out + "]";
}

}  // namespace

std::string_view name(DType dtype) { return rows[static_cast<std::size_t>(dtype)].name; }
std::int64_t byte_size(DType dtype) { return rows[static_cast<std::size_t>(dtype)].bytes; }

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const DTypeRow& row : rows)
    if (row.name == name) return row.dtype;
  return std::nullopt;
}

bool is_floating(DType dtype) { return dtype <= DType::bf16; }
bool is_integral(DType dtype) { return dtype >= DType::i64 && dtype <= DType::u8; }

std::int64_t TensorType::elements() const {
  std::int64_t n = 1;
  for (std::int64_t size : sizes) n *= size;
  return n;
}

bool TensorType::contiguous() const {
  std::int64_t expected = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    if (sizes[i] == 0) return true;
    if (sizes[i] != 1 && strides[i] != expected) return false;
    expected *= sizes[i];
  }
  return true;
}

std::int64_t TensorType::span() const {
  std::int64_t last = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] == 0) return 0;
    last += (sizes[i] - 1) * strides[i];
  }
  return last + 1;
}

std::optional<std::int64_t> checked_span(const TensorType& type) {
  constexpr std::int64_t limit = std::int64_t{1} << 48;
  if (type.sizes.size() != type.strides.size() || type.sizes.size() > 64) return std::nullopt;
  std::int64_t elements = 1, last = 0, step = 0;
  bool empty = false;
  for (std::size_t i = 0; i < type.sizes.size(); ++i) {
    if (type.sizes[i] < 0 || type.strides[i] < 0) return std::nullopt;
    if (type.sizes[i] == 0) { empty = true; continue; }
    if (__builtin_mul_overflow(elements, type.sizes[i], &elements) || elements > limit) return std::nullopt;
    if (__builtin_mul_overflow(type.sizes[i] - 1, type.strides[i], &step) || __builtin_add_overflow(last, step, &last) || last >= limit)
      return std::nullopt;
  }
  return empty ? 0 : last + 1;
}

std::string TensorType::text() const {
  std::string out = std::string(name(dtype)) + list(sizes);
  return contiguous() ? out : out + " strides " + list(strides);
}

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& sizes) {
  std::vector<std::int64_t> strides(sizes.size());
  std::int64_t step = 1;
  for (std::size_t i = sizes.size(); i-- > 0;) {
    strides[i] = step;
    step *= sizes[i] > 0 ? sizes[i] : 1;
  }
  return strides;
}

}  // namespace kw::graph
