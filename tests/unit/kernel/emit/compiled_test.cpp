// The compiled object against the interpreter, on random nests and on the shared ones; and what the object's symbols are.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

#include "core/kernel/emit/cpp.h"
#include "core/kernel/loopnest/arithmetic.h"
#include "tests/unit/kernel/emit/accuracy.h"
#include "tests/unit/kernel/emit/random_nest.h"
#include "tests/unit/kernel/loopnest/nests.h"

namespace kw::kernel {
namespace {

using namespace kw::kernel::testing;
using Bytes = std::vector<unsigned char>;

// Exact conversions between a double and an element in memory, independent of the emitted ones.
std::uint16_t half_bits(double value, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0, infinite = static_cast<std::uint16_t>(((1 << exponent_bits) - 1) << mantissa_bits);
  if (std::isnan(value)) return sign | infinite | 1;
  if (std::isinf(value)) return sign | infinite;
  if (value == 0) return sign;
  const int e = std::max(std::ilogb(value), 1 - bias);
  const auto scaled = static_cast<std::uint16_t>(std::ldexp(std::fabs(value), mantissa_bits - e));    // with the leading bit when normal
  const int leading = 1 << mantissa_bits;
  return static_cast<std::uint16_t>(sign | (scaled < leading ? scaled : ((e + bias) << mantissa_bits) | (scaled - leading)));
}

double half_value(std::uint16_t bits, int exponent_bits, int mantissa_bits) {
  const int bias = (1 << (exponent_bits - 1)) - 1, all = (1 << exponent_bits) - 1;
  const int e = (bits >> mantissa_bits) & all, m = bits & ((1 << mantissa_bits) - 1);
  const double size = e == all ? (m != 0 ? NAN : HUGE_VAL) : e == 0 ? std::ldexp(m, 1 - bias - mantissa_bits) : std::ldexp(m + (1 << mantissa_bits), e - bias - mantissa_bits);
  return (bits & 0x8000) != 0 ? -size : size;
}

template <typename T>
void put(Bytes& out, std::size_t i, T value) { std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T)); }
template <typename T>
double get(const Bytes& in, std::size_t i) {
  T value;
  std::memcpy(&value, in.data() + i * sizeof(T), sizeof(T));
  return static_cast<double>(value);
}

Bytes packed(const std::vector<double>& values, DType type) {
  Bytes out(values.size() * static_cast<std::size_t>(graph::byte_size(type)));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double v = values[i];
    switch (type) {
      case DType::f64: put(out, i, v); break;
      case DType::f32: put(out, i, static_cast<float>(v)); break;
      case DType::f16: put(out, i, half_bits(v, 5, 10)); break;
      case DType::bf16: put(out, i, half_bits(v, 8, 7)); break;
      case DType::i64: put(out, i, static_cast<std::int64_t>(v)); break;
      case DType::i32: put(out, i, static_cast<std::int32_t>(v)); break;
      case DType::i16: put(out, i, static_cast<std::int16_t>(v)); break;
      case DType::i8: put(out, i, static_cast<std::int8_t>(v)); break;
      default: put(out, i, static_cast<std::uint8_t>(v)); break;
    }
  }
  return out;
}

double element(const Bytes& data, std::size_t i, DType type) {
  switch (type) {
    case DType::f64: return get<double>(data, i);
    case DType::f32: return get<float>(data, i);
    case DType::f16: return half_value(static_cast<std::uint16_t>(get<std::uint16_t>(data, i)), 5, 10);
    case DType::bf16: return half_value(static_cast<std::uint16_t>(get<std::uint16_t>(data, i)), 8, 7);
    case DType::i64: return get<std::int64_t>(data, i);
    case DType::i32: return get<std::int32_t>(data, i);
    case DType::i16: return get<std::int16_t>(data, i);
    case DType::i8: return get<std::int8_t>(data, i);
    default: return get<std::uint8_t>(data, i);
  }
}

bool close(double got, double expected, DType type) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(expected) && std::isnan(got);
  if (got == expected) return true;
  const double eps = type == DType::f64 ? 0x1p-50 : type == DType::f32 ? 0x1p-21 : type == DType::bf16 ? 0x1p-7 : type == DType::f16 ? 0x1p-10 : 0;
  return std::fabs(got - expected) <= eps * std::max(std::fabs(expected), type == DType::f16 ? 0x1p-14 : 0.0);
}

void compare(const RandomNest& sample, const CompiledNests& code) {
  std::vector<std::vector<double>> memory = sample.memory;
  const auto status = interpret(sample.nest, memory);
  ASSERT_TRUE(status) << status.error().text() << "\n" << text(sample.nest);
  std::vector<Bytes> storage;
  std::vector<void*> pointers;
  for (std::size_t b = 0; b < sample.nest.buffers.size(); ++b)
    if (sample.nest.buffers[b].space == Space::global) storage.push_back(packed(sample.memory[b], sample.nest.buffers[b].type));
  for (Bytes& bytes : storage) pointers.push_back(bytes.data());
  const auto kernel = code.kernel(sample.nest.name);
  ASSERT_NE(kernel, nullptr);
  kernel(pointers.data());
  for (std::size_t b = 0; b < storage.size(); ++b) {
    for (std::size_t i = 0; i < memory[b].size(); ++i) {
      const double got = element(storage[b], i, sample.nest.buffers[b].type);
      ASSERT_TRUE(close(got, memory[b][i], sample.nest.buffers[b].type))
          << sample.nest.buffers[b].name << "[" << i << "] is " << got << ", the interpreter says " << memory[b][i] << "\n"
          << text(sample.nest) << emit_cpp({sample.nest}).substr(emit_cpp({sample.nest}).find("extern"));
    }
  }
}

