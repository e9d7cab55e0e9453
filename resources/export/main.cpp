// Draws inputs, runs the kernel and the plain reference on them, compares every element, and times the kernel.
// Exit status 0 when all outputs agree. Needs nothing but the files beside it: see build.sh.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
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
struct Step {
  void (*function)(void* const* buffers);
  std::vector<int> buffers;
};
struct Plan {
  std::vector<Buffer> buffers;                // inputs, outputs, workspaces; the pointer is that of the first element
  std::vector<Step> steps;
};

#include "task.h"

namespace {

std::int64_t byte_size(DType t) {
  constexpr int sizes[] = {8, 4, 2, 2, 8, 4, 2, 1, 1, 1, 8, 16};
  return sizes[static_cast<int>(t)];
}

bool is_floating(DType t) { return t == DType::f64 || t == DType::f32 || t == DType::f16 || t == DType::bf16; }

std::int64_t span(const Buffer& b) {
  std::int64_t last = 0;
  for (std::size_t d = 0; d < b.sizes.size(); ++d) {
    if (b.sizes[d] == 0) return 0;
    last += (b.sizes[d] - 1) * b.strides[d];
  }
  return last + 1;
}

float from_half(std::uint16_t h) {
  const std::uint32_t sign = std::uint32_t{h} >> 15 << 31, exponent = h >> 10 & 31, fraction = h & 1023;
  if (exponent == 0) return (sign ? -1.0f : 1.0f) * std::ldexp(static_cast<float>(fraction), -24);
  const std::uint32_t bits = sign | (exponent == 31 ? 0x7f800000u : (exponent + 112) << 23) | fraction << 13;
  float out;
  std::memcpy(&out, &bits, 4);
  return out;
}

std::uint16_t to_half(float f) {   // inputs are drawn well inside the normal range; truncation is good enough for them
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  const int exponent = static_cast<int>(bits >> 23 & 255) - 112;
  if (exponent <= 0) return static_cast<std::uint16_t>(bits >> 31 << 15);
  return static_cast<std::uint16_t>(bits >> 31 << 15 | static_cast<std::uint32_t>(std::min(exponent, 30)) << 10 | (bits >> 13 & 1023));
}

double get(const Buffer& b, const std::vector<char>& data, std::int64_t i) {
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

void put(const Buffer& b, std::vector<char>& data, std::int64_t i, double value) {
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

void draw(const Buffer& b, std::vector<char>& data, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const bool floating = b.dtype <= DType::bf16;
  const std::int64_t below = b.domain == Domain::index ? b.below : b.dtype == DType::boolean ? 2 : 10;
  const std::int64_t n = static_cast<std::int64_t>(data.size()) / byte_size(b.dtype);
  for (std::int64_t i = 0; i < n; ++i) {
    if (!floating) put(b, data, i, static_cast<double>(random() % static_cast<std::uint64_t>(std::max<std::int64_t>(below, 1))));
    else put(b, data, i, b.domain == Domain::positive ? std::abs(normal(random)) + 0.1 : normal(random));
  }
}

struct Run {
  std::vector<std::vector<char>> data;
  std::vector<void*> pointers;
};

// Memory for every buffer of a plan, 64-byte aligned; inputs are those of `inputs`.
Run prepare(const Plan& plan, const std::vector<std::vector<char>>& inputs) {
  Run run;
  std::size_t next = 0;
  run.data.reserve(plan.buffers.size());
  for (const Buffer& b : plan.buffers) {
    const auto bytes = static_cast<std::size_t>(span(b) * byte_size(b.dtype));
    if (b.role == Role::input) run.data.push_back(inputs[next++]);
    else run.data.emplace_back(bytes, static_cast<char>(0xff));
    void* aligned = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
    std::memcpy(aligned, run.data.back().data(), bytes);
    run.pointers.push_back(aligned);
  }
  return run;
}

void execute(const Plan& plan, const Run& run) {
  for (const Step& step : plan.steps) {
    std::vector<void*> arguments;
    for (const int b : step.buffers) arguments.push_back(run.pointers[static_cast<std::size_t>(b)]);
    step.function(arguments.data());
  }
}

void collect(const Plan& plan, Run& run) {
  for (std::size_t i = 0; i < run.data.size(); ++i)
    if (plan.buffers[i].role == Role::output) std::memcpy(run.data[i].data(), run.pointers[i], run.data[i].size());
}

// Every element of a strided buffer, by its offset.
template <typename Visit>
void each(const Buffer& b, Visit visit, std::size_t dimension = 0, std::int64_t offset = 0) {
  if (dimension == b.sizes.size()) return visit(offset);
  for (std::int64_t i = 0; i < b.sizes[dimension]; ++i) each(b, visit, dimension + 1, offset + i * b.strides[dimension]);
}

bool compare(const Buffer& b, const std::vector<char>& got, const Buffer& rb, const std::vector<char>& wanted) {
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

double median_us(const Plan& plan, const Run& run) {
  std::vector<double> samples;
  for (int i = 0; i < 50; ++i) {
    const auto start = std::chrono::steady_clock::now();
    execute(plan, run);
    samples.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::nth_element(samples.begin(), samples.begin() + 25, samples.end());
  return samples[25];
}

}  // namespace

int main(int argc, char** argv) {
  std::mt19937_64 random(argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1);   // optional argument: the seed
  std::vector<std::vector<char>> inputs;
  for (const Buffer& b : candidate_plan.buffers) {
    if (b.role != Role::input) continue;
    inputs.emplace_back(static_cast<std::size_t>(span(b) * byte_size(b.dtype)));
    draw(b, inputs.back(), random);
  }
  Run candidate = prepare(candidate_plan, inputs), reference = prepare(reference_plan, inputs);
  execute(candidate_plan, candidate);
  execute(reference_plan, reference);
  collect(candidate_plan, candidate);
  collect(reference_plan, reference);
  bool right = true;
  for (std::size_t i = 0; i < candidate_plan.buffers.size(); ++i)
    if (candidate_plan.buffers[i].role == Role::output)
      right = compare(candidate_plan.buffers[i], candidate.data[i], reference_plan.buffers[i], reference.data[i]) && right;
  std::printf("kernel %.1f us, plain reference %.1f us (medians of 50 runs, caches warm)\n", median_us(candidate_plan, candidate),
              median_us(reference_plan, reference));
  return right ? 0 : 1;
}
