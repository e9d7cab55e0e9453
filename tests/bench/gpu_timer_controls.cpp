// The controls that prove the timer on a GPU, as a table. Documented command: KW_BIN_DIR/gpu_timer_controls
//
//   same work on both sides                        reads 1.00 within its interval
//   two disjoint cold copies against one           read 0.50 +- 0.02 (each at least 200 us and four times the L2 cache)
//   a calibrated delay added to one slot           is read back
//   swapped slots                                  give the reciprocal
//   three launches against one of the same kernel  the time between launches does not count

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/statistics.h"
#include "core/worker/oracle/gpu.h"
#include "tests/bench/need.h"

namespace {

using namespace kw;
using bench::need;

constexpr double timeout_s = 10;

constexpr const char* source = R"(
extern "C" __global__ void spin(long long ns) {
  unsigned long long start, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(start));
  do asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)); while (now - start < ns);
}
)";

class Controls {
 public:
  Controls() {
    executor_.run([&] {
      gpu_ = need(oracle::Gpu::open());
      const auto nvrtc = need(cuda::Nvrtc::open(cuda::folders_beside_torch()));
      const auto compiled = need(nvrtc->compile(source, "spin.cu", gpu_->facts().arch(), {}));
      if (!compiled.ok) bench::stop({base::ErrorCode::internal, compiled.log, "spin.cu"});
      spin_ = need(need(cuda::Module::from_image(gpu_->context(), compiled.cubin)).function("spin"));
      const auto l2 = static_cast<std::size_t>(gpu_->facts().l2_bytes);
      constexpr std::size_t for_200_us = std::size_t{1} << 30;   // copied at 5 TB/s and less
      bytes_ = std::max(4 * l2, for_200_us);
      for (int i = 0; i < 4; ++i) memory_.push_back(need(cuda::DeviceMemory::allocate(gpu_->context(), bytes_)));
    });
  }

  bool run() {
    std::printf("%s\n%-46s %9s %9s  %6s %-17s %8s %6s %6s\n", gpu_->facts().name.c_str(), "candidate | baseline", "cand. us", "base us", "ratio", "[95 %]", "expected",
                "rounds", "thrown");
    const auto one = [&] { return copy(0); };
    const auto both = [&] { return copy(0) ? copy(2) : copy(0); };
    print("copy | copy", time(one, one), 1, 0.01);
    for (const double us : {4.0, 20.0, 100.0}) {
      const auto spin = [&, us] { return delay(us); };
      print("spin of " + std::to_string(static_cast<int>(us)) + " us | the same", time(spin, spin), 1, 0.01);
    }
    const timer::Timing halved = time(both, one), doubled = time(one, both);
    print("two copies | one copy, disjoint, cold", halved, 0.5, 0.02);
    print("one copy | two copies", doubled, 2, 0.08);
    check("swapped slots: product of the two ratios", halved.against().ratio * doubled.against().ratio, 1, 0.02);
    delays();
    const auto thrice = [&] {
      for (int i = 0; i < 2; ++i)
        if (auto status = delay(20); !status) return status;
      return delay(20);
    };
    print("three launches | one", time(thrice, [&] { return delay(20); }), 1.0 / 3, 0.02);
    executor_.run([&] { memory_.clear(), spin_ = {}; });
    return all_right_;
  }

 private:
  base::Status copy(std::size_t from) { return cuda::copy_on_device(gpu_->stream(), memory_[from + 1].get(), memory_[from].get(), bytes_); }

  base::Status delay(double us) {
    long long ns = std::llround(us * 1e3);
    void* arguments[] = {&ns};
    return spin_->launch({1, 1, 1}, {1, 1, 1}, 0, gpu_->stream(), arguments);
  }

  // What is read back must be what the same kernel takes when it is timed alone.
  void delays() {
    for (const double us : {5.0, 20.0, 100.0}) {
      const timer::Timing alone = time([&] { return delay(us); }, [&] { return delay(us); });
      const timer::Timing t = time([&] { return copy(0) ? delay(us) : copy(0); }, [&] { return copy(0); });
      char name[80];
      std::snprintf(name, sizeof name, "delay of %.0f us, %.1f alone: read back", us, alone.candidate.median_us);
      check(name, t.candidate.median_us - t.against().median_us, alone.candidate.median_us, 2.5);
    }
  }

  timer::Timing time(std::function<base::Status()> candidate, std::function<base::Status()> baseline) {
    const auto flush = [&] { (void)gpu_->flush_cache(); };
    oracle::GpuSide a(*gpu_, executor_, std::move(candidate), flush, timeout_s), b(*gpu_, executor_, std::move(baseline), flush, timeout_s);
    timer::Hooks hooks;
    hooks.write_inputs = [](int) {};
    timer::Options options;
    options.precision = 0.005;
    options.min_rounds = 40;
    options.max_s = 3;
    options.beaten_below = 0;
    options.seed = static_cast<std::uint64_t>(base::now_s() * 1e9);
    return need(timer::time_rounds(a, {&b}, hooks, options, {}));
  }

  void print(const std::string& name, const timer::Timing& t, double expected, double allowed) {
    const timer::BaselineTiming& b = t.against();
    const bool inside = expected >= b.ratio_ci95.low && expected <= b.ratio_ci95.high;
    const bool right = !t.busy && (inside || std::fabs(b.ratio - expected) <= allowed);
    all_right_ = all_right_ && right;
    std::printf("%-46s %9.2f %9.2f  %6.3f [%6.3f, %6.3f] %8.3f %6d %6d  %s\n", name.c_str(), t.candidate.median_us, b.median_us, b.ratio, b.ratio_ci95.low,
                b.ratio_ci95.high, expected, t.rounds, t.discarded, t.busy ? "busy" : right ? "ok" : "OFF");
  }

  void check(const std::string& name, double value, double expected, double allowed) {
    const bool right = std::fabs(value - expected) <= allowed;
    all_right_ = all_right_ && right;
    std::printf("%-46s %9.3f %36s %8.3f %13s  %s\n", name.c_str(), value, "", expected, "", right ? "ok" : "OFF");
  }

  timer::ExecutorThread executor_;
  std::shared_ptr<oracle::Gpu> gpu_;
  std::optional<cuda::Function> spin_;
  std::vector<cuda::DeviceMemory> memory_;
  std::size_t bytes_ = 0;
  bool all_right_ = true;
};

}  // namespace

int main() { return Controls().run() ? 0 : 1; }
