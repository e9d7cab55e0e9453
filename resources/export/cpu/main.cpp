// Draws inputs, runs the kernel and the plain reference on them, compares every element, and times the kernel.
// Exit status 0 when all outputs agree. Needs nothing but the files beside it: see build.sh.
#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "checking.h"

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

struct Run {
  std::vector<Bytes> data;
  std::vector<void*> pointers;
};

// Memory for every buffer of a plan, 64-byte aligned; inputs are those of `inputs`.
Run prepare(const Plan& plan, const std::vector<Bytes>& inputs) {
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
  const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;   // optional argument
  const std::vector<Bytes> inputs = draw_inputs(candidate_plan.buffers, seed);
  Run candidate = prepare(candidate_plan, inputs), reference = prepare(reference_plan, inputs);
  execute(candidate_plan, candidate);
  execute(reference_plan, reference);
  collect(candidate_plan, candidate);
  collect(reference_plan, reference);
  const bool right = compare_outputs(candidate_plan.buffers, candidate.data, reference_plan.buffers, reference.data);
  std::printf("kernel %.1f us, plain reference %.1f us (medians of 50 runs, caches warm)\n", median_us(candidate_plan, candidate),
              median_us(reference_plan, reference));
  return right ? 0 : 1;
}
