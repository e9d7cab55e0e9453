#include <set>

#include "core/engine/report/export_text.h"
#include "core/engine/report/text.h"

namespace kw::report {
namespace {

std::string joined(const auto& list) {
  std::string out;
  for (const auto n : list) out += (out.empty() ? "" : ", ") + std::to_string(n);
  return out;
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text)
    if (c != '"' && c != '\\' && static_cast<unsigned char>(c) >= 32) out += c;
  return out + "\"";
}

std::string enumerator(graph::DType dtype) { return dtype == graph::DType::boolean ? "boolean" : std::string(graph::name(dtype)); }

std::string buffer_row(const graph::Graph& task, const plan::Buffer& buffer, std::size_t position, double allowed) {
  constexpr const char* roles[] = {"input", "output", "workspace"};
  std::string what = "any";
  if (buffer.role == plan::BufferRole::input && position < task.inputs.size()) what = domain(task, task.inputs[position]);
  std::int64_t below = 0;
  if (what.rfind("index ", 0) == 0) {
    below = std::stoll(what.substr(6));
    what = "index";
  }
  return "    {" + quoted(buffer.name) + ", Role::" + roles[static_cast<int>(buffer.role)] + ", DType::" + enumerator(buffer.type.dtype) +
         ", {" + joined(buffer.type.sizes) + "}, {" + joined(buffer.type.strides) + "}, Domain::" + what + ", " + std::to_string(below) + ", " + scientific(allowed) + "},\n";
}

// cpu: a function of the program. cuda: a name to look up in what NVRTC made, and its launch.
std::string step_row(const plan::Plan& plan, const plan::Step& step, const std::string& prefix) {
  const std::string buffers = "{" + joined(step.buffers) + "}";
  if (plan.target == "cpu") return "    {" + prefix + step.name + ", " + buffers + "},\n";
  return "    {" + quoted(step.name) + ", " + buffers + ", {" + joined(step.launch.grid) + "}, {" + joined(step.launch.block) + "}, " +
         std::to_string(step.launch.shared_bytes) + "},\n";
}

std::string plan_table(const graph::Graph& task, const plan::Plan& plan, const std::vector<double>& allowed, const std::string& name,
                       const std::string& prefix) {
  std::string declared, steps, buffers;
  for (const auto& step : plan.steps) {
    if (plan.target == "cpu") declared += "extern \"C\" void " + prefix + step.name + "(void* const* buffers);\n";
    steps += step_row(plan, step, prefix);
  }
  std::size_t output = 0;
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const bool compared = plan.buffers[i].role == plan::BufferRole::output && output < allowed.size();
    buffers += buffer_row(task, plan.buffers[i], i, compared ? allowed[output++] : 0);
  }
  return declared + "\nconst Plan " + name + " = {{\n" + buffers + "}, {\n" + steps + "}};\n\n";
}

}  // namespace

std::string plan_tables(const graph::Graph& task, const plan::Plan& candidate, const plan::Plan& reference, const std::vector<double>& allowed) {
  return "// Buffers and steps of the kernel and of the reference. Included by main.cpp after its types.\n"
         "// A buffer: name, role, dtype, sizes, strides, what it may hold, below which number an index lies, and how far\n"
         "// apart kernel and reference may be. A step: its function and the buffers it is given" +
         (candidate.target == "cpu" ? std::string() : ", grid, block, bytes of shared memory") + ".\n\n" +
         plan_table(task, candidate, allowed, "candidate_plan", "") + plan_table(task, reference, allowed, "reference_plan", "reference_");
}

std::string renamed(const plan::Plan& plan, const std::string& prefix) {
  std::string out;
  std::set<std::string> names;
  for (const auto& step : plan.steps)
    if (names.insert(step.name).second) out += "#define " + step.name + " " + prefix + step.name + "\n";
  return out + "\n" + plan.source;
}

}  // namespace kw::report
