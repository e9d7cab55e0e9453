#include "core/kernel/recipe/binding.h"

#include <algorithm>
#include <map>

#include "core/kernel/recipe/expressions.h"
#include "core/kernel/recipe/inlining.h"
#include "core/kernel/recipe/programs.h"

namespace kw::kernel::lowering {
namespace {

struct Home { int kernel = -1, stage = -1; const Placed* placed = nullptr; };
struct Memory { int plan_buffer = -1; std::vector<std::int64_t> strides; };
using Value = std::pair<int, int>;     // tensor, component

struct Readers { bool same_stage = false, same_kernel = false, elsewhere = false; };

class Binder {
 public:
  Binder(const Program& original, const Program& program, const std::vector<KernelGroup>& groups, Decisions& decisions,
         const Limits& limits, const RowRoom& room)
      : program_(program), groups_(groups), decisions_(decisions), limits_(limits), room_(room) {
    find_homes();
    find_readers();
    add_task_buffers(original);
  }

  base::Result<Bound> run() {
    for (std::size_t d = 0; d < program_.definitions.size(); ++d) choose_storage(program_.definitions[d]);
    if (workspace_bytes_ > limits_.max_workspace_bytes)
      return base::Error{base::ErrorCode::unsupported, "the kept values need " + std::to_string(workspace_bytes_) +
                         " bytes of workspace, the limit is " + std::to_string(limits_.max_workspace_bytes), "recipe"};
    for (std::size_t k = 0; k < groups_.size(); ++k) bound_.kernels.push_back(kernel(static_cast<int>(k)));
    return std::move(bound_);
  }

 private:
  const Definition& definition(int d) const { return program_.definitions[static_cast<std::size_t>(d)]; }
  const Tensor& tensor(int t) const { return program_.tensors[static_cast<std::size_t>(t)]; }

  void find_homes() {
    for (std::size_t k = 0; k < groups_.size(); ++k)
      for (std::size_t s = 0; s < groups_[k].stages.size(); ++s)
        for (const Placed& p : groups_[k].stages[s].placed)
          homes_[definition(p.definition).tensor] = {static_cast<int>(k), static_cast<int>(s), &p};
  }

  void find_readers() {
    for (const Definition& d : program_.definitions)
      for (const Expr& body : d.body)
        for (const Expression* read : distinct_reads(body)) {
          if (!homes_.contains(read->source)) continue;
          const Home& from = homes_[read->source];
          const Home& to = homes_[d.tensor];
          Readers& readers = readers_[{read->source, read->component}];
          if (from.kernel != to.kernel) readers.elsewhere = true;
          else (from.stage == to.stage ? readers.same_stage : readers.same_kernel) = true;
        }
  }

  void add_task_buffers(const Program& original) {
    for (const int t : original.inputs)
      bound_.buffers.push_back({original.tensors[static_cast<std::size_t>(t)].name, plan::BufferRole::input,
                                original.tensors[static_cast<std::size_t>(t)].type});
    for (std::size_t k = 0; k < original.outputs.size(); ++k)
      bound_.buffers.push_back({"out" + std::to_string(k), plan::BufferRole::output, original.output_types[k]});
    for (std::size_t k = 0; k < program_.inputs.size(); ++k)
      memory_[{program_.inputs[k], 0}] = {static_cast<int>(k), tensor(program_.inputs[k]).type.strides};
    const int first = static_cast<int>(program_.inputs.size());
    for (std::size_t k = program_.outputs.size(); k-- > 0;)
      memory_[{program_.outputs[k], 0}] = {first + static_cast<int>(k), tensor(program_.outputs[k]).type.strides};
  }

  DType component_type(const Definition& d, int component, bool tile) const {
    if (component > 0 && (d.combiner == Combiner::argmax || d.combiner == Combiner::argmin)) return DType::i64;
    const DType storage = tensor(d.tensor).type.dtype;
    if (component > 0 && !graph::is_floating(storage)) return d.body[0]->type;
    return tile ? compute_type(storage) == DType::i64 ? storage : compute_type(storage) : storage;
  }

  std::int64_t inner_elements(const Definition& d) const {
    const Home& home = homes_.at(d.tensor);
    std::int64_t total = 1;
    for (std::size_t j = 0; j < d.domain.size(); ++j)
      if (home.placed->axis[j] >= groups_[static_cast<std::size_t>(home.kernel)].outer) total *= d.domain[j];
    return total;
  }

