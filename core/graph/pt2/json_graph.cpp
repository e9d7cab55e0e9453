#include "core/graph/pt2/json_graph.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/graph/pt2/source_lines.h"
#include "core/graph/pt2/tensors.h"

namespace kw::graph::pt2 {

using nlohmann::json;

namespace {

[[noreturn]] void malformed(std::string message, std::string context) { throw Malformed{base::bad_input(std::move(message), std::move(context))}; }
[[noreturn]] void unsupported(std::string message, std::string context) {
  throw Malformed{{base::ErrorCode::unsupported, std::move(message), std::move(context)}};
}

// Unions are objects whose single non-null member tells the kind.
std::pair<std::string, const json*> union_member(const json& j) {
  if (j.is_object())
    for (const auto& [key, value] : j.items())
      if (!value.is_null() && key != "$type") return {key, &value};
  malformed("an argument without a kind", "models/model.json");
}

const std::string& name_of(const json& j) { return j.at("name").get_ref<const std::string&>(); }

DType scalar_type(const json& j) {
  if (auto d = dtype_from_serde(j.get<std::int64_t>())) return *d;
  unsupported("element type " + j.dump() + " is not supported", "models/model.json");
}

double real_number(const json& j) {
  if (!j.is_string()) return j.get<double>();
  const std::string& s = j.get_ref<const std::string&>();   // "Infinity", "-Infinity", "NaN"
  return std::strtod(s.c_str(), nullptr);
}

// serde numbers layouts and memory formats in an order of its own; c10's is what the IR holds.
int c10_layout(int serde) {
  if (serde == 7) return 0;
  unsupported("only strided tensors are supported", "models/model.json");
}
int c10_memory_format(int serde) {
  constexpr int to_c10[] = {-1, 0, 2, 3, 1};   // Unknown, Contiguous, ChannelsLast, ChannelsLast3d, Preserve
  if (serde < 1 || serde > 4) malformed("unknown memory format", "models/model.json");
  return to_c10[serde];
}

class Builder {
 public:
  explicit Builder(const json& program) : program_(program) {}

  Graph build() {
    const json& module = program_.at("graph_module");
    const json& graph = module.at("graph");
    read_metadata(graph);
    read_inputs(graph, module.at("signature").at("input_specs"));
    read_nodes(graph);
    read_outputs(module.at("signature").at("output_specs"));
    std::set<std::string> notes(notes_.begin(), notes_.end());
    graph_.notes.assign(notes.begin(), notes.end());
    return std::move(graph_);
  }

 private:
  void read_metadata(const json& graph) {
    for (const auto& [name, meta] : graph.at("tensor_values").items()) types_[name] = tensor_type(meta, &notes_);
    const json ints = graph.value("sym_int_values", json::object());   // items() refers to it
    for (const auto& [name, value] : ints.items()) {
      const auto [kind, member] = union_member(value);
      ints_[name] = kind == "as_expr" && !has_hint(*member) ? std::nullopt : std::optional(sym_int(value, &notes_));
    }
  }
  static bool has_hint(const json& expression) {
    const auto hint = expression.find("hint");
    return hint != expression.end() && hint->is_object();
  }

  ValueId add(Value value) {
    const auto id = static_cast<ValueId>(graph_.values.size());
    if (!value.name.empty() && !ids_.emplace(value.name, id).second) malformed("'" + value.name + "' is defined twice", "models/model.json");
    graph_.values.push_back(std::move(value));
    return id;
  }
  ValueId tensor(const std::string& name, Origin origin) {
    const auto type = types_.find(name);
    if (type == types_.end()) malformed("tensor '" + name + "' has no type", "models/model.json");
    Value v;
    v.name = name;
    v.origin = origin;
    v.type = type->second;
    return add(std::move(v));
  }
  ValueId scalar(const std::string& name, ValueKind kind, Origin origin) {
    Value v;
    v.name = name;
    v.kind = kind;
    v.origin = origin;
    if (auto known = ints_.find(name); known != ints_.end()) v.known_int = known->second;
    return add(std::move(v));
  }
  ValueId find(const std::string& name) const {
    const auto found = ids_.find(name);
    if (found == ids_.end()) malformed("'" + name + "' is used but never defined", "models/model.json");
    return found->second;
  }

