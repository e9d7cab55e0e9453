#include "core/worker/oracle/candidate.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/worker/oracle/chunks.h"
#include "core/worker/oracle/element.h"

namespace kw::oracle {
namespace {

using protocol::Verdict;

// NaNs with a payload nobody computes, and integers nobody expects.
struct PoisonRow { graph::DType dtype; std::uint64_t a, b; };
constexpr PoisonRow poisons[] = {
    {graph::DType::f64, 0x7FF8DEADBEEF0001, 0xFFF8BEEFDEAD0002}, {graph::DType::f32, 0x7FC0DEAD, 0xFFC0BEEF},
    {graph::DType::f16, 0x7E5A, 0xFE3C},                         {graph::DType::bf16, 0x7FDA, 0xFFC3},
    {graph::DType::i64, 0x5A5A5A5A5A5A5A5A, 0xA5A5A5A5A5A5A5A5}, {graph::DType::i32, 0x5A5A5A5A, 0xA5A5A5A5},
    {graph::DType::i16, 0x5A5A, 0xA5A5},                         {graph::DType::i8, 0x5A, 0xA5},
    {graph::DType::u8, 0x5A, 0xA5},                              {graph::DType::boolean, 0x5A, 0xA5},
};

bool same_layout(const graph::TensorType& a, const graph::TensorType& b) {
  if (a.dtype != b.dtype || a.sizes != b.sizes || a.strides.size() != b.strides.size()) return false;
  if (a.elements() == 0) return true;
  for (std::size_t d = 0; d < a.sizes.size(); ++d)
    if (a.sizes[d] > 1 && a.strides[d] != b.strides[d]) return false;
  return true;
}

std::vector<std::size_t> bytes_of(const std::vector<graph::TensorType>& types) {
  std::vector<std::size_t> bytes;
  for (const auto& type : types) bytes.push_back(storage_bytes(type));
  return bytes;
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

std::uint64_t poison_pattern(graph::DType dtype, Poison poison) {
  for (const PoisonRow& row : poisons)
    if (row.dtype == dtype) return poison == Poison::a ? row.a : row.b;
  return 0x5A5A5A5A5A5A5A5A;
}

// The plan's buffers against the task's: nothing may be shrunk, retyped or left away.
std::optional<Rejection> misfit(const PreparedTask& task, const plan::Plan& plan) {
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

Rejection rejection(Verdict verdict, std::string summary, std::string kind) {
  Rejection result{verdict, std::move(kind), {}};
  result.evidence.summary = std::move(summary);
  return result;
}

Candidate::Candidate(const PreparedTask& task, const plan::Plan& plan, double call_timeout_s) : task_(task), plan_(plan), call_timeout_s_(call_timeout_s) {
  for (const plan::Buffer& buffer : plan.buffers) {
    if (buffer.role == plan::BufferRole::output) output_types_.push_back(buffer.type);
    if (buffer.role == plan::BufferRole::workspace) workspace_types_.push_back(buffer.type);
  }
}

std::vector<std::size_t> Candidate::output_bytes() const { return bytes_of(output_types_); }
std::vector<std::size_t> Candidate::workspace_bytes() const { return bytes_of(workspace_types_); }

Rejection Candidate::out_of_bounds(plan::BufferRole role, int nth, std::int64_t offset, std::size_t bytes) const {
  std::string name;
  int seen = 0;
  for (const plan::Buffer& buffer : plan_.buffers)
    if (buffer.role == role && seen++ == nth) name = buffer.name;
  return rejection(Verdict::out_of_bounds, "The candidate wrote at byte " + std::to_string(offset) + " of '" + name + "', which has " + std::to_string(bytes) + " bytes.");
}

Comparison Candidate::compare_with(const JudgedSet& set, std::size_t k) const {
  return compare(set.outputs[k], output_types_[k], output(k), static_cast<int>(k));
}

bool Candidate::agrees_with_baseline(std::size_t k, const OutputTruth& like) const {
  return agrees(task_.baseline->output(k), like, output_types_[k], output(k));
}

std::int64_t Candidate::unwritten(std::size_t k, Poison poison) const {
  const std::uint64_t value = poison_pattern(output_types_[k].dtype, poison);
  std::int64_t count = 0;
  each_element(output_types_[k], output(k), [&](const std::byte* data, std::size_t bytes, std::size_t size) {
    for (std::size_t at = 0; at < bytes; at += size) count += std::memcmp(data + at, &value, size) == 0 ? 1 : 0;
  });
  return count;
}

std::uint64_t Candidate::fingerprint() const {
  std::uint64_t hash = 0x9E3779B97F4A7C15;
  for (std::size_t k = 0; k < output_types_.size(); ++k)
    each_element(output_types_[k], output(k), [&hash](const std::byte* data, std::size_t bytes, std::size_t) {
      for (const std::uint64_t part : each_chunk<std::uint64_t>(bytes, [&](std::size_t begin, std::size_t end) { return mix(begin, data + begin, end - begin); }))
        hash = mix(hash, reinterpret_cast<const std::byte*>(&part), sizeof part);
    });
  return hash;
}

bool Candidate::all_nan() const {
  bool floating = false, all = true;
  for (std::size_t k = 0; k < output_types_.size(); ++k) {
    const graph::DType dtype = output_types_[k].dtype;
    if (!graph::is_floating(dtype)) continue;
    floating = true;
    each_element(output_types_[k], output(k), [&](const std::byte* data, std::size_t bytes, std::size_t size) {
      for (std::size_t at = 0; all && at < bytes; at += size) all = std::isnan(load_number(dtype, data + at));
    });
  }
  return floating && all;
}

}  // namespace kw::oracle