  void add_workspace(const Definition& d, int component) {
    plan::Buffer buffer;
    buffer.name = d.name + (component > 0 ? "." + std::to_string(component) : "");
    buffer.type = {component_type(d, component, false), d.domain, graph::contiguous_strides(d.domain)};
    workspace_bytes_ += product(d.domain) * graph::byte_size(buffer.type.dtype);
    memory_[{d.tensor, component}] = {static_cast<int>(bound_.buffers.size()), buffer.type.strides};
    bound_.buffers.push_back(std::move(buffer));
  }

  // One decision a definition; each component that somebody outside its stage reads gets its place.
  void choose_storage(const Definition& d) {
    const bool output = memory_.contains({d.tensor, 0});
    const bool tile_fits = limits_.target == "cuda" ? inner_elements(d) <= room_.rows : inner_elements(d) * 8 <= limits_.l2_bytes / 2;
    bool crosses = false, leaves = false;
    for (int c = 0; c < components(d.combiner); ++c) {
      crosses = crosses || readers_[{d.tensor, c}].same_kernel;
      leaves = leaves || readers_[{d.tensor, c}].elsewhere;
    }
    std::vector<std::string> options;
    const auto self = static_cast<int>(&d - program_.definitions.data());
    if (may_inline(program_, self)) options.push_back("inline");
    const bool exact_memory = !output || compute_type(tensor(d.tensor).type.dtype) == tensor(d.tensor).type.dtype;
    const bool only_here = !crosses && !leaves;
    if (!leaves && (tile_fits || only_here)) options.push_back("tile");
    if (crosses || leaves) options.push_back("memory");
    std::string how = options.empty() ? "tile" : output && crosses && exact_memory ? "memory" : options[options[0] == "inline" ? 1 : 0];
    if (options.size() > 1) how = decisions_.settle("edge." + d.name, how, options);
    for (int c = 0; c < components(d.combiner); ++c) {
      const Readers& readers = readers_[{d.tensor, c}];
      if (how == "tile" && readers.same_kernel) in_tile_[{d.tensor, c}] = true;
      const bool needs_memory = readers.elsewhere || (how == "memory" && readers.same_kernel);
      if (needs_memory && !memory_.contains({d.tensor, c})) add_workspace(d, c);
    }
  }

  // -- one kernel -------------------------------------------------------------------------------------------------------

  int global(KernelSpace& kernel, int plan_buffer) {
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
      if (kernel.buffers[b].plan_buffer == plan_buffer) return static_cast<int>(b);
    const plan::Buffer& buffer = bound_.buffers[static_cast<std::size_t>(plan_buffer)];
    kernel.buffers.push_back({buffer.name, buffer.type.dtype, buffer.type.span(), Space::global, plan_buffer});
    return static_cast<int>(kernel.buffers.size()) - 1;
  }

  int tile(KernelSpace& kernel, const Definition& d, int component) {
    const std::string name = d.name + (component > 0 ? "." + std::to_string(component) : "");
    for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
      if (kernel.buffers[b].space == Space::tile && kernel.buffers[b].name == name) return static_cast<int>(b);
    kernel.buffers.push_back({name, component_type(d, component, true), inner_elements(d), Space::tile, -1});
    return static_cast<int>(kernel.buffers.size()) - 1;
  }

  static Index dot(const std::vector<Index>& maps, const std::vector<std::int64_t>& strides) {
    Index sum = constant(0);
    for (std::size_t j = 0; j < maps.size(); ++j) sum = add(sum, scale(maps[j], strides[j]));
    return sum;
  }

  // Row-major over the inner axes of the definition that fills the tile; outer axes have their one value.
  std::vector<std::int64_t> tile_strides(const Definition& d) const {
    const Home& home = homes_.at(d.tensor);
    std::vector<std::int64_t> strides(d.domain.size(), 0);
    std::int64_t stride = 1;
    for (std::size_t j = d.domain.size(); j-- > 0;) {
      if (home.placed->axis[j] < groups_[static_cast<std::size_t>(home.kernel)].outer) continue;
      strides[j] = stride;
      stride *= d.domain[j];
    }
    return strides;
  }

  // A value that is stored in half precision is the rounded one for every reader: a softmax whose maximum came from the unrounded
  // values, and its exponentials from the stored ones, overflowed.
  Expr as_stored(const Value& value, const Expr& e) const {
    const bool output = value.second == 0 && !tensor(value.first).outputs.empty();
    const auto memory = memory_.find(value);
    if (!output && memory == memory_.end()) return e;
    const DType storage = output ? tensor(value.first).type.dtype : bound_.buffers[static_cast<std::size_t>(memory->second.plan_buffer)].type.dtype;
    if (storage == DType::bf16) return unary(Op::as_bf16, e);
    return storage == DType::f16 ? unary(Op::as_f16, e) : e;
  }