  ValueId stored(const json& spec, const char* target, Origin origin) {
    const ValueId id = tensor(name_of(spec.at("arg")), origin);
    graph_.values[static_cast<std::size_t>(id)].target = spec.at(target).get<std::string>();
    return id;
  }

  void read_inputs(const json& graph, const json& specs) {
    if (specs.size() != graph.at("inputs").size()) malformed("the signature and the graph disagree on the number of inputs", "models/model.json");
    for (const json& spec : specs) {
      const auto [kind, body] = union_member(spec);
      if (kind == "parameter") stored(*body, "parameter_name", Origin::parameter);
      else if (kind == "buffer") stored(*body, "buffer_name", Origin::buffer);
      else if (kind == "tensor_constant") stored(*body, "tensor_constant_name", Origin::constant);
      else if (kind == "user_input") user_input(body->at("arg"));
      else if (kind == "constant_input") graph_.notes.push_back("input '" + body->at("name").get<std::string>() + "' is fixed by the export");
      else unsupported("inputs of kind '" + kind + "' are not supported", "models/model.json");
    }
  }
  void user_input(const json& argument) {
    const auto [kind, body] = union_member(argument);
    if (kind == "as_tensor") graph_.inputs.push_back(tensor(name_of(*body), Origin::input));
    else if (kind == "as_sym_int") graph_.inputs.push_back(scalar(body->at("as_name").get<std::string>(), ValueKind::integer, Origin::input));
    else if (kind != "as_none" && kind != "as_int" && kind != "as_float" && kind != "as_bool" && kind != "as_string")
      unsupported("an input of kind '" + kind + "' is not supported", "models/model.json");
  }

  void read_nodes(const json& graph) {
    for (const json& node : graph.at("nodes")) {
      const std::string& target = node.at("target").get_ref<const std::string&>();
      const bool autocast = target.find("wrap_with_autocast") != std::string::npos;
      if (autocast) refuse_active_autocast(node);
      if (autocast || target.find("wrap_with_set_grad_enabled") != std::string::npos) inline_subgraph(node);
      else graph_.nodes.push_back(read_node(node, target));
    }
  }

  static std::string op_name(const std::string& target) {
    for (const char* prefix : {"torch.ops."})
      if (target.starts_with(prefix)) return target.substr(std::string(prefix).size());
    return target;
  }

  Node read_node(const json& j, const std::string& target) {
    Node node;
    node.op = op_name(target);
    const json metadata = j.value("metadata", json::object());
    node.source = innermost_line(metadata.value("stack_trace", ""));
    node.module_path = module_path(metadata.value("nn_module_stack", ""));
    context_ = node.op + (node.source.file.empty() ? "" : " at " + node.source.file + ":" + std::to_string(node.source.line));
    for (const json& input : j.at("inputs"))
      node.arguments.push_back({input.value("name", ""), input.value("kind", json(1)) == json(2), literal(input.at("arg"))});
    for (const json& output : j.at("outputs")) node.outputs.push_back(result(output));
    return node;
  }

