// The text of programs, and removal of what no output needs.
#include <algorithm>

#include "core/kernel/definition/definition.h"

namespace kw::kernel {
namespace {

std::string join(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::vector<std::string> variable_names(std::size_t domain, std::size_t reduce) {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < domain; ++k) names.push_back("i" + std::to_string(k));
  for (std::size_t k = 0; k < reduce; ++k) names.push_back("r" + std::to_string(k));
  return names;
}

std::string head(const Definition& d, const Tensor& tensor, const std::vector<std::string>& variables) {
  std::vector<std::string> axes;
  for (std::size_t k = 0; k < d.domain.size(); ++k) axes.push_back(variables[k] + "<" + std::to_string(d.domain[k]));
  std::string line = d.name + "[" + join(axes) + "]: " + std::string(graph::name(tensor.type.dtype));
  if (tensor.outputs.empty()) return line;
  if (tensor.type.strides != graph::contiguous_strides(tensor.type.sizes)) {
    std::vector<std::string> strides;
    for (const std::int64_t s : tensor.type.strides) strides.push_back(std::to_string(s));
    line += " strides (" + join(strides) + ")";
  }
  for (const int k : tensor.outputs) line += " -> output " + std::to_string(k);
  return line;
}

std::string body_text(const Definition& d, const std::vector<std::string>& sources, const std::vector<std::string>& variables) {
  std::vector<std::string> bodies;
  for (const Expr& e : d.body) bodies.push_back(text(e, sources, variables));
  if (d.combiner == Combiner::none) return join(bodies);
  std::vector<std::string> axes;
  for (std::size_t k = 0; k < d.reduce.size(); ++k)
    axes.push_back(variables[d.domain.size() + k] + "<" + std::to_string(d.reduce[k]));
  return std::string(name(d.combiner)) + "[" + join(axes) + "] " + join(bodies);
}

std::vector<char> live_tensors(const Program& program) {
  std::vector<char> live(program.tensors.size(), 0);
  for (const int t : program.inputs) live[static_cast<std::size_t>(t)] = 1;
  for (const int t : program.outputs) live[static_cast<std::size_t>(t)] = 1;
  for (std::size_t k = program.definitions.size(); k-- > 0;) {   // consumers stand after producers
    const Definition& d = program.definitions[k];
    if (!live[static_cast<std::size_t>(d.tensor)]) continue;
    for (const Expr& e : d.body)
      for (const Expression* r : reads(e)) live[static_cast<std::size_t>(r->source)] = 1;
  }
  return live;
}

Expr renumbered(const Expr& e, const std::vector<int>& position) {
  return replace_reads(e, [&](const Expression& r) -> Expr {
    auto copy = std::make_shared<Expression>(r);
    copy->source = position[static_cast<std::size_t>(r.source)];
    return copy;
  });
}

}  // namespace

const char* name(Combiner combiner) {
  static constexpr const char* names[] = {"none", "sum", "product", "max", "min", "argmax", "argmin", "any", "all",
                                          "moments", "max_sum_exp"};
  static_assert(sizeof(names) / sizeof(*names) == static_cast<std::size_t>(Combiner::max_sum_exp) + 1);
  return names[static_cast<std::size_t>(combiner)];
}

std::string text(const Program& program) {
  std::vector<std::string> sources;
  for (const Tensor& t : program.tensors) sources.push_back(t.name);
  std::string out;
  for (const int t : program.inputs) {
    const Tensor& tensor = program.tensors[static_cast<std::size_t>(t)];
    out += "input " + tensor.name + ": " + tensor.type.text() + "\n";
  }
  for (const Definition& d : program.definitions) {
    const auto variables = variable_names(d.domain.size(), d.reduce.size());
    out += head(d, program.tensors[static_cast<std::size_t>(d.tensor)], variables) + " = " + body_text(d, sources, variables) + "\n";
  }
  return out;
}

Program remove_dead_definitions(const Program& program) {
  const std::vector<char> live = live_tensors(program);
  Program result;
  std::vector<int> position(program.tensors.size(), -1);
  for (std::size_t t = 0; t < program.tensors.size(); ++t) {
    if (!live[t]) continue;
    position[t] = static_cast<int>(result.tensors.size());
    result.tensors.push_back(program.tensors[t]);
  }
  for (const Definition& d : program.definitions) {
    if (!live[static_cast<std::size_t>(d.tensor)]) continue;
    Definition kept = d;
    kept.tensor = position[static_cast<std::size_t>(d.tensor)];
    for (Expr& e : kept.body) e = renumbered(e, position);
    result.tensors[static_cast<std::size_t>(kept.tensor)].definition = static_cast<int>(result.definitions.size());
    result.definitions.push_back(std::move(kept));
  }
  for (const int t : program.inputs) result.inputs.push_back(position[static_cast<std::size_t>(t)]);
  for (const int t : program.outputs) result.outputs.push_back(position[static_cast<std::size_t>(t)]);
  result.output_types = program.output_types;
  return result;
}

}  // namespace kw::kernel
