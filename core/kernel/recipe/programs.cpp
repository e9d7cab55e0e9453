#include "core/kernel/recipe/programs.h"

#include <algorithm>
#include <unordered_map>

#include "core/kernel/recipe/expressions.h"

namespace kw::kernel::lowering {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t total = 1;
  for (const std::int64_t size : sizes) total *= size;
  return total;
}

std::int64_t points(const Definition& d) { return product(d.domain) * product(d.reduce); }

std::vector<std::int64_t> extents(const Definition& d) {
  std::vector<std::int64_t> all = d.domain;
  all.insert(all.end(), d.reduce.begin(), d.reduce.end());
  return all;
}

bool is_reduction(const Definition& d) { return d.combiner != Combiner::none; }

int add_tensor(Program& program, const std::string& name, DType storage, const std::vector<std::int64_t>& sizes) {
  Tensor tensor;
  tensor.name = name;
  tensor.type = {storage, sizes, graph::contiguous_strides(sizes)};
  program.tensors.push_back(std::move(tensor));
  return static_cast<int>(program.tensors.size()) - 1;
}

void renumber(Program& program) {
  for (Tensor& tensor : program.tensors) tensor.definition = -1;
  for (std::size_t d = 0; d < program.definitions.size(); ++d)
    program.tensors[static_cast<std::size_t>(program.definitions[d].tensor)].definition = static_cast<int>(d);
}

void insert(Program& program, std::size_t position, Definition definition) {
  program.definitions.insert(program.definitions.begin() + static_cast<std::ptrdiff_t>(position), std::move(definition));
  renumber(program);
}

void drop_dead(Program& program) {
  std::vector<bool> needed(program.tensors.size(), false);
  for (const int output : program.outputs) needed[static_cast<std::size_t>(output)] = true;
  for (std::size_t d = program.definitions.size(); d-- > 0;) {
    const Definition& definition = program.definitions[d];
    if (!needed[static_cast<std::size_t>(definition.tensor)]) continue;
    for (const Expr& body : definition.body)
      for (const Expression* read : distinct_reads(body)) needed[static_cast<std::size_t>(read->source)] = true;
  }
  std::erase_if(program.definitions, [&](const Definition& d) { return !needed[static_cast<std::size_t>(d.tensor)]; });
  renumber(program);
}

void copy_passed_inputs(Program& program) {
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const auto source = static_cast<std::size_t>(program.outputs[k]);
    if (program.tensors[source].definition >= 0) continue;
    const graph::TensorType type = program.tensors[source].type;
    std::erase(program.tensors[source].outputs, static_cast<int>(k));
    Definition copy;
    copy.name = program.tensors[source].name + ".copy";
    copy.op = "copy";
    copy.domain = type.sizes;
    std::vector<Index> maps;
    for (std::size_t v = 0; v < type.sizes.size(); ++v) maps.push_back(variable(static_cast<int>(v)));
    copy.body = {read(static_cast<int>(source), std::move(maps), type.dtype)};
    copy.tensor = add_tensor(program, copy.name, type.dtype, type.sizes);
    program.tensors[static_cast<std::size_t>(copy.tensor)].type = program.output_types[k];
    program.tensors[static_cast<std::size_t>(copy.tensor)].outputs = {static_cast<int>(k)};
    program.outputs[k] = copy.tensor;
    insert(program, program.definitions.size(), std::move(copy));
  }
}

std::int64_t evaluations(const Definition& d, int source) {
  const std::vector<std::int64_t> sizes = extents(d);
  std::vector<std::pair<const Expression*, std::int64_t>> seen;
  for (const Expr& body : d.body)
    for (const Expression* read : distinct_reads(body)) {
      if (read->source != source) continue;
      const bool repeated = std::any_of(seen.begin(), seen.end(), [read](const auto& s) {
        return s.first->component == read->component && s.first->maps == read->maps;
      });
      if (repeated) continue;
      std::int64_t count = 1;
      for (std::size_t v = 0; v < sizes.size(); ++v)
        if (std::any_of(read->maps.begin(), read->maps.end(), [v](const Index& m) { return depends_on(m, static_cast<int>(v)); }))
          count *= sizes[v];
      seen.emplace_back(read, count);
    }
  std::int64_t total = 0;
  for (const auto& [read, count] : seen) total += count;
  return total;
}

double work_per_point(const Definition& d) {
  const std::vector<std::int64_t> sizes = extents(d);
  std::unordered_map<const Expression*, std::vector<bool>> varies;
  double total = 0;
  for (const Expr& body : d.body)
    visit(body, [&](const Expression& node) {
      std::vector<bool> along(sizes.size(), false);
      for (std::size_t v = 0; v < sizes.size(); ++v) {
        for (const Index& map : node.maps) along[v] = along[v] || depends_on(map, static_cast<int>(v));
        for (const Expr& operand : node.operands) along[v] = along[v] || varies[operand.get()][v];
      }
      double weight = work(node.op);
      for (std::size_t v = 0; v < sizes.size(); ++v)
        if (!along[v]) weight /= static_cast<double>(sizes[v]);
      total += weight;
      varies.emplace(&node, std::move(along));
    });
  return total;
}

}  // namespace kw::kernel::lowering