  Literal literal(const json& argument) {
    const auto [kind, body] = union_member(argument);
    using Make = Literal (*)(Builder&, const json&);
    static const std::map<std::string, Make> rows{
        {"as_none", [](Builder&, const json&) -> Literal { return None{}; }},
        {"as_tensor", [](Builder& b, const json& j) -> Literal { return ValueRef{b.find(name_of(j))}; }},
        {"as_tensors", [](Builder& b, const json& j) -> Literal { return b.value_list(j); }},
        {"as_optional_tensors", [](Builder& b, const json& j) -> Literal { return b.optional_list(j); }},
        {"as_optional_tensor", [](Builder& b, const json& j) -> Literal { return b.literal(j); }},
        {"as_int", [](Builder&, const json& j) -> Literal { return j.get<std::int64_t>(); }},
        {"as_ints", [](Builder&, const json& j) -> Literal { return plain_ints(j); }},
        {"as_float", [](Builder&, const json& j) -> Literal { return real_number(j); }},
        {"as_floats", [](Builder&, const json& j) -> Literal { return plain_floats(j); }},
        {"as_bool", [](Builder&, const json& j) -> Literal { return j.get<bool>(); }},
        {"as_bools", [](Builder&, const json& j) -> Literal { return j.get<std::vector<bool>>(); }},
        {"as_string", [](Builder&, const json& j) -> Literal { return j.get<std::string>(); }},
        {"as_sym_int", [](Builder& b, const json& j) -> Literal { return b.symbol(j, "as_int"); }},
        {"as_sym_float", [](Builder& b, const json& j) -> Literal { return b.symbol(j, "as_float"); }},
        {"as_sym_bool", [](Builder& b, const json& j) -> Literal { return b.symbol(j, "as_bool"); }},
        {"as_sym_ints", [](Builder& b, const json& j) -> Literal { return b.symbol_list(j); }},
        {"as_scalar_type", [](Builder&, const json& j) -> Literal { return scalar_type(j); }},
        {"as_memory_format", [](Builder&, const json& j) -> Literal { return MemoryFormatArg{c10_memory_format(j.get<int>())}; }},
        {"as_layout", [](Builder&, const json& j) -> Literal { return LayoutArg{c10_layout(j.get<int>())}; }},
        {"as_device", [](Builder&, const json& j) -> Literal {
           return DeviceArg{j.at("type").get<std::string>(), j.contains("index") && j.at("index").is_number() ? j.at("index").get<int>() : -1};
         }},
    };
    const auto row = rows.find(kind);
    if (row == rows.end()) unsupported("an argument of kind '" + kind.substr(3) + "' is not supported", context_);
    return row->second(*this, *body);
  }

  ValueList value_list(const json& j) {
    ValueList list;
    for (const json& t : j) list.ids.push_back(find(name_of(t)));
    return list;
  }
  ValueList optional_list(const json& j) {
    ValueList list;
    for (const json& t : j) {
      const auto [kind, body] = union_member(t);
      list.ids.push_back(kind == "as_tensor" ? find(name_of(*body)) : no_value);
    }
    return list;
  }
  static std::vector<IntOrValue> plain_ints(const json& j) {
    std::vector<IntOrValue> out;
    for (const json& i : j) out.push_back({i.get<std::int64_t>(), no_value});
    return out;
  }
  static std::vector<double> plain_floats(const json& j) {
    std::vector<double> out;
    for (const json& d : j) out.push_back(real_number(d));
    return out;
  }
  Literal symbol(const json& j, const char* literal_key) {
    const auto [kind, body] = union_member(j);
    if (kind == "as_name") return ValueRef{find(body->get<std::string>())};
    if (kind != literal_key) malformed("a symbolic argument of kind '" + kind + "'", context_);
    if (kind == "as_int") return body->get<std::int64_t>();
    if (kind == "as_bool") return body->get<bool>();
    return real_number(*body);
  }
  std::vector<IntOrValue> symbol_list(const json& j) {
    std::vector<IntOrValue> out;
    for (const json& i : j) {
      const Literal one = symbol(i, "as_int");
      out.push_back(std::holds_alternative<ValueRef>(one) ? IntOrValue{0, std::get<ValueRef>(one).id} : IntOrValue{std::get<std::int64_t>(one), no_value});
    }
    return out;
  }

