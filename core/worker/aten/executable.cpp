#include "core/worker/aten/executable.h"

#include <algorithm>

#include "core/worker/aten/bound_node.h"
#include "core/worker/aten/convert.h"
#include "core/worker/aten/leaf_guard.h"
#include "core/worker/aten/schedule.h"

namespace kw::aten {
namespace {

constexpr std::uint64_t random_seed = 0;   // what random operators start from in every run, so runs repeat

// Tensors made from numbers, and factories without a dtype, follow the default type: float64 in the truth.
class DefaultDtype {
 public:
  explicit DefaultDtype(bool to_f64) : active_(to_f64), before_(c10::get_default_dtype()) {
    if (active_) c10::set_default_dtype(caffe2::TypeMeta::Make<double>());
  }
  ~DefaultDtype() {
    if (active_) c10::set_default_dtype(before_);
  }
  DefaultDtype(const DefaultDtype&) = delete;
  DefaultDtype& operator=(const DefaultDtype&) = delete;

 private:
  bool active_;
  caffe2::TypeMeta before_;
};

std::size_t at_index(graph::ValueId id) { return static_cast<std::size_t>(id); }

}  // namespace

struct Executable::Impl {
  graph::Graph graph;
  BindOptions options;
  std::vector<BoundNode> nodes;
  std::vector<bool> writes;                  // per node
  std::vector<Substitution> substitutions;
  std::vector<Step> plain_steps, steps;      // without and with the substitutions
  std::vector<c10::IValue> slots;            // per value; constants stay, the rest is empty between runs
  LeafGuard guard;
  bool any_writes = false, any_random = false;
  Stack stack;
  const graph::Node* current = nullptr;      // what runs, for errors

  struct Hooks {
    const std::function<void(int)>* before = nullptr;
    const std::function<void(int)>* after = nullptr;
    std::function<bool(int)> stop_before;    // ends the run there, after `captured`
    std::function<base::Status(const BoundNode&)> made;   // after a node stored its outputs
    bool keep_all = false;                   // nothing dies before the end
    bool plain = false;                      // without the substitutions
  };

  base::Status bind(std::map<graph::ValueId, at::Tensor> constants);
  base::Status place_inputs(const Tensors& inputs);
  base::Status run_steps(const Hooks& hooks);
  base::Status run_substitution(const Substitution& substitution);
  void run_node(const BoundNode& bound);
  void store_results(const BoundNode& bound);
  void store(graph::ValueId id, c10::IValue value);
  Tensors collect_outputs();
  void clear_slots();

  // Runs between place_inputs and clear_slots with everything restored, whatever happens; `finish` sees the values.
  template <typename Finish>
  base::Status guarded(const Tensors& inputs, const Hooks& hooks, Finish finish);
};

base::Status Executable::Impl::bind(std::map<graph::ValueId, at::Tensor> constants) {
  slots.resize(graph.values.size());
  for (std::size_t v = 0; v < graph.values.size(); ++v) {
    const graph::Value& value = graph.values[v];
    if (value.origin == graph::Origin::node || value.origin == graph::Origin::input) continue;
    // A task's graph keeps the origin of the model's values; there they are inputs.
    if (std::find(graph.inputs.begin(), graph.inputs.end(), static_cast<graph::ValueId>(v)) != graph.inputs.end()) continue;
    const auto found = constants.find(static_cast<graph::ValueId>(v));
    if (found == constants.end() || !found->second.defined()) return base::bad_input("The values of '" + value.name + "' are missing.", value.target);
    slots[v] = options.promote_to_f64 ? promoted(found->second) : found->second;
  }
  nodes.reserve(graph.nodes.size());
  for (const graph::Node& node : graph.nodes) {
    auto bound = bind_node(graph, node, options);
    if (!bound) return bound.error();
    writes.push_back(!bound->written.empty());
    any_writes |= !bound->written.empty();
    any_random |= bound->random;
    nodes.push_back(std::move(bound).value());
  }
  for (const graph::Output& output : graph.outputs) any_writes |= output.kind != graph::OutputKind::user;
  if (any_writes)
    for (const c10::IValue& slot : slots)
      if (slot.isTensor()) guard.protect(slot.toTensor());
  auto schedule = make_schedule(graph, {}, writes);
  if (!schedule) return schedule.error();
  plain_steps = std::move(schedule).value();
  steps = plain_steps;
  stack.reserve(32);
  return base::done();
}

base::Status Executable::Impl::place_inputs(const Tensors& inputs) {
  if (inputs.size() != graph.inputs.size())
    return base::bad_input("The graph takes " + std::to_string(graph.inputs.size()) + " inputs, " + std::to_string(inputs.size()) + " were given.", "inputs");
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const graph::Value& value = graph.values[at_index(graph.inputs[i])];
    c10::IValue& slot = slots[at_index(graph.inputs[i])];
    if (!inputs[i].defined()) return base::bad_input("The input '" + value.name + "' is missing.", "inputs");
    if (value.kind == graph::ValueKind::integer) {
      slot = inputs[i].item<std::int64_t>();
      continue;
    }
    slot = options.promote_to_f64 ? promoted(inputs[i]) : inputs[i];
    if (any_writes) guard.protect(slot.toTensor());
  }
  return base::done();
}

