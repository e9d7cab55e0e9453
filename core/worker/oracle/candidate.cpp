#include "core/worker/oracle/candidate.h"

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using protocol::Verdict;
constexpr double start_timeout_s = 10;

// NaNs with a payload nobody computes, and integers nobody expects.
struct PoisonRow { graph::DType dtype; std::uint64_t a, b; };
constexpr PoisonRow poisons[] = {
    {graph::DType::f64, 0x7FF8DEADBEEF0001, 0xFFF8BEEFDEAD0002}, {graph::DType::f32, 0x7FC0DEAD, 0xFFC0BEEF},
    {graph::DType::f16, 0x7E5A, 0xFE3C},                         {graph::DType::bf16, 0x7FDA, 0xFFC3},
    {graph::DType::i64, 0x5A5A5A5A5A5A5A5A, 0xA5A5A5A5A5A5A5A5}, {graph::DType::i32, 0x5A5A5A5A, 0xA5A5A5A5},
    {graph::DType::i16, 0x5A5A, 0xA5A5},                         {graph::DType::i8, 0x5A, 0xA5},
    {graph::DType::u8, 0x5A, 0xA5},                              {graph::DType::boolean, 0x5A, 0xA5},
};

std::uint64_t pattern(graph::DType dtype, Poison poison) {
  for (const PoisonRow& row : poisons)
    if (row.dtype == dtype) return poison == Poison::a ? row.a : row.b;
  return 0x5A5A5A5A5A5A5A5A;
}

void fill(std::byte* at, std::size_t bytes, graph::DType dtype, Poison poison) {
  const std::uint64_t value = pattern(dtype, poison);
  const auto size = static_cast<std::size_t>(graph::byte_size(dtype));
  std::size_t done = std::min(bytes, size);
  std::memcpy(at, &value, done);   // little-endian: the low bytes are the element
  while (done < bytes) {           // doubling copies
    const std::size_t step = std::min(done, bytes - done);
    std::memcpy(at + done, at, step);
    done += step;
  }
}

