#include "core/worker/device/ceilings.h"

#include <algorithm>
#include <filesystem>

#include <ATen/Parallel.h>
#include <torch/version.h>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/paths.h"
#include "core/worker/device/cpu_info.h"

namespace kw::device {
namespace {

constexpr double seconds_a_ceiling = 0.25;
constexpr std::int64_t fallback_cache = 32 << 20;
constexpr std::int64_t far_beyond = 4;              // times the last cache
constexpr std::int64_t most_bytes = std::int64_t{512} << 20;
constexpr std::int64_t matmul_size = 1024;
constexpr int format = 1;                           // of the kept file

// The shortest of the calls that fit into the time: a ceiling is what the machine can do, not what it did on average.
template <typename Call>
double best_seconds(Call call) {
  call();
  double best = 1e30;
  const double end = base::now_s() + seconds_a_ceiling;
  do {
    const double start = base::now_s();
    call();
    best = std::min(best, base::now_s() - start);
  } while (base::now_s() < end);
  return best;
}

double gigabytes(double bytes, double seconds) { return bytes / seconds * 1e-9; }

double matmul_gflop_s(at::ScalarType type) {
  const at::Tensor a = at::randn({matmul_size, matmul_size}).to(type), b = at::randn({matmul_size, matmul_size}).to(type);
  at::Tensor c = at::empty({matmul_size, matmul_size}, a.options());
  const double seconds = best_seconds([&] { at::mm_out(c, a, b); });
  const auto n = static_cast<double>(matmul_size);
  return 2 * n * n * n / seconds * 1e-9;
}

double copy_gb_s(std::int64_t bytes) {
  const at::Tensor from = at::zeros({bytes / 4}), to = at::zeros({bytes / 4});
  return gigabytes(2.0 * static_cast<double>(bytes), best_seconds([&] { to.copy_(from); }));
}

std::string file_name(int threads) {
  const CpuInfo cpu = cpu_info();
  const std::string machine = cpu.model + "|" + std::to_string(cpu.cores) + "|" + std::to_string(threads) + "|" + TORCH_VERSION + "|" + std::to_string(format);
  return "ceilings-" + base::sha256_hex(machine).substr(0, 16) + ".json";
}

}  // namespace

base::Result<protocol::Ceilings> measure_ceilings(int threads) {
  try {
    const c10::InferenceMode inference;
    const int before = at::get_num_threads();
    if (threads > 0) at::set_num_threads(threads);
    const std::int64_t l3 = cpu_info().l3_bytes, cache = l3 > 0 ? l3 : fallback_cache;
    const std::int64_t far = std::min(cache * far_beyond, most_bytes), near = std::clamp<std::int64_t>(cache / 8, 1 << 18, 4 << 20);
    protocol::Ceilings result;
    {
      const at::Tensor words = at::zeros({far / 4});
      result.read_gb_s = gigabytes(static_cast<double>(far), best_seconds([&] { words.max(); }));
      result.write_gb_s = gigabytes(static_cast<double>(far), best_seconds([&] { words.fill_(1); }));
    }
    result.copy_gb_s = copy_gb_s(far / 2);
    result.cache_copy_gb_s = copy_gb_s(near / 2);
    result.f32_gflop_s = matmul_gflop_s(at::kFloat);
    result.f64_gflop_s = matmul_gflop_s(at::kDouble);
    at::set_num_threads(before);
    return result;
  } catch (const std::exception& error) {
    return base::Error{base::ErrorCode::internal, std::string("The ceilings cannot be measured: ") + error.what(), "ceilings"};
  }
}

base::Result<protocol::Ceilings> ceilings(int threads, const std::string& cache) {
  const std::string path = cache + "/" + file_name(threads);
  if (const auto kept = base::read_file(path)) {
    const nlohmann::json json = nlohmann::json::parse(*kept, nullptr, false);
    try {
      if (json.is_object()) return json.get<protocol::Ceilings>();
    } catch (const nlohmann::json::exception&) {
      // A damaged file is measured over.
    }
  }
  auto measured = measure_ceilings(threads);
  if (!measured) return measured;
  std::error_code ignored;
  std::filesystem::create_directories(cache, ignored);
  // Not being able to keep them only costs the time to measure again.
  (void)base::write_file_atomically(path, nlohmann::json(*measured).dump());
  return measured;
}

double floor_us(std::int64_t bytes, std::int64_t flops, graph::DType dtype, const protocol::Ceilings& c, std::int64_t footprint, std::int64_t cache_bytes) {
  double gb_s = std::max({c.read_gb_s, c.write_gb_s, c.copy_gb_s});
  if (footprint < cache_bytes) gb_s = std::max(gb_s, c.cache_copy_gb_s);
  const double gflop_s = dtype == graph::DType::f64 ? c.f64_gflop_s : c.f32_gflop_s;
  const double memory = gb_s > 0 ? static_cast<double>(bytes) / (gb_s * 1e3) : 0;
  const double compute = gflop_s > 0 ? static_cast<double>(flops) / (gflop_s * 1e3) : 0;
  return std::max(memory, compute);
}

}  // namespace kw::device