TEST(Compiled, RandomNestsAgreeWithTheInterpreter) {
  for (std::uint32_t batch = 0; batch < 2; ++batch) {
    std::vector<RandomNest> samples;
    std::vector<LoopNest> nests;
    for (std::uint32_t seed = 0; seed < 12; ++seed) {
      samples.push_back(random_nest(1000 * batch + seed));
      nests.push_back(samples.back().nest);
      const auto status = verify(nests.back());
      ASSERT_TRUE(status) << status.error().text() << "\n" << text(nests.back());
    }
    const auto code = CompiledNests::compile(nests);
    ASSERT_TRUE(code) << code.error().text();
    for (const RandomNest& sample : samples) compare(sample, *code);
  }
}

TEST(Compiled, SharedNestsAgreeWithTheInterpreter) {
  const std::vector<LoopNest> nests = {softmax_rows(), padded_pool(), masked_fill()};
  const auto code = CompiledNests::compile(nests);
  ASSERT_TRUE(code) << code.error().text();
  for (const LoopNest& nest : nests) {
    RandomNest sample{nest, {}};
    for (const NestBuffer& buffer : nest.buffers) {
      sample.memory.emplace_back(static_cast<std::size_t>(buffer.elements));
      for (std::size_t i = 0; i < sample.memory.back().size(); ++i)
        sample.memory.back()[i] = buffer.type == DType::boolean ? static_cast<double>(i % 3 == 0) : static_cast<double>((i * 37) % 23) / 4 - 3;
    }
    compare(sample, *code);
  }
}

TEST(Compiled, HalvesRoundToNearestEvenOverTheirWholeRange) {
  const auto same = [](const std::vector<Expr>& x, int) { return x[0]; };
  std::vector<LoopNest> nests;
  constexpr std::int64_t n = 1 << 16;
  for (const DType type : {DType::bf16, DType::f16}) {
    for (const int lanes : {1, 4, 8, 16}) {
      LoopNest nest = pointwise(std::string(graph::name(type)) + "_" + std::to_string(lanes), DType::f32, 1, n, lanes, same, 0);
      nest.buffers[1].type = type;
      nests.push_back(nest);
    }
  }
  const auto code = CompiledNests::compile(nests);
  ASSERT_TRUE(code) << code.error().text();
  std::vector<float> x(n);
  for (std::size_t i = 0; i < x.size(); ++i) {                          // around every 16-bit prefix, ties included
    static constexpr std::uint32_t tails[] = {0, 0x8000, 0x7fff, 0x8001, 0x1000, 0x3000, 0x2fff, 0xffff};
    const std::uint32_t bits = static_cast<std::uint32_t>(i) << 16 | tails[(i * 5 + i / 8) % 8];
    std::memcpy(&x[i], &bits, 4);
  }
  for (const LoopNest& nest : nests) {
    Bytes out(2 * n);
    void* buffers[2] = {x.data(), out.data()};
    code->kernel(nest.name)(buffers);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double expected = stored(Scalar{DType::f32, static_cast<double>(x[i]), 0}, nest.buffers[1].type), got = element(out, i, nest.buffers[1].type);
      ASSERT_TRUE(std::isnan(expected) ? std::isnan(got) : got == expected) << nest.name << " of " << x[i] << ": " << got << ", not " << expected;
    }
  }
}

// Nothing of libm or the C++ runtime; nothing exported but the kernels.
TEST(Compiled, SymbolsAreKernelsAndOpenMPOnly) {
  std::vector<LoopNest> nests = {softmax_rows(), padded_pool(), masked_fill()};
  for (const Function& f : functions())
    for (const DType type : {DType::f32, DType::f64})
      for (const int lanes : {1, 4, 8}) nests.push_back(nest_of(f, type, 64, lanes));
  const auto code = CompiledNests::compile(nests);
  ASSERT_TRUE(code) << code.error().text();
  std::set<std::string> names, allowed(std::begin(allowed_undefined), std::end(allowed_undefined));
  for (const LoopNest& nest : nests) names.insert(nest.name);
  const std::vector<std::string> defined = code->symbols(false);
  EXPECT_EQ(std::set<std::string>(defined.begin(), defined.end()), names);
  for (const std::string& symbol : code->symbols(true))
    EXPECT_TRUE(allowed.contains(symbol) || symbol.starts_with("GOMP_")) << symbol;
}

}  // namespace
}  // namespace kw::kernel
