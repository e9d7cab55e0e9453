#pragma once
// What the test program needs of tensors: their description in task.h, values drawn for inputs, the comparison of outputs.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

enum class Role { input, output, workspace };
enum class DType { f64, f32, f16, bf16, i64, i32, i16, i8, u8, boolean, c64, c128 };
enum class Domain { any, positive, index };

struct Buffer {
  const char* name;
  Role role;
  DType dtype;
  std::vector<std::int64_t> sizes, strides;   // in elements
  Domain domain;
  std::int64_t below;                         // an index lies in [0, below)
  double allowed;                             // of an output: how far kernel and reference may be apart
};
using Bytes = std::vector<char>;              // a buffer's memory on the host

inline std::int64_t byte_size(DType t) {
  constexpr int sizes[] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1, 8, 16};
  return sizes[static_cast<int>(t)];
}

inline bool is_floating(DType t) { return t == DType::f64 || t == DType::f32 || t == DType::f16 || t == DType::bf16; }

inline std::int64_t span(const Buffer& b) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < b.sizes.size(); ++d) {
    if (b.sizes[d] == 0) return 0;
    last += (b.sizes[d] - 1) * b.strides[d];
  }
  return last + 1;
}

inline float from_half(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t{h} >> 15 << 31, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * std::ldexp(static_cast<float>(fraction), -24);
  const std::uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
  float out;
  std::memcpy(&out, &bits, 4);
  return out;
}

inline std::uint16_t to_half(float f) {   // inputs are drawn well inside the normal range; truncation is good enough for them
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  const int exponent = static_cast<int>(bits >> 23 & 255) - 112;
  if (exponent <= 0) return static_cast<std::uint16_t>(bits >> 31 << 15);
  return static_cast<std::uint16_t>(bits >> 31 << 15 | static_cast<std::uint32_t>(std::min(exponent, 30)) << 10 | (bits >> 13 & 1023));
}

inline double get(const Buffer& b, const Bytes& data, std::int64_t i) {
  const char* at = data.data() + i * byte_size(b.dtype);
  const auto as = [&](auto value) { std::memcpy(&value, at, sizeof(value)); return value; };
  switch (b.dtype) {
    case DType::f64: return as(double{});
    case DType::f32: return as(float{});
    case DType::f16: return from_half(as(std::uint16_t{}));
    case DType::bf16: { const std::uint32_t bits = std::uint32_t{as(std::uint16_t{})} << 16; float f; std::memcpy(&f, &bits, 4); return f; }
    case DType::i64: return static_cast<double>(as(std::int64_t{}));
    case DType::i32: return as(std::int32_t{});
    case DType::i16: return as(std::int16_t{});
    case DType::i8: return as(std::int8_t{});
    default: return as(std::uint8_t{});
  }
}

inline void put(const Buffer& b, Bytes& data, std::int64_t i, double value) {
  char* at = data.data() + i * byte_size(b.dtype);
  const auto as = [&](auto v) { std::memcpy(at, &v, sizeof(v)); };
  switch (b.dtype) {
    case DType::f64: as(value); break;
    case DType::f32: as(static_cast<float>(value)); break;
    case DType::f16: as(to_half(static_cast<float>(value))); break;
    case DType::bf16: { const float f = static_cast<float>(value); std::uint32_t bits; std::memcpy(&bits, &f, 4); as(static_cast<std::uint16_t>(bits >> 16)); break; }
    case DType::i64: as(static_cast<std::int64_t>(value)); break;
    case DType::i32: as(static_cast<std::int32_t>(value)); break;
    case DType::i16: as(static_cast<std::int16_t>(value)); break;
    case DType::i8: as(static_cast<std::int8_t>(value)); break;
    default: as(static_cast<std::uint8_t>(value)); break;
  }
}

inline void draw(const Buffer& b, Bytes& data, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const bool floating = b.dtype <= DType::bf16;
  const std::int64_t below = b.domain == Domain::index ? b.below : b.dtype == DType::boolean ? 2 : 10;
  const std::int64_t n = static_cast<std::int64_t>(data.size()) / byte_size(b.dtype);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!floating) put(b, data, i, static_cast<double>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(below, 1))));
    else put(b, data, i, b.domain == Domain::positive ? std::abs(normal(random)) + 0.1 : normal(random));
  }
}

// The memory of each input, in order.
inline std::vector<Bytes> draw_inputs(const std::vector<Buffer>& buffers, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Bytes> inputs;
  for (const Buffer& b : buffers) {
    if (b.role != Role::input) continue;
    inputs.emplace_back(static_cast<std::size_t>(span(b) * byte_size(b.dtype)));
    draw(b, inputs.back(), random);
  }
  return inputs;
}

// Every element of a strided buffer, by its offset.
template <typename Visit>
void each(const Buffer& b, Visit visit, std::size_t dimension = 0, std::int64_t offset = 0) {
  if (dimension == b.sizes.size()) return visit(offset);
  for (std::int64_t i = 0; i < b.sizes[dimension]; ++i) each(b, visit, dimension + 1, offset + i * b.strides[dimension]);
}

inline bool compare(const Buffer& b, const Bytes& got, const Buffer& rb, const Bytes& wanted) {
  std::vector<double> values, truths;
  each(b, [&](std::int64_t i) { values.push_back(get(b, got, i)); });
  each(rb, [&](std::int64_t i) { truths.push_back(get(rb, wanted, i)); });
  double squares = 0, worst = 0;
  for (const double t : truths) squares += std::isfinite(t) ? t * t : 0;
  const double rms = truths.empty() ? 0 : std::sqrt(squares / static_cast<double>(truths.size()));
  bool same = values.size() == truths.size();
  std::int64_t differing = 0;
  for (std::size_t i = 0; same && i < values.size(); ++i) {
    if (values[i] == truths[i] || (std::isnan(values[i]) && std::isnan(truths[i]))) continue;
    ++differing;
    const double error = std::abs(values[i] - truths[i]) / (std::abs(truths[i]) + rms);
    worst = std::max(worst, std::isnan(error) ? HUGE_VAL : error);
  }
  // Of floating outputs |a - b| / (|b| + rms(b)), of others the share of elements that differ.
  const bool floating = is_floating(b.dtype);
  const double shown = floating ? worst : static_cast<double>(differing) / static_cast<double>(std::max<std::size_t>(values.size(), 1));
  const bool right = same && shown <= b.allowed;
  std::printf("output %s: %s %.3g, allowed %.3g: %s\n", b.name, floating ? "largest error" : "share that differs", shown, b.allowed, right ? "right" : "WRONG");
  return right;
}

// Prints a line an output; the buffers of two plans and what stands in them after a run.
inline bool compare_outputs(const std::vector<Buffer>& buffers, const std::vector<Bytes>& got, const std::vector<Buffer>& reference,
                            const std::vector<Bytes>& wanted) {
  bool right = true;
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].role == Role::output) right = compare(buffers[i], got[i], reference[i], wanted[i]) && right;
  return right;
}
