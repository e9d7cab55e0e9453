// Prints, for each function of the vector maths, its largest error against a long double reference and its speed.
//   vector_math_bench [STRIDE [FUNCTION]]     every STRIDE-th f32 value (default 97: a minute for all; 1: the whole range,
//                                             minutes a function), f64 values at random
#include <bit>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "tests/unit/kernel/emit/accuracy.h"

namespace {

using namespace kw::kernel;
using namespace kw::kernel::testing;

constexpr std::int64_t block = 4096;

template <typename T>
void run(CompiledNests::Kernel kernel, const Function& f, std::vector<T>& x, std::vector<T>& y, std::vector<T>& z) {
  void* buffers[3] = {x.data(), f.arguments == 2 ? y.data() : z.data(), z.data()};
  kernel(buffers);
}

template <typename T>
double ns_per_element(CompiledNests::Kernel kernel, const Function& f) {
  std::vector<T> x(block), y(block), z(block);
  std::mt19937 random(1);
  std::uniform_real_distribution<T> uniform(T{0.1}, T{4});
  for (T& v : x) v = uniform(random);
  for (T& v : y) v = uniform(random);
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    for (int k = 0; k < 10; ++k) run(kernel, f, x, y, z);
    best = std::min(best, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / (10 * block));
  }
  return best;
}

template <typename T, typename Draw>
void measure(const CompiledNests& code, const Function& f, std::uint64_t count, Draw draw) {
  const kw::graph::DType type = sizeof(T) == 4 ? kw::graph::DType::f32 : kw::graph::DType::f64;
  const CompiledNests::Kernel kernel = code.kernel(nest_of(f, type, block, sizeof(T) == 4 ? 8 : 4).name);
  Accuracy accuracy;
  std::vector<T> x(block), y(block), z(block);
  for (std::uint64_t done = 0; done < count; done += block) {
    for (std::size_t i = 0; i < block; ++i) x[i] = draw(done + i, 0), y[i] = draw(done + i, 1);
    run(kernel, f, x, y, z);
    add_errors(f, x, y, z, accuracy);
  }
  std::printf("%-8s %s  %8.4f ulp  %7.3f ns/element   worst at %.9g %.9g: %.9Lg, got %.9g\n", name(f.op), sizeof(T) == 4 ? "f32" : "f64",
              accuracy.worst_ulp, ns_per_element<T>(kernel, f), accuracy.at[0], accuracy.at[1], accuracy.expected, accuracy.got);
  std::fflush(stdout);
}

float f32_value(std::uint64_t i, int argument, std::uint64_t stride) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(argument == 0 ? i * stride : i * 2654435761U));
}

// Half of them any bit pattern, half of moderate size.
double f64_value(std::uint64_t i, int argument) {
  std::uint64_t h = (2 * i + static_cast<std::uint64_t>(argument)) * 0x9e3779b97f4a7c15U + 0x1234567;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9U;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebU;
  h ^= h >> 31;
  if ((i / 7) % 2 == 0) return std::bit_cast<double>(h);
  return std::bit_cast<double>((h & 0x800fffffffffffffU) | ((0x3ffU - 20 + (h >> 52) % 30) << 52));
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t stride = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 97;
  if (stride == 0) return std::fprintf(stderr, "STRIDE is a positive number\n"), 2;
  std::vector<LoopNest> nests;
  for (const Function& f : functions())
    for (const auto type : {kw::graph::DType::f32, kw::graph::DType::f64})
      nests.push_back(nest_of(f, type, block, type == kw::graph::DType::f32 ? 8 : 4));
  const auto code = CompiledNests::compile(nests);
  if (!code) return std::fprintf(stderr, "%s\n", code.error().text().c_str()), 1;
  const std::string only = argc > 2 ? argv[2] : "";
  const std::uint64_t count = (std::uint64_t{1} << 32) / stride;
  for (const Function& f : functions()) {
    if (!only.empty() && only != name(f.op)) continue;
    measure<float>(*code, f, f.arguments == 2 ? std::min<std::uint64_t>(count, 1 << 24) : count,
                   [stride](std::uint64_t i, int argument) { return f32_value(i, argument, stride); });
    measure<double>(*code, f, std::min<std::uint64_t>(count, 1 << 22), f64_value);
  }
}
