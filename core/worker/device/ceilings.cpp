#include "core/worker/device/ceilings.h"

#include <algorithm>
#include <functional>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/paths.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

namespace kw::device {

namespace {

// The fastest of several runs: a ceiling is what can be reached.
double best_seconds(const std::function<void()>& work, int runs) {
  work();
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const double start = base::now_s();
    work();
    best = std::min(best, base::now_s() - start);
  }
  return best;
}

double gflops(at::ScalarType type, std::int64_t n) {
  const at::Tensor a = at::rand({n, n}, type), b = at::rand({n, n}, type);
  at::Tensor c = at::empty({n, n}, type);
  const double seconds = best_seconds([&] { at::mm_out(c, a, b); }, 5);
  return 2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / seconds;
}

double copy_gb_s(std::int64_t bytes_each, int runs) {
  const std::int64_t n = bytes_each / 4;
  const at::Tensor from = at::ones({n}, at::kFloat);
  at::Tensor to = at::zeros({n}, at::kFloat);
  return 8e-9 * static_cast<double>(n) / best_seconds([&] { to.copy_(from); }, runs);
}

}  // namespace

protocol::Ceilings measure_ceilings(std::int64_t last_cache_bytes) {
  const c10::InferenceMode inference;
  protocol::Ceilings c;
  const std::int64_t beyond = std::clamp<std::int64_t>(4 * last_cache_bytes, std::int64_t{64} << 20, std::int64_t{512} << 20);
  c.copy_gb_s = copy_gb_s(beyond, 5);
  c.cache_copy_gb_s = copy_gb_s(std::max<std::int64_t>(last_cache_bytes / 8, 1 << 18), 20);
  at::Tensor big = at::ones({beyond / 4}, at::kFloat);
  const double gigabytes = 4e-9 * static_cast<double>(big.numel());
  c.read_gb_s = gigabytes / best_seconds([&] { (void)big.sum(); }, 5);
  c.write_gb_s = gigabytes / best_seconds([&] { big.fill_(2.0f); }, 5);
  c.f32_gflop_s = gflops(at::kFloat, 1024);
  c.f64_gflop_s = gflops(at::kDouble, 1024);
  return c;
}

namespace {

// Zeros where there is no file, or a damaged one.
protocol::Ceilings kept_in(const std::string& path) {
  const base::Result<std::string> kept = base::read_file(path);
  const nlohmann::json j = kept ? nlohmann::json::parse(*kept, nullptr, false) : nlohmann::json();
  try {
    return j.is_object() ? j.get<protocol::Ceilings>() : protocol::Ceilings{};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

protocol::Ceilings best_of(protocol::Ceilings a, const protocol::Ceilings& b) {
  for (double protocol::Ceilings::*figure : {&protocol::Ceilings::read_gb_s, &protocol::Ceilings::write_gb_s, &protocol::Ceilings::copy_gb_s,
                                             &protocol::Ceilings::cache_copy_gb_s, &protocol::Ceilings::f32_gflop_s, &protocol::Ceilings::f64_gflop_s})
    a.*figure = std::max(a.*figure, b.*figure);
  return a;
}

}  // namespace

base::Result<protocol::Ceilings> ceilings(const protocol::Environment& environment) {
  base::Result<std::string> folder = base::cache_dir();
  if (!folder) return folder.error();
  const std::string machine = environment.cpu + "|" + environment.kernel + "|" + std::to_string(environment.threads) + "|" + std::to_string(environment.cores) + "|" TORCH_VERSION;
  const std::string path = *folder + "/ceilings-" + base::sha256_hex(machine).substr(0, 16) + ".json";
  try {
    const protocol::Ceilings best = best_of(measure_ceilings(environment.l3_bytes), kept_in(path));
    // Not being able to keep them costs only what they would have added next time.
    (void)base::write_file_atomically(path, nlohmann::json(best).dump());
    return best;
  } catch (const std::exception& error) {
    return base::Error{base::ErrorCode::internal, std::string("The machine's ceilings cannot be measured: ") + error.what(), "ceilings"};
  }
}

}  // namespace kw::device