bool same_layout(const graph::TensorType& a, const graph::TensorType& b) {
  if (a.dtype != b.dtype || a.sizes != b.sizes || a.strides.size() != b.strides.size()) return false;
  if (a.elements() == 0) return true;
  for (std::size_t d = 0; d < a.sizes.size(); ++d)
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

// The plan's buffers against the task's: nothing may be shrunk, retyped or left away.
std::optional<Rejection> check_fit(const PreparedTask& task, const plan::Plan& plan) {
  std::size_t input = 0, output = 0;
  for (const plan::Buffer& buffer : plan.buffers) {
    if (buffer.role == plan::BufferRole::workspace) continue;
    const bool is_input = buffer.role == plan::BufferRole::input;
    std::size_t& position = is_input ? input : output;
    const std::size_t count = is_input ? task.facts.types.size() : task.sets[0].outputs.size();
    if (position >= count) return rejection(Verdict::wrong_result, "The plan has more " + std::string(is_input ? "inputs" : "outputs") + " than the task.");
    const graph::TensorType& expected = is_input ? task.facts.types[position] : task.sets[0].outputs[position].type;
    bool fits = same_layout(buffer.type, expected);
    if (!is_input && !fits) fits = same_layout(buffer.type, task.graph.values[static_cast<std::size_t>(task.graph.outputs[position].value)].type) &&
                                   buffer.type.sizes == expected.sizes && buffer.type.dtype == expected.dtype;
    if (!fits)
      return rejection(Verdict::wrong_result, "The plan's buffer '" + buffer.name + "' is " + buffer.type.text() + ", the task's is " + expected.text() + ".");
    ++position;
  }
  if (input != task.facts.types.size() || output != task.sets[0].outputs.size())
    return rejection(Verdict::wrong_result, "The plan has fewer inputs or outputs than the task.");
  return std::nullopt;
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

template <typename Visit>
void each_element(const graph::TensorType& type, const std::byte* first, Visit&& visit) {
  const auto size = static_cast<std::size_t>(graph::byte_size(type.dtype));
  std::vector<std::byte> copy;
  const std::byte* data = first;
  if (!type.contiguous()) {
    copy.resize(static_cast<std::size_t>(type.elements()) * size);
    gather(type, first, copy.data());
    data = copy.data();
  }
  visit(data, static_cast<std::size_t>(type.elements()) * size, size);
}

// A hash for comparing runs of one process, in four chains that do not wait for each other.
std::uint64_t mix(std::uint64_t hash, const std::byte* data, std::size_t bytes) {
  constexpr std::size_t chains = 4, word = sizeof(std::uint64_t);
  const auto step = [](std::uint64_t& chain, std::uint64_t value) {
    chain = (chain ^ value) * 0xFF51AFD7ED558CCD;
    chain ^= chain >> 32;
  };
  std::uint64_t chain[chains] = {hash, hash + 1, hash + 2, hash + 3};
  std::size_t at = 0;
  for (; at + chains * word <= bytes; at += chains * word)
    for (std::size_t c = 0; c < chains; ++c) {
      std::uint64_t value;
      std::memcpy(&value, data + at + c * word, word);
      step(chain[c], value);
    }
  for (; at < bytes; ++at) step(chain[0], static_cast<std::uint64_t>(data[at]));
  for (std::size_t c = 1; c < chains; ++c) step(chain[0], chain[c]);
  step(chain[0], bytes);
  return chain[0];
}

}  // namespace

Rejection rejection(Verdict verdict, std::string summary, std::string kind) {
  Rejection result{verdict, std::move(kind), {}};
  result.evidence.summary = std::move(summary);
  return result;
}

base::Result<Candidate::Made> Candidate::make(const PreparedTask& task, const plan::Plan& plan, std::string object, std::string runner_program,
                                              double call_timeout_s) {
  if (auto misfit = check_fit(task, plan)) return Made{nullptr, std::move(misfit)};
  std::unique_ptr<Candidate> candidate(new Candidate(task, plan));
  candidate->object_ = std::move(object);
  candidate->program_ = std::move(runner_program);
  candidate->call_timeout_s_ = call_timeout_s;
  std::vector<std::size_t> output_bytes, workspace_bytes;
  std::size_t total = 0;
  for (const plan::Buffer& buffer : plan.buffers) {
    if (buffer.role == plan::BufferRole::input) continue;
    const bool output = buffer.role == plan::BufferRole::output;
    (output ? candidate->output_types_ : candidate->workspace_types_).push_back(buffer.type);
    (output ? output_bytes : workspace_bytes).push_back(storage_bytes(buffer.type));
    total += storage_bytes(buffer.type);
  }
  if (auto refusal = too_big(total)) return Made{nullptr, std::move(refusal)};
  auto outputs = runtime::Arena::create("kw-outputs", output_bytes, false);
  if (!outputs) return outputs.error();
  auto workspace = runtime::Arena::create("kw-workspace", workspace_bytes, false);
  if (!workspace) return workspace.error();
  candidate->outputs_ = std::make_unique<runtime::Arena>(std::move(outputs).value());
  candidate->workspace_ = std::make_unique<runtime::Arena>(std::move(workspace).value());
  return Made{std::move(candidate), std::nullopt};
}

base::Result<std::optional<Rejection>> Candidate::start() {
  runner_.reset();
  RunnerSpec spec{program_, object_, &plan_, {task_.live.get(), outputs_.get(), workspace_.get()}};
  auto started = RunnerProcess::start(spec, start_timeout_s);
  if (!started) return started.error();
  runner_ = std::move(started->runner);
  return std::move(started->rejection);
}

void Candidate::poison_workspace(Poison poison) {
  for (std::size_t i = 0; i < workspace_types_.size(); ++i)
    fill(workspace_->data(i), storage_bytes(workspace_types_[i]), workspace_types_[i].dtype, poison);
}

std::optional<Rejection> Candidate::run(Poison poison, int without_step) {
  for (std::size_t k = 0; k < output_types_.size(); ++k) fill(outputs_->data(k), storage_bytes(output_types_[k]), output_types_[k].dtype, poison);
  poison_workspace(poison);
  const auto command = without_step < 0 ? runtime::Command::run : runtime::Command::run_without;
  if (auto died = runner_->call(command, without_step, call_timeout_s_)) return died;
  if (const int step = runner_->rewritten_step(); step >= 0)
    return rejection(Verdict::cheat, "Step '" + plan_.steps[static_cast<std::size_t>(step)].name + "' rewrote its list of buffers.", "output_alias");
  return check_bands();
}

std::optional<Rejection> Candidate::check_bands() const {
  struct Part { const runtime::Arena* arena; plan::BufferRole role; };
  for (const Part part : {Part{outputs_.get(), plan::BufferRole::output}, Part{workspace_.get(), plan::BufferRole::workspace},
                          Part{task_.live.get(), plan::BufferRole::input}}) {
    const auto damage = part.arena->damaged_band();
    if (!damage) continue;
    std::string name;
    int nth = 0;
    for (const plan::Buffer& buffer : plan_.buffers)
      if (buffer.role == part.role && nth++ == damage->segment) name = buffer.name;
    const std::size_t bytes = part.arena->layout().segments[static_cast<std::size_t>(damage->segment)].data_bytes;
    return rejection(Verdict::out_of_bounds, "The candidate wrote at byte " + std::to_string(damage->offset) + " of '" + name + "', which has " +
                                                 std::to_string(bytes) + " bytes.");
  }
  return std::nullopt;
}

std::int64_t Candidate::unwritten(std::size_t k, Poison poison) const {
  const std::uint64_t value = pattern(output_types_[k].dtype, poison);
  std::int64_t count = 0;
  each_element(output_types_[k], outputs_->data(k), [&](const std::byte* data, std::size_t bytes, std::size_t size) {
    for (std::size_t at = 0; at < bytes; at += size) count += std::memcmp(data + at, &value, size) == 0 ? 1 : 0;
  });
  return count;
}

std::uint64_t Candidate::fingerprint() const {
  std::uint64_t hash = 0x9E3779B97F4A7C15;
  for (std::size_t k = 0; k < output_types_.size(); ++k)
    each_element(output_types_[k], outputs_->data(k), [&hash](const std::byte* data, std::size_t bytes, std::size_t) { hash = mix(hash, data, bytes); });
  return hash;
}

bool Candidate::all_nan() const {
  bool floating = false, all = true;
  for (std::size_t k = 0; k < output_types_.size(); ++k) {
    const graph::DType dtype = output_types_[k].dtype;
    if (!graph::is_floating(dtype)) continue;
    floating = true;
    each_element(output_types_[k], outputs_->data(k), [&](const std::byte* data, std::size_t bytes, std::size_t size) {
      for (std::size_t at = 0; all && at < bytes; at += size) all = std::isnan(load_number(dtype, data + at));
    });
  }
  return floating && all;
}

std::int64_t Candidate::workspace_bytes() const {
  std::int64_t sum = 0;
  for (const auto& type : workspace_types_) sum += static_cast<std::int64_t>(storage_bytes(type));
  return sum;
}

}  // namespace kw::oracle
