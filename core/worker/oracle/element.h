#pragma once
// Elements of raw buffers as numbers, and the facts of an element type that the verdict's formula needs. Any thread.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "core/base/half.h"
#include "core/graph/type.h"

namespace kw::oracle {

struct Half { std::uint16_t bits; };
struct BFloat { std::uint16_t bits; };

// f16 by table: conversion by arithmetic costs more than the comparison it serves.
inline const std::vector<float>& f16_table() {
  static const std::vector<float> table = [] {
    std::vector<float> t(65536);
    for (std::uint32_t i = 0; i < 65536; ++i) t[i] = base::f16_to_float(static_cast<std::uint16_t>(i));
    return t;
  }();
  return table;
}

template <typename T> double number(T value) { return static_cast<double>(value); }
inline double number(Half value) { return static_cast<double>(f16_table()[value.bits]); }
inline double number(BFloat value) { return base::bf16_to_float(value.bits); }

// Calls visit(T{}) with the C++ type of the elements. Complex types have none here: such tasks are refused before.
template <typename Visit>
auto with_type(graph::DType dtype, Visit&& visit) {
  switch (dtype) {
    case graph::DType::f64: return visit(double{});
    case graph::DType::f16: return visit(Half{});
    case graph::DType::bf16: return visit(BFloat{});
    case graph::DType::i64: return visit(std::int64_t{});
    case graph::DType::i32: return visit(std::int32_t{});
    case graph::DType::i16: return visit(std::int16_t{});
    case graph::DType::i8: return visit(std::int8_t{});
    case graph::DType::u8:
    case graph::DType::boolean: return visit(std::uint8_t{});
    default: return visit(float{});
  }
}

inline bool is_complex(graph::DType dtype) { return dtype == graph::DType::c64 || dtype == graph::DType::c128; }

// Distance from 1 to the next number; 0 for integers, which are exact.
inline double epsilon(graph::DType dtype) {
  switch (dtype) {
    case graph::DType::f64: return std::numeric_limits<double>::epsilon();
    case graph::DType::f32: return std::numeric_limits<float>::epsilon();
    case graph::DType::f16: return 1.0 / 1024;
    case graph::DType::bf16: return 1.0 / 128;
    default: return 0;
  }
}

// The smallest positive number: below it no arithmetic of the type can tell values apart.
inline double quantum(graph::DType dtype) {
  switch (dtype) {
    case graph::DType::f64: return std::numeric_limits<double>::denorm_min();
    case graph::DType::f32: return std::numeric_limits<float>::denorm_min();
    case graph::DType::f16: return 0x1p-24;
    case graph::DType::bf16: return 0x1p-133;
    default: return 0;
  }
}

inline double load_number(graph::DType dtype, const std::byte* at) {
  return with_type(dtype, [at]<typename T>(T) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    if constexpr (std::is_same_v<T, Half>) return static_cast<double>(f16_table()[value.bits]);
    else return number(value);
  });
}

inline void store_number(graph::DType dtype, std::byte* at, double value) {
  with_type(dtype, [at, value, dtype]<typename T>(T) {
    T stored;
    if constexpr (std::is_same_v<T, Half>) stored = {base::float_to_f16(static_cast<float>(value))};
    else if constexpr (std::is_same_v<T, BFloat>) stored = {base::float_to_bf16(static_cast<float>(value))};
    else stored = static_cast<T>(dtype == graph::DType::boolean ? (value != 0) : value);
    std::memcpy(at, &stored, sizeof(T));
  });
}

inline std::size_t storage_bytes(const graph::TensorType& type) {
  return static_cast<std::size_t>(type.span()) * static_cast<std::size_t>(graph::byte_size(type.dtype));
}

// Row-major copy of a strided tensor whose element 0 lies at `first`; `out` holds elements() * byte_size.
void gather(const graph::TensorType& type, const std::byte* first, std::byte* out);

// Index of the k-th element in row-major order.
std::vector<std::int64_t> unravel(const std::vector<std::int64_t>& sizes, std::int64_t k);

}  // namespace kw::oracle
