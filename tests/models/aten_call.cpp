#include "tests/models/aten_call.h"

#include <algorithm>
#include <set>

#include <ATen/ATen.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/core/stack.h>

namespace kw::models {
namespace {

using graph::DType;

at::ScalarType scalar_type(DType dtype) {
  static const at::ScalarType types[] = {at::kDouble, at::kFloat, at::kHalf, at::kBFloat16, at::kLong, at::kInt,
                                         at::kShort, at::kChar, at::kByte, at::kBool, at::kComplexFloat, at::kComplexDouble};
  return types[static_cast<std::size_t>(dtype)];
}

DType dtype_of(const at::Tensor& t) {
  for (int k = 0; k <= static_cast<int>(DType::c128); ++k)
    if (scalar_type(static_cast<DType>(k)) == t.scalar_type()) return static_cast<DType>(k);
  throw std::runtime_error("a result of a type that the graph does not have");
}

at::Tensor make_input(const fakes::CaseInput& input, const std::vector<double>& elements) {
  const at::Tensor values = at::tensor(elements, at::kDouble).reshape(input.type.sizes);
  const at::Tensor memory = at::empty({input.type.span()}, at::TensorOptions(scalar_type(input.type.dtype))).zero_();
  const at::Tensor t = memory.as_strided(input.type.sizes, input.type.strides);
  t.copy_(values);
  return t;
}

std::vector<double> elements_of(const at::Tensor& t) {
  const at::Tensor values = t.to(at::kDouble).contiguous().view({-1});
  return {values.const_data_ptr<double>(), values.const_data_ptr<double>() + values.numel()};
}

at::Tensor number_tensor(const at::Scalar& number) {
  at::Tensor t = at::scalar_tensor(number, at::TensorOptions(number.isFloatingPoint() ? at::kDouble : number.isBoolean() ? at::kBool : at::kLong));
  t.unsafeGetTensorImpl()->set_wrapped_number(true);
  return t;
}

struct Converter {
  const std::vector<at::Tensor>& inputs;
  const c10::Type& type;       // of the parameter, without Optional