  Expr bound_read(KernelSpace& kernel, const Home& reader, const Expression& read) {
    const Value value{read.source, read.component};
    const auto home = homes_.find(read.source);
    const bool here = home != homes_.end() && home->second.kernel == reader.kernel;
    if (here && home->second.stage == reader.stage) return as_stored(value, register_read(read.source, read.type, read.component));
    if (here && in_tile_.contains(value)) {
      const Definition& d = definition(home->second.placed->definition);
      return as_stored(value, element(tile(kernel, d, read.component), dot(read.maps, tile_strides(d)), read.type));
    }
    const Memory& memory = memory_.at(value);
    return element(global(kernel, memory.plan_buffer), dot(read.maps, memory.strides), read.type);
  }

  Item item(KernelSpace& kernel, const Home& home, const Extents& sizes) {
    const Definition& d = definition(home.placed->definition);
    Item item{d.name, d.tensor, d.combiner, home.placed->after_reduction, {}, {}, {}};
    std::vector<Index> axes;
    for (const int axis : home.placed->axis) axes.push_back(variable(axis));
    Rewriter bound([&](const Expr& node) -> Expr {
      if (node->maps.empty() && node->op != Op::read) return node;   // a 0-dim tensor is read without maps
      const Expr moved = substitute(node, axes, sizes);
      return moved->op == Op::read ? bound_read(kernel, home, *moved) : moved;
    });
    for (const Expr& body : d.body) item.body.push_back(bound(body));
    std::int64_t stride = 1;
    for (std::size_t r = d.reduce.size(); r-- > 0; stride *= d.reduce[r])
      item.linear = add(item.linear, scale(axes[d.domain.size() + r], stride));
    axes.resize(d.domain.size());
    for (int c = 0; c < components(d.combiner); ++c) add_stores(kernel, d, c, axes, item);
    return item;
  }

  void add_stores(KernelSpace& kernel, const Definition& d, int component, const std::vector<Index>& point, Item& item) {
    const Value value{d.tensor, component};
    if (in_tile_.contains(value)) item.stores.push_back({tile(kernel, d, component), component, dot(point, tile_strides(d))});
    const Memory* memory = memory_.contains(value) ? &memory_.at(value) : nullptr;
    if (component == 0 && !tensor(d.tensor).outputs.empty()) {
      const int first = static_cast<int>(program_.inputs.size());
      for (std::size_t k = 0; k < program_.outputs.size(); ++k)
        if (program_.outputs[k] == d.tensor)
          item.stores.push_back({global(kernel, first + static_cast<int>(k)), 0, dot(point, tensor(d.tensor).type.strides)});
    } else if (memory != nullptr) {
      item.stores.push_back({global(kernel, memory->plan_buffer), component, dot(point, memory->strides)});
    }
  }

  KernelSpace kernel(int k) {
    const KernelGroup& group = groups_[static_cast<std::size_t>(k)];
    KernelSpace space;
    space.name = group.name;
    for (std::size_t a = 0; a < group.extents.size(); ++a) space.axes.push_back({group.names[a], group.extents[a]});
    for (int a = 0; a < group.outer; ++a) space.outer.push_back(a);
    for (const StageGroup& stage : group.stages) {
      Stage bound{stage.space, stage.reduce, {}};
      for (const Placed& placed : stage.placed) {
        bound.items.push_back(item(space, homes_.at(definition(placed.definition).tensor), group.extents));
        const Definition& d = definition(placed.definition);
        space.effort += static_cast<double>(points(d)) * (1 + work_per_point(d));
      }
      space.stages.push_back(std::move(bound));
    }
    return space;
  }

  const Program& program_;
  const std::vector<KernelGroup>& groups_;
  Decisions& decisions_;
  const Limits& limits_;
  const RowRoom& room_;
  Bound bound_;
  std::map<int, Home> homes_;                // of each written tensor
  std::map<Value, Readers> readers_;
  std::map<Value, Memory> memory_;
  std::map<Value, bool> in_tile_;
  std::int64_t workspace_bytes_ = 0;
};

}  // namespace

base::Result<Bound> bind_buffers(const Program& original, const Program& program, const std::vector<KernelGroup>& groups,
                         Decisions& decisions, const Limits& limits, const RowRoom& room) {
  return Binder(original, program, groups, decisions, limits, room).run();
}

}  // namespace kw::kernel::lowering
