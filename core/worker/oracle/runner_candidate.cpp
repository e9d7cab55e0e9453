#include "core/worker/oracle/runner_candidate.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using protocol::Verdict;
constexpr double start_timeout_s = 10;

void fill(std::byte* at, std::size_t bytes, graph::DType dtype, Poison poison) {
  const std::uint64_t value = poison_pattern(dtype, poison);
  const auto size = static_cast<std::size_t>(graph::byte_size(dtype));
  std::size_t done = std::min(bytes, size);
  std::memcpy(at, &value, done);   // little-endian: the low bytes are the element
  while (done < bytes) {           // doubling copies
    const std::size_t step = std::min(done, bytes - done);
    std::memcpy(at + done, at, step);
    done += step;
  }
}

// Half of what the machine has: a plan that wants more would push the model itself out.
std::size_t memory_bound() {
  return static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) / 2;
}

std::optional<Rejection> too_big(std::size_t bytes) {
  if (bytes <= memory_bound()) return std::nullopt;
  return rejection(Verdict::out_of_memory, "The plan's outputs and workspace need " + std::to_string(bytes >> 20) + " MiB; at most " +
                                               std::to_string(memory_bound() >> 20) + " MiB are allowed.");
}

}  // namespace

base::Result<Candidate::Made> RunnerCandidate::make(const PreparedTask& task, const plan::Plan& plan, std::string object, std::string runner_program,
                                                    double call_timeout_s) {
  if (auto wrong = misfit(task, plan)) return Made{nullptr, std::move(wrong)};
  std::unique_ptr<RunnerCandidate> candidate(new RunnerCandidate(task, plan, call_timeout_s));
  candidate->object_ = std::move(object);
  candidate->program_ = std::move(runner_program);
  const auto output_bytes = candidate->output_bytes(), workspace_bytes = candidate->workspace_bytes();
  std::size_t total = std::accumulate(output_bytes.begin(), output_bytes.end(), std::size_t{0});
  total = std::accumulate(workspace_bytes.begin(), workspace_bytes.end(), total);
  if (auto refusal = too_big(total)) return Made{nullptr, std::move(refusal)};
  auto outputs = runtime::Arena::create("kw-outputs", output_bytes, false);
  if (!outputs) return outputs.error();
  auto workspace = runtime::Arena::create("kw-workspace", workspace_bytes, false);
  if (!workspace) return workspace.error();
  candidate->outputs_ = std::make_unique<runtime::Arena>(std::move(outputs).value());
  candidate->workspace_ = std::make_unique<runtime::Arena>(std::move(workspace).value());
  return Made{std::move(candidate), std::nullopt};
}

base::Result<std::optional<Rejection>> RunnerCandidate::start() {
  side_.reset();
  runner_.reset();
  RunnerSpec spec{program_, object_, &plan_, {&inputs(), outputs_.get(), workspace_.get()}};
  auto started = RunnerProcess::start(spec, start_timeout_s);
  if (!started) return started.error();
  runner_ = std::move(started->runner);
  return std::move(started->rejection);
}

timer::Side& RunnerCandidate::side() {
  if (!side_) side_.emplace(*runner_, call_timeout_s_);
  return *side_;
}

void RunnerCandidate::poison_workspace(Poison poison) {
  for (std::size_t i = 0; i < workspace_types_.size(); ++i)
    fill(workspace_->data(i), storage_bytes(workspace_types_[i]), workspace_types_[i].dtype, poison);
}

std::optional<Rejection> RunnerCandidate::run(Poison poison, int without_step) {
  for (std::size_t k = 0; k < output_types_.size(); ++k) fill(outputs_->data(k), storage_bytes(output_types_[k]), output_types_[k].dtype, poison);
  poison_workspace(poison);
  const auto command = without_step < 0 ? runtime::Command::run : runtime::Command::run_without;
  if (auto died = runner_->call(command, without_step, call_timeout_s_)) return died;
  if (const int step = runner_->rewritten_step(); step >= 0)
    return rejection(Verdict::cheat, "Step '" + plan_.steps[static_cast<std::size_t>(step)].name + "' rewrote its list of buffers.", "output_alias");
  return check_bands();
}

std::optional<Rejection> RunnerCandidate::check_bands() {
  struct Part { const runtime::Arena* arena; plan::BufferRole role; };
  for (const Part part : {Part{outputs_.get(), plan::BufferRole::output}, Part{workspace_.get(), plan::BufferRole::workspace},
                          Part{&inputs(), plan::BufferRole::input}})
    if (const auto damage = part.arena->damaged_band())
      return out_of_bounds(part.role, damage->segment, damage->offset, part.arena->layout().segments[static_cast<std::size_t>(damage->segment)].data_bytes);
  return std::nullopt;
}

}  // namespace kw::oracle
