// Default recipes on the shapes that the product is judged by, without torch: best and median time of a call in µs, and
// bytes that must move in GB/s. Arguments: names of cases (all without), then key=value decisions to try instead.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

#include "execute.h"

namespace kw::kernel::samples {
namespace {

struct Case { std::string name; Program program; };

std::vector<Case> cases() {
  return {
      {"scale+softmax_16384x256", scale_softmax(16384, 256, 0.125)},
      {"bn+relu_4x64x112x112", batch_norm_relu({4, 64, 112, 112}, false)},
      {"bn+add+relu_4x64x56x56", batch_norm_relu({4, 64, 56, 56}, true)},
      {"add+layer_norm_2048x512", layer_norm(2048, 512, true, true)},
      {"gelu_2048x2048", gelu(2048 * 2048)},
      {"max_pool_4x64x112x112", max_pool({4, 64, 112, 112}, 3, 2, 1, false)},
      {"relu+max_pool_4x64x112x112", max_pool({4, 64, 112, 112}, 3, 2, 1, true)},
      {"permute_8x256x8x64", permute({8, 256, 8, 64}, {0, 2, 1, 3})},
      {"transpose_8x512x512", permute({8, 512, 512}, {0, 2, 1})},
      {"channel_softmax_4x64x3136", channel_softmax(4, 64, 3136)},
      {"sum_columns_4096x1024", sum_over(4096, 1024, true)},
      {"sum_rows_4096x1024", sum_over(4096, 1024, false)},
      {"sum_all_4194304", sum_all(4194304)},
      {"argmax_rows_4096x1000", argmax(4096, 1000, true)},
      {"group_norm_4x64x32x3136", group_norm(4, 64, 32, 3136)},
      {"average_pool_4x64x112x112", average_pool({4, 64, 112, 112}, 2, 2, 0)},
  };
}

// 64-byte aligned memory of a plan buffer, filled by repeating `pattern`.
void* allocate(const graph::TensorType& type, const std::vector<unsigned char>& pattern) {
  const auto size = static_cast<std::size_t>(type.span() * graph::byte_size(type.dtype));
  auto* memory = static_cast<unsigned char*>(std::aligned_alloc(64, (size + 63) / 64 * 64));
  for (std::size_t k = 0; k < size; ++k) memory[k] = pattern[k % pattern.size()];
  return memory;
}

void measure(const Case& c, const Recipe& recipe, const Limits& limits) {
  const auto plan = generate(c.program, recipe, limits);
  if (!plan) return void(std::printf("%-28s %s\n", c.name.c_str(), plan.error().text().c_str()));
  const auto compiled = Compiled::build({*plan});
  if (!compiled) return void(std::printf("%-28s %s\n", c.name.c_str(), compiled.error().text().c_str()));
  std::vector<void*> buffers;
  for (const plan::Buffer& buffer : plan->plan.buffers) {
    std::vector<double> values;
    for (int k = 0; k < 8191; ++k) values.push_back((k * 37 % 513 + (buffer.name == "var" ? 8 : -256)) / 128.0);
    buffers.push_back(allocate(buffer.type, encode(buffer.type.dtype, values)));
  }
  using Clock = std::chrono::steady_clock;
  std::vector<double> us;
  const auto start = Clock::now();
  while (us.size() < 15 || (Clock::now() - start < std::chrono::milliseconds(600) && us.size() < 2000)) {
    const auto before = Clock::now();
    compiled->call(*plan, buffers);
    us.push_back(std::chrono::duration<double, std::micro>(Clock::now() - before).count());
  }
  for (void* buffer : buffers) std::free(buffer);
  std::sort(us.begin(), us.end());
  std::printf("%-28s best %9.1f us  median %9.1f us  %6.1f GB/s  (%zu kernels, %s)\n", c.name.c_str(), us.front(), us[us.size() / 2],
              static_cast<double>(plan->traffic_bytes) / us.front() / 1e3, plan->plan.steps.size(), text(recipe).c_str());
}

int run(int argc, char** argv) {
  Limits limits;
  limits.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::vector<std::string> wanted;
  Recipe recipe;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) wanted.push_back(word);
    else if (word.substr(0, equals) == "threads") limits.threads = std::atoi(word.c_str() + equals + 1);
    else recipe.decisions[word.substr(0, equals)] = word.substr(equals + 1);
  }
  for (const Case& c : cases())
    if (wanted.empty() || std::any_of(wanted.begin(), wanted.end(), [&](const std::string& w) { return c.name.find(w) != std::string::npos; }))
      measure(c, recipe, limits);
  return 0;
}

}  // namespace
}  // namespace kw::kernel::samples

int main(int argc, char** argv) { return kw::kernel::samples::run(argc, argv); }
