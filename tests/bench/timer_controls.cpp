// The controls that prove the timer, as a table. Documented command: KW_BIN_DIR/timer_controls
//
//   same work on both sides                      reads 1.00 within its interval
//   two copies of the work on cold buffers       read 0.50 +- 0.02
//   a calibrated delay added to one slot         is read back
//   swapped slots                                give the reciprocal
//
// Sides: "thread" is the executor thread that runs the baseline, "runner" a kernelwright-runner with the object of a candidate.

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "core/base/clock.h"
#include "core/base/paths.h"
#include "core/worker/build/builder.h"
#include "core/worker/oracle/runner_process.h"
#include "core/worker/runtime/loaded_plan.h"
#include "core/worker/runtime/pool.h"
#include "core/worker/timer/environment.h"
#include "core/worker/timer/executor_thread.h"
#include "core/worker/timer/paired.h"
#include "tests/bench/need.h"

namespace {

using namespace kw;
using bench::need, bench::stop;

void spin_us(double us) {
  for (const double end = base::now_s() + us * 1e-6; base::now_s() < end;) {}
}

class ThreadSide : public timer::Side {
 public:
  ThreadSide(timer::ExecutorThread& executor, std::function<void()> work) : executor_(executor), work_(std::move(work)) {}
  base::Status get_ready() override {
    timer::settle();
    executor_.run([] { runtime::wake_pool(2); });
    return base::done();
  }
  base::Result<double> call_us() override {
    return executor_.timed_us(work_);
  }
  base::Result<double> null_us() override {
    return executor_.timed_us([] {});
  }

 private:
  timer::ExecutorThread& executor_;
  std::function<void()> work_;
};

// y = 2 x + 1 on `count` floats with two threads: the work of every control.
plan::Plan scale_plan(std::int64_t count) {
  plan::Plan plan;
  plan.target = "cpu";
  plan.threads = 2;
  const graph::TensorType type{graph::DType::f32, {count}, {1}};
  plan.buffers = {{"x", plan::BufferRole::input, type}, {"y", plan::BufferRole::output, type}};
  plan::Step step;
  step.name = "kernel";
  step.buffers = {0, 1};
  plan.steps = {step};
  plan.source = "extern \"C\" void kernel(void* const* b) {\n  const float* x = (const float*)b[0];\n  float* y = (float*)b[1];\n"
                "#pragma omp parallel for num_threads(2)\n  for (long i = 0; i < " + std::to_string(count) + "; ++i) y[i] = 2 * x[i] + 1;\n}\n";
  return plan;
}

// One work of `count` floats with its object, its buffers, and both ways to run it.
struct Work {
  plan::Plan plan;
  std::string object;
  std::optional<runtime::Arena> input, output, none;
  std::optional<runtime::LoadedPlan> loaded;
  std::vector<float> values;