  c10::IValue operator()(const graph::None&) const { return {}; }
  c10::IValue operator()(const graph::ValueRef& v) const { return inputs[static_cast<std::size_t>(v.id)]; }
  c10::IValue operator()(const graph::ValueList& list) const {
    c10::List<at::Tensor> tensors;
    for (const graph::ValueId id : list.ids) tensors.push_back(inputs[static_cast<std::size_t>(id)]);
    return tensors;
  }
  c10::IValue operator()(std::int64_t i) const {
    if (type.kind() == c10::TypeKind::TensorType) return number_tensor(i);
    if (type.kind() == c10::TypeKind::FloatType) return static_cast<double>(i);
    if (type.kind() == c10::TypeKind::ListType) return std::vector<std::int64_t>{i};
    return i;
  }
  c10::IValue operator()(double d) const { return type.kind() == c10::TypeKind::TensorType ? c10::IValue(number_tensor(d)) : c10::IValue(d); }
  c10::IValue operator()(bool b) const { return type.kind() == c10::TypeKind::TensorType ? c10::IValue(number_tensor(b)) : c10::IValue(b); }
  c10::IValue operator()(const std::string& s) const { return s; }
  c10::IValue operator()(const std::vector<graph::IntOrValue>& list) const {
    std::vector<std::int64_t> ints;
    for (const graph::IntOrValue& i : list) ints.push_back(i.literal);
    return ints;
  }
  c10::IValue operator()(const std::vector<double>& list) const { return list; }
  c10::IValue operator()(const std::vector<bool>&) const { throw std::runtime_error("no operator takes a list of booleans"); }
  c10::IValue operator()(DType dtype) const { return scalar_type(dtype); }
  c10::IValue operator()(const graph::LayoutArg&) const { return at::kStrided; }
  c10::IValue operator()(const graph::MemoryFormatArg&) const { return at::MemoryFormat::Contiguous; }
  c10::IValue operator()(const graph::DeviceArg& d) const { return at::Device(d.type); }
};

c10::IValue to_ivalue(const graph::Literal& literal, c10::TypePtr type, const std::vector<at::Tensor>& inputs) {
  if (const auto optional = type->cast<c10::OptionalType>()) type = optional->getElementType();
  return std::visit(Converter{inputs, *type}, literal);
}

c10::OperatorHandle find_operator(const std::string& op) {
  const auto first = op.find('.'), last = op.rfind('.');
  const std::string name = op.substr(0, first) + "::" + op.substr(first + 1, last - first - 1);
  const std::string overload = op.substr(last + 1);
  return c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload == "default" ? "" : overload.c_str());
}

torch::jit::Stack arguments_of(const fakes::OperatorCase& c, const c10::FunctionSchema& schema, const std::vector<at::Tensor>& inputs) {
  torch::jit::Stack stack;
  std::size_t used = 0;
  for (const c10::Argument& parameter : schema.arguments()) {
    const auto given = std::find_if(c.arguments.begin(), c.arguments.end(), [&](const graph::Argument& a) { return a.name == parameter.name(); });
    if (given == c.arguments.end() && !parameter.default_value() && parameter.type()->kind() != c10::TypeKind::OptionalType)
      throw std::runtime_error("the case lacks argument " + parameter.name());
    used += given != c.arguments.end();
    if (given == c.arguments.end()) stack.push_back(parameter.default_value() ? *parameter.default_value() : c10::IValue());
    else stack.push_back(to_ivalue(given->value, parameter.real_type(), inputs));
  }
  if (used != c.arguments.size()) throw std::runtime_error("the case has an argument that the schema lacks: " + c10::toString(schema));
  return stack;
}

graph::ValueId add_value(graph::Graph& g, const std::string& name, graph::Origin origin, const at::Tensor& t) {
  graph::Value value;
  value.name = name;
  value.origin = origin;
  value.type = {dtype_of(t), t.sizes().vec(), t.strides().vec()};
  g.values.push_back(value);
  return static_cast<graph::ValueId>(g.values.size()) - 1;
}

// Every element has a place of its own: numbering the elements in memory reads back as the numbers.
bool overlaps(const at::Tensor& t) {
  std::int64_t span = 1;
  for (std::int64_t d = 0; d < t.dim(); ++d) span += (t.size(d) - 1) * t.stride(d);
  std::set<std::int64_t> places;
  const at::Tensor numbers = at::arange(span, at::kLong).as_strided(t.sizes(), t.strides()).contiguous();
  places.insert(numbers.const_data_ptr<std::int64_t>(), numbers.const_data_ptr<std::int64_t>() + numbers.numel());
  return static_cast<std::int64_t>(places.size()) != t.numel();
}

// Nodes after the called one: clones of results that a task could not write as they are.
void add_output(AtenCall& call, std::vector<graph::Node>& clones, graph::ValueId id, const at::Tensor& t) {
  if (t.numel() == 0) return;
  if (overlaps(t)) {
    const graph::ValueId clone = add_value(call.graph, call.graph.values[static_cast<std::size_t>(id)].name + "_clone", graph::Origin::node, t.contiguous());
    clones.push_back({"aten.clone.default", {{"self", false, graph::ValueRef{id}}}, {clone}, {}, ""});
    id = clone;
  }
  call.graph.outputs.push_back({id, graph::OutputKind::user, graph::no_value});
  call.outputs.push_back(elements_of(t));
}

void add_result(AtenCall& call, graph::Node& node, std::vector<graph::Node>& clones, const c10::IValue& result, const std::string& name) {
  graph::Graph& g = call.graph;
  if (result.isTensor()) {
    const graph::ValueId id = add_value(g, name, graph::Origin::node, result.toTensor());
    node.outputs.push_back(id);
    return add_output(call, clones, id, result.toTensor());
  }
  if (!result.isTensorList()) throw std::runtime_error("a result that is not a tensor");
  graph::Value list;
  list.name = name;
  list.kind = graph::ValueKind::tensor_list;
  const auto tensors = result.toTensorVector();
  for (std::size_t k = 0; k < tensors.size(); ++k) {
    list.elements.push_back(add_value(g, name + "_" + std::to_string(k), graph::Origin::node, tensors[k]));
    add_output(call, clones, list.elements.back(), tensors[k]);
  }
  g.values.push_back(list);
  node.outputs.push_back(static_cast<graph::ValueId>(g.values.size()) - 1);
}

AtenCall run(const fakes::OperatorCase& c, unsigned seed) {
  const c10::InferenceMode inference;
  AtenCall call;
  std::vector<at::Tensor> inputs;
  for (std::size_t k = 0; k < c.inputs.size(); ++k) {
    call.inputs.push_back(fakes::draw(c.inputs[k], seed + static_cast<unsigned>(k)));
    inputs.push_back(make_input(c.inputs[k], call.inputs.back()));
    call.graph.inputs.push_back(add_value(call.graph, "x" + std::to_string(k), graph::Origin::input, inputs.back()));
  }
  const c10::OperatorHandle handle = find_operator(c.op);
  torch::jit::Stack stack = arguments_of(c, handle.schema(), inputs);
  handle.callBoxed(stack);
  graph::Node node;
  node.op = c.op;
  node.arguments = c.arguments;
  std::vector<graph::Node> clones;
  for (std::size_t k = 0; k < stack.size(); ++k) add_result(call, node, clones, stack[k], "y" + std::to_string(k));
  call.graph.nodes = {std::move(node)};
  call.graph.nodes.insert(call.graph.nodes.end(), clones.begin(), clones.end());
  return call;
}

}  // namespace

base::Result<AtenCall> call_aten(const fakes::OperatorCase& c, unsigned seed) {
  try {
    return run(c, seed);
  } catch (const std::exception& error) {
    const std::string what = error.what();
    return base::bad_input(what.substr(0, what.find('\n')), c.text());
  }
}

}  // namespace kw::models
