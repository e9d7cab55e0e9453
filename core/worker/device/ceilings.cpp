#include "core/worker/device/ceilings.h"

#include <algorithm>
#include <functional>

#include "core/base/clock.h"
#include "core/base/hash.h"
#include "core/base/paths.h"
#include "core/worker/device/torch_cuda.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <torch/version.h>

namespace kw::device {

namespace {

// Where the figures are taken. On a GPU the work of a run is queued several times, or starting it would count.
struct Place {
  at::Device device;
  int repeats = 1;
  at::TensorOptions options(at::ScalarType type) const { return at::TensorOptions(type).device(device); }
};

// The fastest of several runs: a ceiling is what can be reached.
double best_seconds(const Place& place, const std::function<void()>& work, int runs) {
  const auto run = [&] {
    for (int i = 0; i < place.repeats; ++i) work();
    if (place.device.is_cuda()) device::synchronize();
  };
  run();
  double best = 1e9;
  for (int i = 0; i < runs; ++i) {
    const double start = base::now_s();
    run();
    best = std::min(best, base::now_s() - start);
  }
  return best / place.repeats;
}

double gflops(const Place& place, at::ScalarType type, std::int64_t n) {
  const at::Tensor a = at::rand({n, n}, place.options(type)), b = at::rand({n, n}, place.options(type));
  at::Tensor c = at::empty({n, n}, place.options(type));
  const double seconds = best_seconds(place, [&] { at::mm_out(c, a, b); }, 5);
  return 2e-9 * static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(n) / seconds;
}

double copy_gb_s(const Place& place, std::int64_t bytes_each, int runs) {
  const std::int64_t n = bytes_each / 4;
  const at::Tensor from = at::ones({n}, place.options(at::kFloat));
  at::Tensor to = at::zeros({n}, place.options(at::kFloat));
  return 8e-9 * static_cast<double>(n) / best_seconds(place, [&] { to.copy_(from); }, runs);
}

protocol::Ceilings measure(const Place& place, std::int64_t last_cache_bytes, std::int64_t beyond, std::int64_t matrix) {
  const c10::InferenceMode inference;
  protocol::Ceilings c;
  c.copy_gb_s = copy_gb_s(place, beyond, 5);
  c.cache_copy_gb_s = copy_gb_s(place, std::max<std::int64_t>(last_cache_bytes / 8, 1 << 18), 20);
  at::Tensor big = at::ones({beyond / 4}, place.options(at::kFloat));
  const double gigabytes = 4e-9 * static_cast<double>(big.numel());
  c.read_gb_s = gigabytes / best_seconds(place, [&] { (void)big.sum(); }, 5);
  c.write_gb_s = gigabytes / best_seconds(place, [&] { big.fill_(2.0f); }, 5);
  c.f32_gflop_s = gflops(place, at::kFloat, matrix);
  c.f64_gflop_s = gflops(place, at::kDouble, matrix);
  return c;
}

}  // namespace

protocol::Ceilings measure_ceilings(std::int64_t last_cache_bytes) {
  const std::int64_t beyond = std::clamp<std::int64_t>(4 * last_cache_bytes, std::int64_t{64} << 20, std::int64_t{512} << 20);
  return measure({at::Device(at::kCPU)}, last_cache_bytes, beyond, 1024);
}

protocol::Ceilings measure_gpu_ceilings(std::int64_t l2_bytes) {
  return measure({at::Device(at::kCUDA, 0), 16}, l2_bytes, std::int64_t{1} << 30, 4096);
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
  const bool gpu = environment.target == "cuda";
  const std::string machine = gpu ? environment.gpu_uuid + "|" + std::to_string(environment.driver_version) + "|" TORCH_VERSION : environment.cpu + "|" + environment.kernel + "|" + std::to_string(environment.threads) + "|" + std::to_string(environment.cores) + "|" TORCH_VERSION;
  const std::string path = *folder + "/ceilings-" + base::sha256_hex(machine).substr(0, 16) + ".json";
  try {
    const protocol::Ceilings best = best_of(gpu ? measure_gpu_ceilings(environment.l2_bytes) : measure_ceilings(environment.l3_bytes), kept_in(path));
    // Not being able to keep them costs only what they would have added next time.
    (void)base::write_file_atomically(path, nlohmann::json(best).dump());
    return best;
  } catch (const std::exception& error) {
    return base::Error{base::ErrorCode::internal, std::string("The machine's ceilings cannot be measured: ") + error.what(), "ceilings"};
  }
}

}  // namespace kw::device