  oracle::RunnerSpec spec(const std::string& program) const { return {program, object, &plan, {&*input, &*output, &*none}}; }
  void run() const {
    void* buffers[] = {input->data(0), output->data(0)};
    loaded->run(buffers);
  }
  void write() const { std::memcpy(input->data(0), values.data(), values.size() * sizeof(float)); }
};

Work make_work(build::Builder& builder, std::int64_t count) {
  Work work;
  work.plan = scale_plan(count);
  const auto built = need(builder.build(work.plan, {}));
  if (built.object.empty()) stop({base::ErrorCode::internal, built.evidence.summary, built.evidence.detail});
  work.object = built.object;
  const auto bytes = static_cast<std::size_t>(count) * sizeof(float);
  work.input = need(runtime::Arena::create("x", {bytes}, true));
  work.output = need(runtime::Arena::create("y", {bytes}, false));
  work.none = need(runtime::Arena::create("w", {}, false));
  work.loaded = need(runtime::LoadedPlan::load(work.object, work.plan));
  work.values.assign(static_cast<std::size_t>(count), 0.5f);
  return work;
}

std::unique_ptr<oracle::RunnerProcess> start(const Work& work, const std::string& program) {
  auto started = need(oracle::RunnerProcess::start(work.spec(program), 10));
  if (started.rejection) stop({base::ErrorCode::lost, started.rejection->evidence.summary, "runner"});
  return std::move(started.runner);
}

bool all_right = true;

void print(const char* name, const timer::Timing& t, double expected, double allowed) {
  const timer::BaselineTiming& b = t.against();
  const bool inside = expected >= b.ratio_ci95.low - 1e-9 && expected <= b.ratio_ci95.high + 1e-9;
  const bool right = !t.busy && (inside || std::fabs(b.ratio - expected) <= allowed);
  all_right = all_right && right;
  std::printf("%-46s %9.1f %9.1f  %6.3f [%6.3f, %6.3f] %8.3f %7.1f %7.1f %6d %6d  %s\n", name, t.candidate.median_us, b.median_us, b.ratio,
              b.ratio_ci95.low, b.ratio_ci95.high, expected, t.candidate.null_us, b.null_us, t.rounds, t.discarded,
              t.busy ? "busy" : right ? "ok" : "OFF");
}

timer::Timing pair(timer::Side& candidate, timer::Side& baseline, const std::function<void()>& write, pid_t runner = 0) {
  timer::Hooks hooks;
  hooks.write_inputs = [&](int) { write(); };
  timer::Options options;
  options.precision = 0.01;
  options.min_rounds = 40;
  options.max_s = 5;
  options.beaten_below = 0;
  options.seed = static_cast<std::uint64_t>(base::now_s() * 1e9);
  options.runner = runner;
  return need(timer::time_rounds(candidate, {&baseline}, hooks, options, {}));
}

void controls_of_one_size(build::Builder& builder, timer::ExecutorThread& executor, const std::string& program, std::int64_t count) {
  const Work work = make_work(builder, count);
  const auto write = [&] { work.write(); };
  char name[80];
  const auto named = [&](const char* what) {
    std::snprintf(name, sizeof name, "%s, %lld KiB", what, static_cast<long long>(count * 4 / 1024));
    return name;
  };
  ThreadSide thread(executor, [&] { work.run(); }), again(executor, [&] { work.run(); });
  print(named("thread | thread"), pair(thread, again, write), 1, 0.01);
  const auto runner = start(work, program);
  oracle::RunnerSide side(*runner, 5);
  print(named("runner | thread, the same object"), pair(side, thread, write, runner->pid()), 1, 0.03);
  print(named("thread | runner, the same object"), pair(thread, side, write, runner->pid()), 1, 0.03);
}

// Each copy has buffers of its own, and a third one drives both from the caches: the one that was written last would be warm.
// It is read, not written: lines that the call has to write back first would cost both sides the same, and the ratio read 0.52.
void two_copies(build::Builder& builder, timer::ExecutorThread& executor) {
  const Work first = make_work(builder, 16 << 20), second = make_work(builder, 16 << 20);
  const std::vector<float> other(first.values.size() * 2, 0.5f);
  const auto write = [&] {
    first.write(), second.write();
    volatile float sum = std::accumulate(other.begin(), other.end(), 0.0f);
    (void)sum;
  };
  ThreadSide one(executor, [&] { first.run(); }), two(executor, [&] { first.run(), second.run(); });
  print("two copies | one copy, cold, 64 MiB each", pair(two, one, write), 0.5, 0.02);
  print("one copy | two copies, cold, 64 MiB each", pair(one, two, write), 2, 0.08);
}

void delays(build::Builder& builder, timer::ExecutorThread& executor) {
  const Work work = make_work(builder, 128 << 10);
  const auto write = [&] { work.write(); };
  ThreadSide plain(executor, [&] { work.run(); });
  for (double delay : {5.0, 20.0, 100.0}) {
    ThreadSide delayed(executor, [&work, delay] {
      work.run();
      spin_us(delay);
    });
    const timer::Timing t = pair(delayed, plain, write);
    const double read = t.candidate.median_us - t.against().median_us;
    char name[80];
    std::snprintf(name, sizeof name, "delay of %.0f us: %.1f us read back", delay, read);
    print(name, t, t.against().median_us / (t.against().median_us + delay), 0.03);
  }
}

}  // namespace

int main(int, char** argv) {
  timer::ensure_openmp_settings(argv);
  timer::keep_freed_memory();
  const std::string program = base::executable_dir() + "/kernelwright-runner";
  build::BuildGate gate;
  build::BuilderOptions options;
  options.folder = need(base::cache_dir()) + "/objects";
  const auto builder = need(build::Builder::create(options, gate));
  timer::ExecutorThread executor;
  executor.run([] { runtime::start_pool(2); });
  std::printf("%-46s %9s %9s  %6s %-17s %8s %7s %7s %6s %6s\n", "candidate | baseline", "cand. us", "base us", "ratio", "[95 %]", "expected", "null c", "null b",
              "rounds", "thrown");
  for (std::int64_t count : {64 << 10, 256 << 10, 4 << 20}) controls_of_one_size(*builder, executor, program, count);
  two_copies(*builder, executor);
  delays(*builder, executor);
  return all_right ? 0 : 1;
}
