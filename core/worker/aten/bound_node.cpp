#include "core/worker/aten/bound_node.h"

#include <torch/version.h>

#include <algorithm>

#include "core/worker/aten/arguments.h"
#include "core/worker/aten/convert.h"
#include "core/worker/aten/policy.h"

namespace kw::aten {
namespace {

std::int64_t int_of(const c10::IValue& value) { return value.isTensor() ? value.toTensor().item<std::int64_t>() : value.toInt(); }

c10::IValue dynamic_argument(const Patch& patch, const std::vector<c10::IValue>& slots) {
  const auto slot = [&](graph::ValueId id) -> const c10::IValue& { return slots[static_cast<std::size_t>(id)]; };
  switch (patch.kind) {
    case PatchKind::value: return slot(patch.ids[0]);
    case PatchKind::value_as_float: {
      const c10::IValue& value = slot(patch.ids[0]);
      return value.isInt() ? c10::IValue(static_cast<double>(value.toInt())) : value;
    }
    case PatchKind::value_as_tensor: return wrapped_number(slot(patch.ids[0]).toScalar());
    case PatchKind::tensor_list: {
      c10::List<at::Tensor> list;
      list.reserve(patch.ids.size());
      for (const graph::ValueId id : patch.ids) list.push_back(slot(id).toTensor());
      return list;
    }
    case PatchKind::optional_tensor_list: {
      c10::List<std::optional<at::Tensor>> list;
      list.reserve(patch.ids.size());
      for (const graph::ValueId id : patch.ids)
        list.push_back(id == graph::no_value || slot(id).isNone() ? std::optional<at::Tensor>() : slot(id).toTensor());
      return list;
    }
    case PatchKind::int_list: {
      c10::List<std::int64_t> list;
      list.reserve(patch.ids.size());
      for (std::size_t i = 0; i < patch.ids.size(); ++i)
        list.push_back(patch.ids[i] == graph::no_value ? patch.literals[i] : int_of(slot(patch.ids[i])));
      return list;
    }
  }
  return {};
}

const graph::Literal* literal_of(const graph::Node& node, const c10::FunctionSchema& schema, std::size_t position) {
  const std::string& name = schema.arguments()[position].name();
  for (const graph::Argument& argument : node.arguments)
    if (argument.name == name) return &argument.value;
  if (position < node.arguments.size() && node.arguments[position].name.empty() && !node.arguments[position].keyword) return &node.arguments[position].value;
  return nullptr;
}

bool known_argument(const graph::Argument& argument, std::size_t position, const c10::FunctionSchema& schema) {
  return argument.name.empty() ? position < schema.arguments().size() : schema.argumentIndexWithName(argument.name).has_value();
}

const c10::IValue* prebuilt(const BoundNode& bound, const c10::FunctionSchema& schema, std::string_view name) {
  const auto position = schema.argumentIndexWithName(name);
  return position ? &bound.arguments[static_cast<std::size_t>(*position)] : nullptr;
}

// Tagged as random, unless an argument says that nothing is drawn (dropout outside training, attention without dropout).
bool draws_random(const BoundNode& bound, const c10::FunctionSchema& schema) {
  if (!bound.op->hasTag(at::Tag::nondeterministic_seeded)) return false;
  for (const char* name : {"train", "training"})
    if (const c10::IValue* flag = prebuilt(bound, schema, name); flag && flag->isBool() && !flag->toBool()) return false;
  for (const char* name : {"dropout_p", "p", "dropout"})
    if (const c10::IValue* p = prebuilt(bound, schema, name); p && p->isDouble() && p->toDouble() == 0) return false;
  return true;
}

bool mutates(const c10::Argument& argument) { return argument.alias_info() && argument.alias_info()->isWrite(); }

// Running statistics are written in training only.
bool silent_write_happens(const BoundNode& bound, const c10::FunctionSchema& schema) {
  for (const char* name : {"training", "use_input_stats"})
    if (const c10::IValue* flag = prebuilt(bound, schema, name); flag && flag->isBool() && !flag->toBool()) return false;
  return true;
}

void find_written(BoundNode& bound, const c10::FunctionSchema& schema, const std::string& op_name) {
  const auto& arguments = schema.arguments();
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (mutates(arguments[i]) || (writes_silently(op_name, arguments[i].name()) && silent_write_happens(bound, schema))) bound.written.push_back(i);
}

// A cast that changed the type made a copy; promoted to one type it must still make one, or later writes would reach its source.
bool changes_dtype(const graph::Graph& graph, const graph::Node& node) {
  const auto inputs = graph::reads(node);
  if (inputs.empty() || node.outputs.empty() || node.outputs[0] == graph::no_value) return false;
  return graph.values[static_cast<std::size_t>(inputs[0])].type.dtype != graph.values[static_cast<std::size_t>(node.outputs[0])].type.dtype;
}

base::Status promote(BoundNode& bound, const graph::Graph& graph, const c10::FunctionSchema& schema, const OpName& name) {
  if (bound.random) {
    return base::Error{base::ErrorCode::unsupported, bound.node->op + " draws random numbers, so the float64 truth of what depends on it is not defined",
                       where(*bound.node)};
  }
  if (name.name == "view" && name.overload == "dtype") {
    return base::Error{base::ErrorCode::unsupported, "A view that reinterprets bits has no float64 truth", where(*bound.node)};
  }
  for (std::size_t i = 0; i < bound.arguments.size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    c10::IValue& value = bound.arguments[i];
    // A dtype is a plain int in an IValue: the schema's declared type tells it from other ints.
    const bool is_dtype = argument.real_type()->str().find("ScalarType") != std::string::npos;
    if (is_dtype && value.isInt()) {
      const auto type = static_cast<at::ScalarType>(value.toInt());
      if (at::isFloatingType(type)) value = at::kDouble;
      if (at::isComplexType(type)) value = at::kComplexDouble;
    }
    if (argument.name() == "half_to_float") value = false;
    if (argument.name() == "copy" && name.name == "to" && value.isBool() && changes_dtype(graph, *bound.node)) value = true;
  }
  return base::done();
}

base::Status bind_operator(BoundNode& bound, const graph::Graph& graph, const BindOptions& options) {
  const graph::Node& node = *bound.node;
  const OpName name = split_name(node.op);
  bound.op = c10::Dispatcher::singleton().findSchema({name.space + "::" + name.name, name.overload});
  if (!bound.op)
    return base::bad_input("torch " TORCH_VERSION " has no operator " + node.op + "; export the model again with this version of torch", where(node));
  const c10::FunctionSchema& schema = bound.op->schema();
  for (std::size_t i = 0; i < node.arguments.size(); ++i)
    if (!known_argument(node.arguments[i], i, schema))
      return base::bad_input("The operator " + node.op + " has no argument '" + node.arguments[i].name + "'", where(node));
  const c10::Device device(options.on_cuda ? c10::kCUDA : c10::kCPU, options.on_cuda ? 0 : -1);
  for (std::size_t i = 0; i < schema.arguments().size(); ++i) {
    const c10::Argument& argument = schema.arguments()[i];
    const graph::Literal* literal = literal_of(node, schema, i);
    if (!literal && !argument.default_value())
      return base::bad_input("The argument '" + argument.name() + "' of " + node.op + " is missing", where(node));
    bound.arguments.push_back(literal ? build_argument(*literal, argument, i, device, bound.patches) : *argument.default_value());
  }
  for (Patch& patch : bound.patches) {
    const bool number = patch.kind == PatchKind::value && graph.values[static_cast<std::size_t>(patch.ids[0])].kind != graph::ValueKind::tensor &&
                        graph.values[static_cast<std::size_t>(patch.ids[0])].kind != graph::ValueKind::tensor_list;
    if (number && schema.arguments()[patch.position].type()->isSubtypeOf(c10::OptionalType::ofTensor())) patch.kind = PatchKind::value_as_tensor;
  }
  if (schema.returns().size() < node.outputs.size())
    return base::bad_input("The operator " + node.op + " does not return " + std::to_string(node.outputs.size()) + " values", where(node));
  find_written(bound, schema, name.name);
  bound.random = draws_random(bound, schema);
  return options.promote_to_f64 ? promote(bound, graph, schema, name) : base::done();
}

base::Status bind_builtin(BoundNode& bound) {
  const graph::Node& node = *bound.node;
  bound.builtin = find_builtin(node.op);
  if (!bound.builtin) return base::Error{base::ErrorCode::unsupported, "The function " + node.op + " is not supported", where(node)};
  for (std::size_t i = 0; i < node.arguments.size(); ++i)
    bound.arguments.push_back(build_number(node.arguments[i].value, i, bound.patches));
  const std::size_t wanted = builtin_arity(node.op);
  if (node.arguments.size() != wanted || node.outputs.size() > 1)
    return base::bad_input("The function " + node.op + " takes " + std::to_string(wanted) + " arguments and returns one value", where(node));
  return base::done();
}

}  // namespace

void BoundNode::push_arguments(Stack& stack, const std::vector<c10::IValue>& slots) const {
  stack.insert(stack.end(), arguments.begin(), arguments.end());
  for (const Patch& patch : patches) stack[patch.position] = dynamic_argument(patch, slots);
}

void BoundNode::call(Stack& stack) const {
  if (builtin) {
    builtin(stack);
  } else {
    op->callBoxed(stack);
  }
}

std::string where(const graph::Node& node) {
  std::string text = node.op;
  if (!node.source.file.empty()) text += " (" + node.source.file + ":" + std::to_string(node.source.line) + ")";
  return text;
}

base::Result<BoundNode> bind_node(const graph::Graph& graph, const graph::Node& node, const BindOptions& options) {
  BoundNode bound;
  bound.node = &node;
  if (base::Status status = allowed(node.op); !status) {
    base::Error error = status.error();
    error.context = where(node);
    return error;
  }
  bound.skipped = options.promote_to_f64 && is_assertion(node.op);
  try {
    const bool number = find_builtin(node.op) || split_name(node.op).space != "aten";
    if (base::Status status = number ? bind_builtin(bound) : bind_operator(bound, graph, options); !status) return status.error();
  } catch (const std::exception& error) {
    return base::bad_input("The arguments of " + node.op + " do not fit: " + first_line(error), where(node));
  }
  return bound;
}

}  // namespace kw::aten