  ValueId result(const json& output) {
    const auto [kind, body] = union_member(output);
    if (kind == "as_none") return no_value;
    if (kind == "as_tensor") return name_of(*body).empty() ? no_value : tensor(name_of(*body), Origin::node);
    if (kind == "as_tensors") {
      std::vector<ValueId> members;
      for (const json& t : *body) members.push_back(tensor(name_of(t), Origin::node));
      Value list;
      list.kind = ValueKind::tensor_list;
      list.name = "list_" + std::to_string(graph_.values.size());
      list.elements = std::move(members);
      return add(std::move(list));
    }
    constexpr std::pair<const char*, ValueKind> scalars[] = {{"as_sym_int", ValueKind::integer}, {"as_sym_float", ValueKind::floating}, {"as_sym_bool", ValueKind::boolean}};
    for (const auto& [key, value_kind] : scalars)
      if (kind == key) return scalar(body->at("as_name").get<std::string>(), value_kind, Origin::node);
    unsupported("a result of kind '" + kind.substr(3) + "' is not supported", context_);
  }

  // wrap_with_autocast(device, dtype, enabled, cache, subgraph, args…). The casts of an active one are made at run time.
  void refuse_active_autocast(const json& node) {
    const json& inputs = node.at("inputs");
    const auto [kind, enabled] = union_member(inputs.at(2).at("arg"));
    const json metadata = node.value("metadata", json::object());
    const SourceLine line = innermost_line(metadata.value("stack_trace", ""));
    if (kind != "as_bool" || enabled->get<bool>())
      unsupported("torch.autocast inside the model is not supported; cast its inputs and weights instead",
                  line.file.empty() ? "wrap_with_autocast" : line.file + ":" + std::to_string(line.line));
  }

  // wrap_with_set_grad_enabled(flag, subgraph, args…): inference ignores the flag, so the body stands in its place.
  void inline_subgraph(const json& node) {
    const json* body = nullptr;
    std::vector<std::string> arguments;
    for (const json& input : node.at("inputs")) {
      const auto [kind, member] = union_member(input.at("arg"));
      if (kind == "as_graph") body = &member->at("graph");
      else if (kind == "as_tensor") arguments.push_back(name_of(*member));
    }
    if (!body) malformed("a wrapped region without a body", "models/model.json");
    std::map<std::string, ValueId> outer = std::exchange(ids_, {});
    auto outer_types = std::exchange(types_, {});
    auto outer_ints = std::exchange(ints_, {});
    read_metadata(*body);
    std::size_t i = 0;
    for (const json& input : body->at("inputs")) {
      const auto [kind, member] = union_member(input);
      if (kind != "as_tensor" || i >= arguments.size()) unsupported("a wrapped region with inputs that are not tensors", "models/model.json");
      ids_[name_of(*member)] = find_in(outer, arguments[i++]);
    }
    read_nodes(*body);
    std::vector<ValueId> results;
    for (const json& output : body->at("outputs")) {
      const auto [kind, member] = union_member(output);
      results.push_back(kind == "as_tensor" ? find(name_of(*member)) : no_value);
    }
    ids_ = std::move(outer);
    types_ = std::move(outer_types);
    ints_ = std::move(outer_ints);
    bind_results(node, results);
  }
  static ValueId find_in(const std::map<std::string, ValueId>& ids, const std::string& name) {
    const auto found = ids.find(name);
    if (found == ids.end()) malformed("'" + name + "' is used but never defined", "models/model.json");
    return found->second;
  }
  void bind_results(const json& node, const std::vector<ValueId>& results) {
    std::vector<std::string> names;
    for (const json& output : node.at("outputs")) {
      const auto [kind, member] = union_member(output);
      if (kind == "as_tensor") names.push_back(name_of(*member));
      if (kind == "as_tensors")
        for (const json& t : *member) names.push_back(name_of(t));
    }
    if (names.size() > results.size()) malformed("a wrapped region returns too little", "models/model.json");
    for (std::size_t i = 0; i < names.size(); ++i) ids_[names[i]] = results[i];
  }

