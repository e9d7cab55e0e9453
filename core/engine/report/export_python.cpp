#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "core/engine/report/export_text.h"

namespace kw::report {
namespace {

const std::map<graph::DType, const char*> torch_names = {
    {graph::DType::f64, "torch.float64"}, {graph::DType::f32, "torch.float32"},   {graph::DType::f16, "torch.float16"},
    {graph::DType::bf16, "torch.bfloat16"}, {graph::DType::i64, "torch.int64"},   {graph::DType::i32, "torch.int32"},
    {graph::DType::i16, "torch.int16"},   {graph::DType::i8, "torch.int8"},       {graph::DType::u8, "torch.uint8"},
    {graph::DType::boolean, "torch.bool"}, {graph::DType::c64, "torch.complex64"}, {graph::DType::c128, "torch.complex128"},
};

std::string variable(graph::ValueId id) { return id == graph::no_value ? "None" : "v" + std::to_string(id); }

std::string number(double value) {
  if (std::isinf(value)) return value > 0 ? "float('inf')" : "float('-inf')";
  if (std::isnan(value)) return "float('nan')";
  char text[40];
  std::snprintf(text, sizeof(text), "%.17g", value);
  const std::string out = text;
  return out.find_first_of(".en") == std::string::npos ? out + ".0" : out;
}

template <typename List, typename Item>
std::string listed(const List& list, Item item) {
  std::string out = "[";
  for (const auto& element : list) out += (out.size() > 1 ? ", " : "") + item(element);
  return out + "]";
}

std::string memory_format(int value) {
  constexpr const char* names[] = {"torch.contiguous_format", "torch.preserve_format", "torch.channels_last", "torch.channels_last_3d"};
  return value >= 0 && value < 4 ? names[value] : "torch.contiguous_format";
}

// A literal as Python: one overload an alternative of graph::Literal. Tensors are made where the kernel runs.
struct Python {
  std::string device;   // "cpu" or "cuda"
  std::string operator()(const graph::None&) const { return "None"; }
  std::string operator()(const graph::ValueRef& ref) const { return variable(ref.id); }
  std::string operator()(const graph::ValueList& list) const { return listed(list.ids, variable); }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return number(value); }
  std::string operator()(bool value) const { return value ? "True" : "False"; }
  std::string operator()(const std::string& value) const { return nlohmann::json(value).dump(); }
  std::string operator()(const std::vector<graph::IntOrValue>& list) const {
    return listed(list, [](const graph::IntOrValue& i) { return i.id == graph::no_value ? std::to_string(i.literal) : variable(i.id); });
  }
  std::string operator()(const std::vector<double>& list) const { return listed(list, number); }
  std::string operator()(const std::vector<bool>& list) const {
    return listed(list, [](bool b) { return std::string(b ? "True" : "False"); });
  }
  std::string operator()(graph::DType dtype) const { return torch_names.at(dtype); }
  std::string operator()(const graph::LayoutArg&) const { return "torch.strided"; }
  std::string operator()(const graph::MemoryFormatArg& format) const { return memory_format(format.value); }
  std::string operator()(const graph::DeviceArg&) const { return "\"" + device + "\""; }
};

std::string call(const graph::Node& node, const std::string& device) {
  const bool builtin = node.op.rfind("_operator.", 0) == 0;
  std::string arguments;
  for (const graph::Argument& a : node.arguments) {
    arguments += arguments.empty() ? "" : ", ";
    if (!builtin && a.keyword) arguments += a.name + "=";
    arguments += std::visit(Python{device}, a.value);
  }
  return (builtin ? "operator." + node.op.substr(10) : "torch.ops." + node.op) + "(" + arguments + ")";
}

std::string results(const graph::Node& node) {
  std::string out;
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    out += (i > 0 ? ", " : "") + (node.outputs[i] == graph::no_value ? std::string("_") : variable(node.outputs[i]));
  return out;
}

std::string tuple_of(const std::vector<std::int64_t>& numbers) { return nlohmann::json(numbers).dump(); }

// Members of a list value are named when they are first needed.
std::string unpacked(const graph::Graph& task, const graph::Node& node) {
  std::string out;
  for (const graph::ValueId id : node.outputs) {
    if (id == graph::no_value) continue;
    const auto& elements = task.values[id].elements;
    for (std::size_t i = 0; i < elements.size(); ++i)
      if (elements[i] != graph::no_value) out += "        " + variable(elements[i]) + " = " + variable(id) + "[" + std::to_string(i) + "]\n";
  }
  return out;
}

}  // namespace

std::string python_task(const graph::Graph& task, const std::string& device) {
  std::string inputs, parameters, body, outputs;
  for (const graph::ValueId id : task.inputs) {
    const graph::Value& value = task.values[id];
    inputs += "    (" + nlohmann::json(value.name).dump() + ", " + torch_names.at(value.type.dtype) + ", " + tuple_of(value.type.sizes) + ", " +
              tuple_of(value.type.strides) + ", \"" + domain(task, id) + "\"),\n";
    parameters += ", " + variable(id);
  }
  for (const graph::Node& node : task.nodes) {
    if (!node.source.file.empty()) body += "        # " + node.source.file + ":" + std::to_string(node.source.line) + "\n";
    body += "        " + (node.outputs.empty() ? "" : results(node) + " = ") + call(node, device) + "\n" + unpacked(task, node);
  }
  for (const graph::Output& output : task.outputs) outputs += (outputs.empty() ? "" : ", ") + variable(output.value);
  return "\"\"\"The task as PyTorch operators: what the kernel computes, for checking and as a fallback.\"\"\"\n"
         "import operator  # noqa: F401\n\nimport torch\n\n\n"
         "# name, dtype, sizes, strides, what it may hold\nINPUTS = [\n" + inputs + "]\n\n\n"
         "class Task(torch.nn.Module):\n    def forward(self" + parameters + "):\n" + body + "        return " +
         (outputs.empty() ? "None" : outputs) + "\n";
}

}  // namespace kw::report