void Executable::Impl::store(graph::ValueId id, c10::IValue value) {
  if (id == graph::no_value) return;
  const graph::Value& described = graph.values[at_index(id)];
  if (!described.elements.empty()) {
    const auto members = value.toListRef();
    TORCH_CHECK(members.size() == described.elements.size(), "the operator returned ", members.size(), " tensors, ", described.elements.size(), " were expected");
    for (std::size_t i = 0; i < members.size(); ++i)
      if (described.elements[i] != graph::no_value) slots[at_index(described.elements[i])] = members[i];
  }
  slots[at_index(id)] = std::move(value);
}

void Executable::Impl::store_results(const BoundNode& bound) {
  const auto& outputs = bound.node->outputs;
  TORCH_CHECK(stack.size() >= outputs.size(), "the operator returned ", stack.size(), " values, ", outputs.size(), " were expected");
  for (std::size_t i = 0; i < outputs.size(); ++i) store(outputs[i], std::move(stack[i]));
}

void Executable::Impl::run_node(const BoundNode& bound) {
  stack.clear();
  bound.push_arguments(stack, slots);
  if (any_writes) {
    for (const std::size_t position : bound.written) {
      if (stack[position].isTensor()) guard.before_write(stack[position].toTensor());
      if (stack[position].isTensorList())
        for (const at::Tensor& tensor : stack[position].toTensorVector()) guard.before_write(tensor);
    }
  }
  bound.call(stack);
  store_results(bound);
  stack.clear();
}

base::Status Executable::Impl::run_substitution(const Substitution& substitution) {
  Tensors inputs, outputs;
  for (const graph::ValueId id : substitution.instance.inputs) inputs.push_back(slots[at_index(id)].toTensor());
  if (base::Status status = substitution.run(inputs, outputs); !status) return status;
  if (outputs.size() != substitution.instance.outputs.size())
    return base::Error{base::ErrorCode::internal, "A substitution returned " + std::to_string(outputs.size()) + " tensors, " +
                                                      std::to_string(substitution.instance.outputs.size()) + " were expected.", where(*current)};
  for (std::size_t i = 0; i < outputs.size(); ++i) slots[at_index(substitution.instance.outputs[i])] = std::move(outputs[i]);
  return base::done();
}

base::Status Executable::Impl::run_steps(const Hooks& hooks) {
  for (const Step& step : hooks.plain ? plain_steps : steps) {
    const int position = step.node >= 0 ? step.node : substitutions[static_cast<std::size_t>(step.substitution)].instance.nodes.back();
    const BoundNode& bound = nodes[static_cast<std::size_t>(position)];
    current = bound.node;
    if (hooks.stop_before && hooks.stop_before(position)) return base::done();
    if (bound.skipped && step.node >= 0) continue;
    if (hooks.before) (*hooks.before)(position);
    if (step.node >= 0) {
      run_node(bound);
    } else if (base::Status status = run_substitution(substitutions[static_cast<std::size_t>(step.substitution)]); !status) {
      return status;
    }
    if (hooks.after) (*hooks.after)(position);
    if (hooks.made)
      if (base::Status status = hooks.made(bound); !status) return status;
    if (hooks.keep_all) continue;
    for (const graph::ValueId id : step.dead) slots[at_index(id)] = c10::IValue();
  }
  return base::done();
}

Tensors Executable::Impl::collect_outputs() {
  current = nullptr;
  for (const graph::Output& output : graph.outputs) {
    if (output.kind == graph::OutputKind::user || output.value == graph::no_value || output.target == graph::no_value) continue;
    const at::Tensor target = slots[at_index(output.target)].toTensor();
    guard.before_write(target);
    target.copy_(slots[at_index(output.value)].toTensor());
  }
  Tensors outputs;
  for (const graph::Output& output : graph.outputs) {
    if (output.kind != graph::OutputKind::user) continue;
    const bool tensor = output.value != graph::no_value && slots[at_index(output.value)].isTensor();
    outputs.push_back(tensor ? guard.detached(slots[at_index(output.value)].toTensor()) : at::Tensor());
  }
  return outputs;
}

void Executable::Impl::clear_slots() {
  stack.clear();
  for (std::size_t v = 0; v < slots.size(); ++v) {
    const graph::Origin origin = graph.values[v].origin;
    if (origin == graph::Origin::node || origin == graph::Origin::input) slots[v] = c10::IValue();
  }
  for (const graph::ValueId id : graph.inputs) slots[at_index(id)] = c10::IValue();
}

