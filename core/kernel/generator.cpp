#include "core/kernel/generator.h"

#include <algorithm>
#include <map>

#include "core/base/hash.h"
#include "core/kernel/emit/cpp.h"
#include "core/kernel/emit/cuda.h"
#include "core/kernel/recipe/traffic.h"

namespace kw::kernel {
namespace {

std::string hash_of(const Lowered& lowered, const Limits& limits) {
  std::string all = limits.target + "|" + (limits.target == "cuda" ? cuda_emitter_version : emitter_version);
  for (const LoopNest& nest : lowered.nests) {
    all += "|" + structural_hash(nest);
    for (const NestBuffer& buffer : nest.buffers) all += "," + std::to_string(buffer.plan_buffer);
  }
  return base::sha256_hex(all);
}

std::string shape(const NestBuffer& buffer) { return buffer.name + " " + std::string(graph::name(buffer.type)) + "[" + std::to_string(buffer.elements) + "]"; }

// What a reader of the source should know before the first line of the kernel.
std::string head_comment(const LoopNest& nest, const Program& program, const Recipe& recipe) {
  std::string operators;
  for (const Definition& d : program.definitions)
    if (!d.op.empty() && operators.find(d.op) == std::string::npos) operators += (operators.empty() ? "" : ", ") + d.op;
  const Traffic traffic = traffic_of(nest);
  std::string buffers;
  for (const NestBuffer& buffer : nest.buffers)
    buffers += (buffers.empty() ? "" : ", ") + shape(buffer) + (buffer.space == Space::tile ? " (tile)" : buffer.space == Space::own ? " (registers)" : "");
  return "task: " + operators + "\nrecipe: " + text(recipe) + "\nbuffers: " + buffers + "\nexpected traffic: reads " +
         std::to_string(traffic.read_bytes) + " bytes, writes " + std::to_string(traffic.written_bytes) + " bytes";
}

void name_kernels(Lowered& lowered, const std::string& hash) {
  for (std::size_t k = 0; k < lowered.nests.size(); ++k) lowered.nests[k].name = "kw_" + hash.substr(0, 12) + "_" + std::to_string(k);
}

plan::Step step_of(const LoopNest& nest) {
  plan::Step step;
  step.kind = plan::StepKind::kernel;
  step.name = nest.name;
  step.generated = true;
  for (const NestBuffer& buffer : nest.buffers)
    if (buffer.space == Space::global) step.buffers.push_back(buffer.plan_buffer);
  return step;
}

}  // namespace

base::Result<Generated> generate(const Program& program, const Recipe& recipe, const Limits& limits) {
  const bool cuda = limits.target == "cuda";
  base::Result<Lowered> lowered = lower(program, recipe, limits);
  if (!lowered) return lowered.error();
  Generated out;
  out.lowered = std::move(*lowered);
  out.structural_hash = hash_of(out.lowered, limits);
  name_kernels(out.lowered, out.structural_hash);
  out.plan.target = limits.target;
  out.plan.generator = generator_version;
  out.plan.buffers = out.lowered.buffers;
  for (LoopNest& nest : out.lowered.nests) {
    nest.comment = head_comment(nest, program, recipe);
    out.plan.steps.push_back(step_of(nest));
    if (cuda) out.plan.steps.back().launch = launch_of(nest);
    out.plan.threads = std::max(out.plan.threads, nest.threads);
    const Traffic traffic = traffic_of(nest);
    out.traffic_bytes += traffic.read_bytes + traffic.written_bytes;
  }
  out.plan.source = cuda ? emit_cuda(out.lowered.nests) : emit_cpp(out.lowered.nests);
  return out;
}

}  // namespace kw::kernel