  void read_outputs(const json& specs) {
    for (const json& spec : specs) {
      const auto [kind, body] = union_member(spec);
      if (kind == "user_output" || kind == "loss_output") user_output(body->at("arg"), kind == "loss_output");
      else if (kind == "buffer_mutation") graph_.outputs.push_back({find(name_of(body->at("arg"))), OutputKind::buffer_mutation, find_target(body->at("buffer_name"))});
      else if (kind == "parameter_mutation") graph_.outputs.push_back({find(name_of(body->at("arg"))), OutputKind::buffer_mutation, find_target(body->at("parameter_name"))});
      else if (kind == "user_input_mutation") graph_.outputs.push_back({find(name_of(body->at("arg"))), OutputKind::input_mutation, find(body->at("user_input_name"))});
      else unsupported("outputs of kind '" + kind + "' are not supported (only inference is)", "models/model.json");
    }
  }
  void user_output(const json& argument, bool plain_tensor) {
    if (plain_tensor) return graph_.outputs.push_back({find(name_of(argument)), OutputKind::user, no_value});
    const auto [kind, body] = union_member(argument);
    if (kind == "as_tensor") graph_.outputs.push_back({find(name_of(*body)), OutputKind::user, no_value});
    else if (kind == "as_sym_int" && body->contains("as_name") && !body->at("as_name").is_null())
      graph_.outputs.push_back({find(body->at("as_name").get<std::string>()), OutputKind::user, no_value});
    else if (kind == "as_none" || kind == "as_int" || kind == "as_float" || kind == "as_bool" || kind == "as_string" || kind == "as_sym_int")
      graph_.outputs.push_back({});
    else unsupported("an output of kind '" + kind + "' is not supported", "models/model.json");
  }
  ValueId find_target(const json& name) {
    for (std::size_t i = 0; i < graph_.values.size(); ++i)
      if (graph_.values[i].target == name.get_ref<const std::string&>()) return static_cast<ValueId>(i);
    malformed("a mutation of an unknown buffer", name.get<std::string>());
  }

  const json& program_;
  Graph graph_;
  std::map<std::string, TensorType> types_;
  std::map<std::string, std::optional<std::int64_t>> ints_;
  std::map<std::string, ValueId> ids_;
  std::vector<std::string> notes_;
  std::string context_;
};

}  // namespace

namespace {

// "s0" or sympy's "Symbol('s0', positive=True)" -> "s0"; "" for an expression of several.
std::string plain_symbol(const std::string& expression) {
  const std::string head = "Symbol('";
  if (!expression.starts_with(head)) return expression.find_first_of(" +-*/(") == std::string::npos ? expression : "";
  const std::size_t quote = expression.find('\'', head.size());
  return quote == std::string::npos || expression.find(')') + 1 != expression.size() ? "" : expression.substr(head.size(), quote - head.size());
}

}  // namespace

std::int64_t sym_int(const json& j, std::vector<std::string>* notes) {
  const auto [kind, body] = union_member(j);
  if (kind == "as_int") return body->get<std::int64_t>();
  if (kind != "as_expr") malformed("a size of kind '" + kind + "'", "models/model.json");
  const std::string expression = body->at("expr_str").get<std::string>();
  const auto hint = body->find("hint");
  if (hint == body->end() || !hint->is_object())
    unsupported("size '" + expression + "' depends on data; only sizes known from the sample inputs are supported", "models/model.json");
  const auto [hint_kind, value] = union_member(*hint);
  if (hint_kind != "as_int") malformed("a size whose hint is not an integer", expression);
  if (const std::string symbol = plain_symbol(expression); notes && !symbol.empty())
    notes->push_back("dynamic dimension " + symbol + " specialised to " + value->dump());
  return value->get<std::int64_t>();
}

TensorType tensor_type(const json& meta, std::vector<std::string>* notes) {
  TensorType type;
  type.dtype = scalar_type(meta.at("dtype"));
  for (const json& s : meta.at("sizes")) type.sizes.push_back(sym_int(s, notes));
  for (const json& s : meta.at("strides")) type.strides.push_back(sym_int(s, notes));
  if (meta.value("layout", 7) != 7) unsupported("only strided tensors are supported", "models/model.json");
  if (!checked_span(type)) malformed("sizes and strides that no tensor can have", "models/model.json");
  return type;
}

Graph graph_from_serde(const json& program) { return Builder(program).build(); }

}  // namespace kw::graph::pt2