template <typename Finish>
base::Status Executable::Impl::guarded(const Tensors& inputs, const Hooks& hooks, Finish finish) {
  const c10::InferenceMode inference;
  const DefaultDtype default_dtype(options.promote_to_f64);
  const std::size_t mark = guard.mark();
  current = nullptr;
  base::Status status = base::done();
  try {
    if (any_random) at::manual_seed(random_seed);
    status = place_inputs(inputs);
    if (status) status = run_steps(hooks);
    if (status) status = finish();
  } catch (const std::exception& error) {
    status = base::bad_input("torch: " + first_line(error), current ? where(*current) : "running the model");
  }
  guard.restore();
  guard.forget_since(mark);
  clear_slots();
  return status;
}

Executable::Executable(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Executable::~Executable() = default;

base::Result<std::unique_ptr<Executable>> Executable::bind(const graph::Graph& graph, std::map<graph::ValueId, at::Tensor> constants, BindOptions options) {
  auto impl = std::make_unique<Impl>();
  impl->graph = graph;
  impl->options = options;
  try {
    const c10::InferenceMode inference;
    if (base::Status status = impl->bind(std::move(constants)); !status) return status.error();
  } catch (const std::exception& error) {
    return base::bad_input("torch: " + first_line(error), "preparing the graph");
  }
  return std::unique_ptr<Executable>(new Executable(std::move(impl)));
}

base::Result<Tensors> Executable::run(const Tensors& inputs) { return run_observed(inputs, nullptr, nullptr); }

base::Result<Tensors> Executable::run_observed(const Tensors& inputs, const std::function<void(int)>& before, const std::function<void(int)>& after) {
  Impl::Hooks hooks;
  if (before) hooks.before = &before;
  if (after) hooks.after = &after;
  Tensors outputs;
  const base::Status status = impl_->guarded(inputs, hooks, [&] {
    outputs = impl_->collect_outputs();
    return base::done();
  });
  if (!status) return status.error();
  return outputs;
}

base::Result<Tensors> Executable::capture(const Tensors& inputs, const std::vector<graph::ValueId>& values, int at_node) {
  Impl::Hooks hooks;
  hooks.stop_before = [&](int node) { return node == at_node; };
  hooks.keep_all = true;
  hooks.plain = true;
  Tensors captured;
  const base::Status status = impl_->guarded(inputs, hooks, [&]() -> base::Status {
    for (const graph::ValueId id : values) {
      if (id < 0 || at_index(id) >= impl_->slots.size() || !impl_->slots[at_index(id)].isTensor())
        return base::bad_input("The value " + std::to_string(id) + " is no tensor or is not there before node " + std::to_string(at_node) + ".", "capture");
      captured.push_back(clone_exact(impl_->slots[at_index(id)].toTensor()));
    }
    return base::done();
  });
  if (!status) return status.error();
  return captured;
}

base::Result<graph::Graph> Executable::observe(const Tensors& inputs) {
  graph::Graph seen = impl_->graph;
  const auto look = [&](graph::ValueId id) -> base::Status {
    const c10::IValue& slot = impl_->slots[at_index(id)];
    graph::Value& value = seen.values[at_index(id)];
    if (slot.isInt()) value.known_int = slot.toInt();
    if (!slot.isTensor() || !slot.toTensor().defined()) return base::done();
    auto type = tensor_type(slot.toTensor());
    if (!type) {
      base::Error error = type.error();
      error.context = impl_->current ? where(*impl_->current) : value.name;
      return error;
    }
    value.type = std::move(type).value();
    return base::done();
  };
  Impl::Hooks hooks;
  hooks.plain = true;
  bool leaves_seen = false;
  const auto look_at_leaves = [&]() -> base::Status {
    leaves_seen = true;
    for (std::size_t v = 0; v < seen.values.size(); ++v)
      if (base::Status status = look(static_cast<graph::ValueId>(v)); !status) return status;
    return base::done();
  };
  base::Status leaves = base::done();
  hooks.stop_before = [&](int) {
    if (!leaves_seen) leaves = look_at_leaves();
    return !leaves.ok();
  };
  hooks.made = [&](const BoundNode& bound) -> base::Status {
    for (const graph::ValueId id : bound.node->outputs) {
      if (id == graph::no_value) continue;
      if (base::Status status = look(id); !status) return status;
      for (const graph::ValueId member : seen.values[at_index(id)].elements)
        if (base::Status status = look(member); !status) return status;
    }
    return base::done();
  };
  const base::Status status = impl_->guarded(inputs, hooks, [&] { return leaves_seen ? leaves : look_at_leaves(); });
  if (!status) return status.error();
  return seen;
}

base::Status Executable::substitute(std::vector<Substitution> substitutions) {
  std::vector<graph::Instance> instances;
  for (const Substitution& substitution : substitutions) instances.push_back(substitution.instance);
  auto schedule = make_schedule(impl_->graph, instances, impl_->writes);
  if (!schedule) return schedule.error();
  impl_->steps = std::move(schedule).value();
  impl_->substitutions = std::move(substitutions);
  return base::done();
}

}  // namespace kw::aten
