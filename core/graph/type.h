#pragma once
// Element types and tensor metadata, shared by graph, plan and kernel. Strides and offsets are in elements.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::graph {

enum class DType : std::uint8_t { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean, c64, c128 };

std::string_view name(DType dtype);                        // "f32"
std::optional<DType> dtype_from_name(std::string_view name);
std::int64_t byte_size(DType dtype);
bool is_floating(DType dtype);                             // f64, f32, f16, bf16
bool is_integral(DType dtype);                             // i64 … u8; not boolean

struct TensorType {
  DType dtype = DType::f32;
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;                       // same length as sizes

  bool operator==(const TensorType&) const = default;
  std::int64_t elements() const;
  bool contiguous() const;                                 // row-major and dense
  std::int64_t span() const;                               // elements from the first to one past the last, 0 when empty
  std::string text() const;                                // "f32[8, 256, 512]", with strides when not contiguous
};

// For types that come from outside: the span when sizes and strides agree in number, are not negative and neither the
// span nor the number of elements exceeds 2^48; nullopt otherwise.
std::optional<std::int64_t> checked_span(const TensorType& type);

std::vector<std::int64_t> contiguous_strides(const std::vector<std::int64_t>& sizes);

}  // namespace kw::graph
